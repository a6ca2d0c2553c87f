"""What only an erased post says: its passages of twenty characters that stand in no other message of the archive."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

SIZE = 20  # characters
MOST = 100_000  # fragments that are looked for; of more text every second, third… is taken


class Fragments:
    """Passages of erased texts, less those that others turn out to say as well."""

    def __init__(self, texts: Iterable[str]) -> None:
        found = dict.fromkeys(passage for text in texts for passage in passages(text))
        every = len(found) // MOST + 1
        self._left = dict.fromkeys([*found][::every])
        self.shared = 0

    def __bool__(self) -> bool:
        return bool(self._left)

    def spare(self, text: str) -> None:
        """Somebody else says this too: it can't tell that something of an erased post is left."""
        for passage in passages(text):
            if passage in self._left:
                del self._left[passage]
                self.shared += 1

    def stand_in(self, text: str) -> bool:
        """Whether a text, in the form of `quotes.lines`, says something that only an erased post says."""
        return any(passage in self._left for passage in passages(text))

    def all(self) -> tuple[str, ...]:
        """Those that are left."""
        return tuple(self._left)


def passages(text: str) -> Iterator[str]:
    """Every run of twenty characters of each line, in lower case, a space between words."""
    for line in unicodedata.normalize("NFC", text).splitlines():
        said = " ".join(line.split()).lower()
        for start in range(len(said) - SIZE + 1):
            yield said[start : start + SIZE]
