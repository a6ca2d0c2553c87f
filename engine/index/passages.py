"""Posts as the indexes see them: one lexical document a post, and windows of it for the vectors.

The post is the unit. Knows nothing about SQLite, Whoosh or Chroma.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..values import PostId

SEPARATOR = " › "
# Where a window may end, best first; a window never breaks a word unless the word is longer than it.
_ENDS = (re.compile(r"\n\n"), re.compile(r"[.!?…]\s|\n"), re.compile(r"\s"))


@dataclass(frozen=True, slots=True)
class IndexablePost:
    """What of a post goes into an index. `body` is the author's own words, then code and spoilers."""

    id: PostId
    title: str
    category: str
    tags: tuple[str, ...]
    body: str
    useful_chars: int

    @property
    def digest(self) -> int:
        """64 bits that change with anything an index is built from."""
        facts = repr((self.title, self.category, self.tags, self.body, self.useful_chars))
        return int.from_bytes(hashlib.blake2b(facts.encode("utf-8", "replace"), digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of one post and the text embedded for it: title › category › tags › slice."""

    post_id: PostId
    n: int
    text: str

    @property
    def key(self) -> bytes:
        """Sixteen bytes that name this text in the vector store, whatever post it stands in."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).digest()


def split(post: IndexablePost, *, window_chars: int, overlap_chars: int) -> Iterator[Passage]:
    """The passages of a post, one when it is short; none when it has no text."""
    head = SEPARATOR.join(part for part in (post.title, post.category, " ".join(post.tags)) if part)
    for n, (start, end) in enumerate(windows(post.body, window_chars, overlap_chars)):
        yield Passage(post.id, n, head + SEPARATOR + post.body[start:end])


def windows(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Slices (start, end) of at most `size` characters that cover the text, neighbours sharing about `overlap`.

    Ends fall on a paragraph, a sentence or a word in the last third of the window, in that preference.
    """
    start = 0
    while start < len(text):
        if len(text) - start <= size:
            if text[start:].strip():
                yield start, len(text)
            return
        end = _best_end(text, start + size - size // 3, start + size)
        yield start, end
        space = text.find(" ", max(start + 1, end - overlap), end)
        start = space + 1 if space >= 0 else end


def _best_end(text: str, low: int, high: int) -> int:
    for pattern in _ENDS:
        last = None
        for match in pattern.finditer(text, low, high):
            last = match
        if last is not None:
            return last.end()
    return high
