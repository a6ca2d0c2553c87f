"""Keyword search: with postings.py the only module that knows Whoosh.

One document a post with three fields (title, body, exact), scored by BM25. Whoosh never sees a user's query
syntax and never analyses text: it is given the terms of `french.py` on both sides. Every post that holds a term of the
question is scored, exactly, by arrays; Whoosh's own matchers are asked for phrases only.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh import columns, fields, index, query
from whoosh.reading import SegmentReader, TermNotFound

from ..errors import IndexDamaged, IndexMissing
from ..store.where import Where
from ..values import PostId, Ranking
from . import vocabulary
from .digests import Ids
from .french import Analyser, tokens
from .passages import IndexablePost
from .postings import Block, BlockCodec, TermList

NAME = "lexical"
FIELDS = ("title", "body", "exact")
K1, B = 1.2, 0.75  # the usual values
TITLE_BOOST = 0.6  # measured, see docs/decisions/0006-fusion-by-measurement.md
EXACT_BOOST = 1.5  # a code or a size found as typed says more than its parts
MAX_QUERY_TERMS = 32  # rarest first; bounds the cost of a pasted page
WRITER_MEMORY_MB = 256
SEARCHERS = 2  # at work at once: Python runs one at a time, and each maps the whole index
NEVER_HARD_LINKED = ("*_WRITELOCK",)  # every other file of a Whoosh folder is written once

OnPost = Callable[[int], None]


def build(
    folder: Path, posts: Iterable[IndexablePost], analyser: Analyser, *, on_post: OnPost = lambda done: None
) -> int:
    """Write a new index of the posts into an empty folder and return their number.

    `on_post` hears the count after each post and may raise to give up; the folder is then worthless.
    """
    folder.mkdir(parents=True)
    id_column = fields.COLUMN(columns.NumericColumn("q"))
    schema = fields.Schema(id=id_column, **{field: TermList() for field in FIELDS})
    written = vocabulary.Counting()
    with _writing(index.create_in(str(folder), schema)) as writer:
        done = _add(writer, posts, analyser, written, on_post)
        writer.commit()
    written.save(folder / vocabulary.FILE)
    return done


def update(
    folder: Path,
    outdated: Ids,
    posts: Iterable[IndexablePost],
    analyser: Analyser,
    *,
    on_post: OnPost = lambda done: None,
) -> None:
    """Take posts out of the index of a folder and add others (a changed post is both). No file is changed in place.

    The first build stays one segment with deletions, all that came since is a second one; the vocabulary stays too.
    """
    opened = index.open_dir(str(folder))
    with opened.reader() as reader:
        documents, alive = _documents(reader)
    gone = np.flatnonzero(alive & np.isin(documents, outdated))
    with _writing(opened) as writer:
        for document in gone.tolist():
            writer.delete_document(document)
        _add(writer, posts, analyser, vocabulary.Counting(), on_post)
        writer.commit(mergetype=_merge_later_segments)


@contextmanager
def _writing(opened: Any) -> Iterator[Any]:
    writer = opened.writer(limitmb=WRITER_MEMORY_MB, procs=1, codec=BlockCodec())
    try:
        yield writer
    except BaseException:
        if not writer.is_closed:  # a commit that failed half-way has closed it
            writer.cancel()
        raise
    finally:
        opened.close()


def _add(
    writer: Any, posts: Iterable[IndexablePost], analyser: Analyser, written: vocabulary.Counting, on_post: OnPost
) -> int:
    done = 0
    title_of: tuple[str, list[str], list[str]] = ("", [], [])
    for post in posts:
        if post.title != title_of[0]:
            title_of = (post.title, analyser.words(post.title), analyser.exact(post.title))
            written.add(tokens(post.title))
        words = tokens(post.body)
        written.add(words)
        writer.add_document(
            id=post.id,
            title=title_of[1],
            body=analyser.terms(words),
            exact=[*title_of[2], *analyser.exact(post.body)],
        )
        done += 1
        on_post(done)
    return done


def _merge_later_segments(writer: Any, segments: Sequence[Any]) -> list[Any]:
    """Whoosh's hook for merging: all but the largest segment become one with what was added."""
    first = max(segments, key=lambda segment: segment.doc_count_all(), default=None)
    for segment in segments:
        if segment is not first and segment.doc_count_all() > segment.deleted_count():
            with SegmentReader(writer.storage, writer.schema, segment) as reader:
                writer.add_reader(reader)
    return [] if first is None else [first]


class LexicalIndex:
    """An open keyword index; safe to use from several threads. Close it before removing its folder."""

    def __init__(self, folder: Path, analyser: Analyser) -> None:
        if not folder.is_dir():
            raise IndexMissing(part=NAME)
        self._analyser, self._folder = analyser, folder
        self._idle: list[Any] = []
        self._turn = threading.BoundedSemaphore(SEARCHERS)
        try:
            self._index = index.open_dir(str(folder))
            with self._index.reader() as reader:
                self._documents, self._alive = _documents(reader)
                self._posts = int(np.count_nonzero(self._alive))
                self._mean_length = {f: reader.field_length(f) / max(1, len(self._documents)) for f in FIELDS}
        except Exception as error:
            raise IndexDamaged(part=NAME, reason=repr(error)) from error

    @property
    def post_ids(self) -> Ids:
        """The ids of the posts it holds, in no order."""
        return self._documents[self._alive]

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
        scores = np.zeros(len(self._documents), np.float32)
        with self._searching() as searcher:
            reader = searcher.reader()
            for field, term, weight in self._query_terms(reader, " ".join(words)):
                for offset, block in _blocks(reader, field, term):
                    scores[block.docs + offset] += bm25(block, weight, self._mean_length[field])
        scores[~self._alive] = 0
        if allowed is not None:
            scores[~self._holds(allowed)] = 0
        if excluded:
            scores[self._holds(excluded)] = 0
        found = np.flatnonzero(scores)
        if len(found) > limit:
            found = found[scores[found] >= np.partition(scores[found], -limit)[-limit]]
        best = found[np.lexsort((self._documents[found], -scores[found]))[:limit]]
        return Ranking(NAME, tuple(map(PostId, self._documents[best].tolist())), tuple(scores[best].tolist()))

    def matching(self, text: str, *, field: str = "body") -> frozenset[PostId] | None:
        """Posts that hold every term of a phrase side by side (`field` body) or anywhere (title).

        None when nothing of the text can be looked up (only stop words or punctuation).
        """
        words, exact = self._analyser.words(text), self._analyser.exact(text)
        parts: list[Any] = []
        if exact and not is_plain(words):
            parts.append(query.And([query.Term("exact", term) for term in exact]))
        elif words and field == "body":
            parts.append(query.Phrase("body", words) if len(words) > 1 else query.Term("body", words[0]))
        elif words:
            parts.append(query.And([query.Term(field, word) for word in words]))
        elif exact:
            parts.append(query.And([query.Term("exact", term) for term in exact]))
        if not parts:
            return None
        with self._searching() as searcher:
            docs = np.fromiter(searcher.docs_for_query(parts[0]), np.int64)
        return frozenset(map(PostId, self._documents[docs].tolist()))

    def having(self, field: str, term: str) -> NDArray[np.bool_]:
        """For each of `post_ids`, whether that field of the post holds an analysed term."""
        found = np.zeros(len(self._documents), bool)
        with self._searching() as searcher:
            for offset, block in _blocks(searcher.reader(), field, term):
                found[block.docs + offset] = True
        return np.asarray(found[self._alive], bool)

    def has_terms(self, text: str) -> bool:
        """Whether the text holds anything that can be looked up at all."""
        return bool(self._analyser.words(text) or self._analyser.exact(text))

    def document_frequency(self, term: str) -> int:
        """How many posts hold an analysed term in their body."""
        with self._searching() as searcher:
            return int(searcher.reader().doc_frequency("body", term.encode()))

    @cached_property
    def vocabulary(self) -> vocabulary.Vocabulary:
        """The words of the archive as they are written."""
        return vocabulary.read(self._folder / vocabulary.FILE)

    def __len__(self) -> int:
        return self._posts

    def close(self) -> None:
        """Release the files; the index can't be used afterwards."""
        while self._idle:
            self._idle.pop().close()
        self._index.close()

    @contextmanager
    def _searching(self) -> Iterator[Any]:
        """A searcher for this thread alone: Whoosh's readers keep file positions."""
        with self._turn:
            searcher = self._idle.pop() if self._idle else self._index.searcher()
            try:
                yield searcher
            finally:
                self._idle.append(searcher)

    def _query_terms(self, reader: Any, text: str) -> list[tuple[str, str, float]]:
        """(field, term, weight) of what the text asks and the index holds, rarest first; weight is boost times idf."""
        words, exact = dict.fromkeys(self._analyser.words(text)), dict.fromkeys(self._analyser.exact(text))
        asked = [("body", word, 1.0) for word in words] + [("title", word, TITLE_BOOST) for word in words]
        asked += [("exact", token, EXACT_BOOST) for token in exact]
        held = [(n, *term) for term in asked if (n := int(reader.doc_frequency(term[0], term[1].encode())))]
        documents = len(self._documents)
        return [
            (field, term, boost * (math.log(documents / (n + 1)) + 1))
            for n, field, term, boost in sorted(held)[: 2 * MAX_QUERY_TERMS]
        ]

    def _holds(self, posts: frozenset[PostId]) -> NDArray[np.bool_]:
        """For each document, whether it is one of these posts."""
        return np.isin(self._documents, np.fromiter(posts, np.int64, len(posts)))


def bm25(block: Block, weight: float, mean_length: float) -> NDArray[np.float32]:
    """Okapi BM25 (n,) of one term in the posts of a block; `weight` is its idf and any boost.

    Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009. Whoosh keeps lengths in a byte: long ones are
    rounded.
    """
    counts, lengths = block.counts.astype(np.float32), block.lengths.astype(np.float32)
    saturated = counts / (counts + K1 * (1 - B + B / mean_length * lengths))
    return np.asarray(weight * (K1 + 1) * saturated, np.float32)


def _blocks(reader: Any, field: str, term: str) -> Iterator[tuple[int, Block]]:
    """The postings of a term, each block with what its segment adds to document numbers."""
    for leaf, offset in reader.leaf_readers():
        try:
            matcher = leaf.postings(field, term.encode())
        except TermNotFound:
            continue
        # Whoosh wraps the postings of a segment with deletions to leave those out one by one.
        for block in getattr(matcher, "child", matcher).blocks():
            yield offset, block


def _documents(reader: Any) -> tuple[Ids, NDArray[np.bool_]]:
    """The post of each document, and whether it still stands for it."""
    posts, alive = [np.zeros(0, np.int64)], np.ones(reader.doc_count_all(), bool)
    for leaf, offset in reader.leaf_readers():
        count = leaf.doc_count_all()
        if count:
            column = leaf.column_reader("id", translate=False)
            posts.append(np.fromiter((column[n] for n in range(count)), np.int64, count))
            alive[[offset + n for n in leaf.deleted_docs_set]] = False
    return np.concatenate(posts), alive


def is_plain(words: Sequence[str]) -> bool:
    """Whether these words of a phrase are enough to find it, whatever exact tokens it has beside them."""
    # A quoted phrase of several ordinary words is a phrase even if it holds a code.
    return len(words) > 2
