"""Keyword search: the only module that knows Whoosh.

One document a post with three fields (title, body, exact), scored by BM25F. Whoosh never sees a user's query
syntax and never analyses text: it is given the terms of `french.py` on both sides.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from pickle import dumps
from struct import pack
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh import fields, formats, index, query, scoring

from ..errors import IndexDamaged, IndexMissing
from ..values import PostId, Ranking
from .french import Analyser
from .passages import IndexablePost

NAME = "lexical"
TITLE_BOOST = 0.6  # measured, see docs/decisions/0006-fusion-by-measurement.md
EXACT_BOOST = 1.5  # a code or a size found as typed says more than its parts
MAX_QUERY_TERMS = 32  # rarest first; bounds the cost of a pasted page
WRITER_MEMORY_MB = 256


class TermList(fields.FieldType):  # type: ignore[misc]
    """A Whoosh field whose value is already a list of terms; positions are kept for phrases."""

    def __init__(self, *, scorable: bool = True) -> None:
        super().__init__(format=formats.Positions(), analyzer=None, scorable=scorable)

    def index(self, value: Sequence[str], **_kwargs: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        places: dict[str, list[int]] = {}
        for position, term in enumerate(value):
            places.setdefault(term, []).append(position)
        for term, positions in places.items():
            # The encoding of formats.Positions: a count, then the pickled gaps between positions.
            gaps = [b - a for a, b in zip([0, *positions], positions, strict=False)]
            yield term.encode(), len(gaps), float(len(gaps)), pack("!I", len(gaps)) + dumps(gaps, 2)


def build(
    folder: Path,
    posts: Iterable[IndexablePost],
    analyser: Analyser,
    *,
    on_post: Callable[[int], None] = lambda done: None,
) -> int:
    """Write a new index of the posts into an empty folder and return their number.

    `on_post` hears the count after each post and may raise to give up; the folder is then worthless.
    """
    folder.mkdir(parents=True)
    schema = fields.Schema(
        id=fields.NUMERIC(int, bits=64, unique=True, sortable=True),
        title=TermList(),
        body=TermList(),
        exact=TermList(),
    )
    writer = index.create_in(str(folder), schema).writer(limitmb=WRITER_MEMORY_MB, procs=1)
    done = 0
    title_of: tuple[str, list[str], list[str]] = ("", [], [])
    try:
        for post in posts:
            if post.title != title_of[0]:
                title_of = (post.title, analyser.words(post.title), analyser.exact(post.title))
            writer.add_document(
                id=post.id,
                title=title_of[1],
                body=analyser.words(post.body),
                exact=[*title_of[2], *analyser.exact(post.body)],
            )
            done += 1
            on_post(done)
        writer.commit(optimize=True)
    except BaseException:
        if not writer.is_closed:  # a commit that failed half-way has closed it
            writer.cancel()
        raise
    return done


class LexicalIndex:
    """An open keyword index; safe to use from several threads. Close it before removing its folder."""

    def __init__(self, folder: Path, analyser: Analyser) -> None:
        if not folder.is_dir():
            raise IndexMissing(part=NAME)
        self._analyser = analyser
        self._searchers: list[Any] = []
        self._local = threading.local()
        self._lock = threading.Lock()
        try:
            self._index = index.open_dir(str(folder))
            self.post_ids: NDArray[np.int64] = self._read_ids()
        except Exception as error:
            raise IndexDamaged(part=NAME, reason=repr(error)) from error
        order = np.argsort(self.post_ids)
        self._sorted_ids, self._sorted_docs = self.post_ids[order], order

    def rank(
        self,
        words: Sequence[str],
        *,
        limit: int,
        allowed: frozenset[PostId] | None = None,
        excluded: frozenset[PostId] = frozenset(),
    ) -> Ranking:
        """Posts that hold any of the words (raw text, analysed here), best first; conditions hold before ranking."""
        terms = self._query_terms(" ".join(words))
        if not terms:
            return Ranking(NAME, (), ())
        docs = None if allowed is None else self._docs(allowed)
        if docs is not None and not docs:
            return Ranking(NAME, (), ())  # Whoosh takes an empty filter for none at all
        found = self._searcher().search(
            query.Or([query.Term(field, term, boost=boost) for field, term, boost in terms]),
            limit=limit,
            filter=docs,
            mask=self._docs(excluded) if excluded else None,
        )
        pairs = sorted(
            ((float(score), PostId(int(self.post_ids[doc]))) for score, doc in found.top_n),
            key=lambda pair: (-pair[0], pair[1]),
        )
        return Ranking(NAME, tuple(post for _, post in pairs), tuple(score for score, _ in pairs))

    def matching(self, text: str, *, field: str = "body") -> frozenset[PostId] | None:
        """Posts that hold every term of a phrase side by side (`field` body) or anywhere (title).

        None when nothing of the text can be looked up (only stop words or punctuation).
        """
        words, exact = self._analyser.words(text), self._analyser.exact(text)
        parts: list[Any] = []
        if exact and not _is_plain(words):
            parts.append(query.And([query.Term("exact", term) for term in exact]))
        elif words and field == "body":
            parts.append(query.Phrase("body", words) if len(words) > 1 else query.Term("body", words[0]))
        elif words:
            parts.append(query.And([query.Term(field, word) for word in words]))
        elif exact:
            parts.append(query.And([query.Term("exact", term) for term in exact]))
        if not parts:
            return None
        docs = self._searcher().docs_for_query(parts[0])
        return frozenset(PostId(int(self.post_ids[doc])) for doc in docs)

    def has_terms(self, text: str) -> bool:
        """Whether the text holds anything that can be looked up at all."""
        return bool(self._analyser.words(text) or self._analyser.exact(text))

    def document_frequency(self, term: str) -> int:
        """How many posts hold an analysed term in their body."""
        return int(self._searcher().reader().doc_frequency("body", term.encode()))

    def __len__(self) -> int:
        return int(self._index.doc_count())

    def close(self) -> None:
        """Release the files; the index can't be used afterwards."""
        with self._lock:
            for searcher in self._searchers:
                searcher.close()
            self._searchers.clear()
        self._index.close()

    def _read_ids(self) -> NDArray[np.int64]:
        reader = self._index.reader()
        try:
            if not reader.doc_count_all():
                return np.zeros(0, np.int64)
            column = reader.column_reader("id")
            return np.fromiter((column[n] for n in range(reader.doc_count_all())), np.int64)
        finally:
            reader.close()

    def _searcher(self) -> Any:
        # One searcher a thread: Whoosh's readers keep file positions.
        searcher = getattr(self._local, "searcher", None)
        if searcher is None:
            searcher = self._local.searcher = self._index.searcher(weighting=scoring.BM25F())
            with self._lock:
                self._searchers.append(searcher)
        return searcher

    def _query_terms(self, text: str) -> list[tuple[str, str, float]]:
        words, exact = Counter(self._analyser.words(text)), set(self._analyser.exact(text))
        reader = self._searcher().reader()
        rare: list[tuple[int, str, str, float]] = []
        for term in words:
            frequency = reader.doc_frequency("body", term.encode())
            in_title = reader.doc_frequency("title", term.encode())
            if frequency:
                rare.append((frequency, "body", term, 1.0))
            if in_title:
                rare.append((in_title, "title", term, TITLE_BOOST))
        for term in exact:
            if frequency := reader.doc_frequency("exact", term.encode()):
                rare.append((frequency, "exact", term, EXACT_BOOST))
        return [(field, term, boost) for _, field, term, boost in sorted(rare)[: 2 * MAX_QUERY_TERMS]]

    def _docs(self, post_ids: frozenset[PostId]) -> set[int]:
        wanted = np.fromiter(post_ids, np.int64, len(post_ids))
        if not len(self._sorted_ids):
            return set()
        places = np.minimum(np.searchsorted(self._sorted_ids, wanted), len(self._sorted_ids) - 1)
        present = self._sorted_ids[places] == wanted
        return set(self._sorted_docs[places[present]].tolist())


def _is_plain(words: Sequence[str]) -> bool:
    # A quoted phrase of several ordinary words is a phrase even if it holds a code.
    return len(words) > 2
