"""The archive's own words as they are written, with the number of posts that hold each: what spelling is judged by.

A text file of a generation, made while the keyword index is built. Knows nothing of queries.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from .french import fold, split_apostrophes

FILE = "words.txt"
MIN_POSTS = 2  # a word of one post may be a misspelling itself
MIN_CHARS = 3


class Counting:
    """Counts words while posts go by."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, tokens: Iterable[str]) -> None:
        """The tokens of one post."""
        self._counts.update(set(tokens))

    def save(self, path: Path) -> None:
        """Write the words that several posts hold, most frequent first: "word<tab>posts" a line."""
        total: Counter[str] = Counter()
        for token, count in self._counts.items():
            for word in split_apostrophes(token):
                if len(word) >= MIN_CHARS and word.isalpha():
                    total[word] += count
        lines = [f"{word}\t{count}\n" for word, count in total.most_common() if count >= MIN_POSTS]
        path.write_text("".join(lines), "utf-8")


class Vocabulary:
    """Words and their number of posts, at least MIN_POSTS."""

    def __init__(self, posts: Mapping[str, int]) -> None:
        self._posts = posts

    def posts(self, word: str) -> int:
        """How many posts hold the word as it is written; 0 or 1 are both "hardly any"."""
        return self._posts.get(word, 0)

    def same_but_accents(self, word: str) -> str | None:
        """The most frequent word that differs by its accents at most; None when there is none."""
        return self._by_fold.get(fold(word))

    def held_by(self, posts: int) -> int:
        """How many words are held by at least so many posts: they stand first in `words` and `folded`."""
        return bisect_right(self.words, -posts, key=lambda word: -self._posts[word])

    @cached_property
    def words(self) -> list[str]:
        """All words, most frequent first."""
        return sorted(self._posts, key=lambda word: -self._posts[word])

    @cached_property
    def folded(self) -> list[str]:
        """The same words without accents, in the same order."""
        return [fold(word) for word in self.words]

    @cached_property
    def _by_fold(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for plain, word in zip(self.folded, self.words, strict=True):
            found.setdefault(plain, word)
        return found


def read(path: Path) -> Vocabulary:
    """The vocabulary of a generation; an empty one where its file is not there."""
    posts: dict[str, int] = {}
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            word, _, count = line.partition("\t")
            posts[word] = int(count)
    return Vocabulary(posts)
