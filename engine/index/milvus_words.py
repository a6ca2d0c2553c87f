"""The keyword leg in a collection of Milvus: Milvus nominates by its BM25, the formula of the local index ranks.

One row a post: its analysed title, body and exact tokens, as `french.py` gives them. Every call may raise IndexAway.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ..store.where import Where
from ..values import PostId, Ranking
from . import milvus_conditions, vocabulary
from .digests import Ids
from .editions import Editions
from .french import Analyser, tokens
from .lexical import EXACT_BOOST, MAX_QUERY_TERMS, NAME, TITLE_BOOST, bm25, is_plain
from .milvus import MOST, Engine, Found
from .milvus_schema import MAX_TEXT_BYTES
from .passages import IndexablePost
from .postings import Block, kept_length
from .terms import FIELDS, Terms

OVERFETCH = 4  # posts nominated by each field for a wanted one
_ESCAPE = "zq"  # begins no French word, and is a letter for every tokenizer

Fields = Mapping[str, Sequence[str]]


def analysed(posts: Iterable[IndexablePost], analyser: Analyser, seen: vocabulary.Counting) -> Iterator[Fields]:
    """The terms of each post by field, as the local index has them; `seen` hears the words as they are written."""
    title_of: tuple[str, list[str], list[str]] = ("", [], [])
    for post in posts:
        if post.title != title_of[0]:
            title_of = (post.title, analyser.words(post.title), analyser.exact(post.title))
            seen.add(tokens(post.title))
        said = tokens(post.body)
        seen.add(said)
        yield {
            "title": title_of[1],
            "body": analyser.terms(said),
            "exact": [*title_of[2], *analyser.exact(post.body)],
        }


def texts(fields: Fields) -> dict[str, str]:
    """The terms of a post as Milvus is given them; what its text fields can't hold is left out."""
    return {field: _fitting(written(fields[field])) for field in FIELDS}


def written(terms: Iterable[str]) -> str:
    """Terms so that any tokenizer gives them back: "c++" would be split."""
    return " ".join(term if term.isalnum() else _ESCAPE + term.encode("utf-8", "replace").hex() for term in terms)


@dataclass(frozen=True, slots=True)
class _Term:
    field: str
    term: str  # as it is written in Milvus
    weight: float  # boost times idf


class MilvusWords:
    """The keyword index of one generation. Safe to use from several threads."""

    def __init__(self, engine: Engine, collection: str, editions: Editions, folder: Path, analyser: Analyser) -> None:
        self._engine, self._collection, self._editions = engine, collection, editions
        self._analyser, self._folder = analyser, folder
        self._terms = Terms.load(folder / "terms.txt")

    def rank(
        self,
        words: Sequence[str],
        *,
        limit: int,
        allowed: frozenset[PostId] | None = None,
        excluded: frozenset[PostId] = frozenset(),
        where: Where | None = None,
    ) -> Ranking:
        """Posts that hold any of the words (raw text, analysed here), best first; conditions hold before ranking."""
        if allowed is not None:
            allowed -= excluded
        terms = self._query_terms(" ".join(words))
        if not terms or allowed == frozenset():
            return Ranking(NAME, (), ())
        nominated: dict[PostId, Mapping[str, str]] = {}
        for field in FIELDS:
            asked = " ".join(term.term for term in terms if term.field == field)
            if asked:
                nominated |= self._nominated(field, asked, limit, allowed, excluded, where)
        posts = np.fromiter(nominated, np.int64, len(nominated))
        scores = self._scores(terms, list(nominated.values()))
        best = np.lexsort((posts, -scores))[:limit]
        best = best[scores[best] > 0]
        return Ranking(NAME, tuple(map(PostId, posts[best].tolist())), tuple(scores[best].tolist()))

    def matching(self, text: str, *, field: str = "body") -> frozenset[PostId] | None:
        """Posts that hold every term of a phrase side by side (`field` body) or anywhere (title).

        None when nothing of the text can be looked up (only stop words or punctuation).
        """
        words, exact = self._analyser.words(text), self._analyser.exact(text)
        if exact and not is_plain(words):
            field, terms = "exact", exact
        elif words:
            terms = words
        elif exact:
            field, terms = "exact", exact
        else:
            return None
        said = [written([term]) for term in terms]
        phrase = f" {' '.join(said)} " if field == "body" else ""
        only = " and ".join(f"text_match({field}, '{term}')" for term in dict.fromkeys(said))
        rows = self._engine.rows(self._collection, only=only, give=("id", field))
        posts, standing = self._editions.standing(np.array([row["id"] for row in rows], np.int64))
        return frozenset(
            PostId(post) for post, stands, row in zip(posts.tolist(), standing.tolist(), rows, strict=True)
            if stands and phrase in f" {row[field]} "
        )  # fmt: skip

    def having(self, field: str, term: str) -> None:
        """Every post that holds a term is too much to ask of another machine."""

    def has_terms(self, text: str) -> bool:
        """Whether the text holds anything that can be looked up at all."""
        return bool(self._analyser.words(text) or self._analyser.exact(text))

    def document_frequency(self, term: str) -> int:
        """How many posts hold an analysed term in their body."""
        return self._terms.frequency("body", term)

    @cached_property
    def vocabulary(self) -> vocabulary.Vocabulary:
        """The words of the archive as they are written."""
        return vocabulary.read(self._folder / vocabulary.FILE)

    @cached_property
    def post_ids(self) -> Ids:
        """The ids of the posts it holds, in no order; reads the key of every row."""
        keys = np.array([row["id"] for row in self._engine.rows(self._collection)], np.int64)
        posts, standing = self._editions.standing(keys)
        return posts[standing]

    def __len__(self) -> int:
        return self._terms.posts

    def close(self) -> None:
        """Give the engine back; the index can't be used afterwards."""
        self._engine.close()

    def _query_terms(self, text: str) -> list[_Term]:
        """What the text asks and the index holds, rarest first."""
        words, exact = dict.fromkeys(self._analyser.words(text)), dict.fromkeys(self._analyser.exact(text))
        asked = [("body", word, 1.0) for word in words] + [("title", word, TITLE_BOOST) for word in words]
        asked += [("exact", token, EXACT_BOOST) for token in exact]
        held = [(n, *term) for term in asked if (n := self._terms.frequency(term[0], term[1]))]
        return [
            _Term(field, written([term]), boost * (math.log(self._terms.posts / (n + 1)) + 1))
            for n, field, term, boost in sorted(held)[: 2 * MAX_QUERY_TERMS]
        ]

    def _nominated(
        self, field: str, asked: str, limit: int, allowed: frozenset[PostId] | None, excluded: frozenset[PostId],
        where: Where | None,
    ) -> dict[PostId, Mapping[str, str]]:  # fmt: skip
        """The texts of the posts that this field finds best, those that stand and that the conditions allow."""
        only, fetch = milvus_conditions.only(where, allowed, excluded), min(MOST, limit * OVERFETCH)
        while True:
            found = self._engine.like_words(self._collection, field, asked, limit=fetch, only=only, give=FIELDS)
            kept = {post: row for post, row in self._standing(found)
                    if post not in excluded and (allowed is None or post in allowed)}  # fmt: skip
            if len(kept) >= limit or len(found) < fetch or fetch == MOST:
                return kept
            fetch = min(MOST, fetch * 5)

    def _standing(self, found: Sequence[Found]) -> Iterator[tuple[PostId, Mapping[str, str]]]:
        posts, standing = self._editions.standing(np.array([key for key, _, _ in found], np.int64))
        for post, stands, (_, _, row) in zip(posts.tolist(), standing.tolist(), found, strict=True):
            if stands:
                yield PostId(post), row

    def _scores(
        self, terms: Sequence[_Term], rows: Sequence[Mapping[str, str]]
    ) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """The BM25 (n,) of rows, exactly as the local index would give it."""
        split = {field: [row[field].split() for row in rows] for field in {term.field for term in terms}}
        lengths = {
            field: np.array([kept_length(len(said)) for said in held], np.uint32) for field, held in split.items()
        }
        docs, scores = np.arange(len(rows)), np.zeros(len(rows), np.float32)
        for term in terms:
            counts = np.array([said.count(term.term) for said in split[term.field]], np.uint16)
            block = Block(docs, counts, lengths[term.field])
            scores += bm25(block, term.weight, max(1e-9, self._terms.mean_length(term.field)))
        return scores


def _fitting(text: str) -> str:
    """Whole terms only, within what a text field holds."""
    if len(text.encode()) <= MAX_TEXT_BYTES:
        return text
    return text.encode()[:MAX_TEXT_BYTES].decode("utf-8", "ignore").rpartition(" ")[0]
