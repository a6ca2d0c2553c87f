"""How often each analysed term occurs in an archive: what BM25 weighs a word by, kept beside a generation.

An engine elsewhere nominates posts; they are scored here, by the formula of the local index and with these numbers, so
that scores mean the same wherever the posts are looked for. As in the local index, what left since the index was built
whole still counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import IndexDamaged

FIELDS = ("title", "body", "exact")
_WHOLE = ""  # stands for a field as a whole: the number of its terms


class Terms:
    """By field, how many posts hold each term, and how many terms there are; and the number of posts."""

    def __init__(self) -> None:
        self.posts = 0
        self._held: Mapping[str, Counter[str]] = {field: Counter() for field in FIELDS}
        self._length = dict.fromkeys(FIELDS, 0)

    def add(self, fields: Mapping[str, Sequence[str]]) -> None:
        """One post: the terms of its fields."""
        self.posts += 1
        for field in FIELDS:
            self._held[field].update(set(fields[field]))
            self._length[field] += len(fields[field])

    def frequency(self, field: str, term: str) -> int:
        """How many posts hold a term in that field."""
        return self._held[field].get(term, 0)

    def mean_length(self, field: str) -> float:
        """Terms of that field in a post."""
        return self._length[field] / max(1, self.posts)

    def save(self, path: Path) -> None:
        """A text file: the number of posts; then, for each field, its length and its terms, "term<tab>posts"."""
        with path.open("w", encoding="utf-8") as file:
            file.write(f"{self.posts}\n")
            for field in FIELDS:
                file.write(f"{_WHOLE}\t{self._length[field]}\n")
                file.writelines(f"{term}\t{count}\n" for term, count in self._held[field].items())

    @classmethod
    def load(cls, path: Path) -> Terms:
        """What `save` wrote. Raises IndexDamaged."""
        found, fields, held = cls(), iter(FIELDS), Counter[str]()
        try:
            with path.open(encoding="utf-8") as file:
                found.posts = int(next(file))
                for line in file:
                    term, _, count = line.rpartition("\t")
                    if term == _WHOLE:
                        field = next(fields)
                        held, found._length[field] = found._held[field], int(count)
                    else:
                        held[term] = int(count)
        except (OSError, ValueError, StopIteration) as error:
            raise IndexDamaged(part="terms", reason=repr(error)) from error
        if next(fields, None) is not None:
            raise IndexDamaged(part="terms", reason="short")
        return found
