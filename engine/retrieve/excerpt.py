"""The piece of a post that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set

_WORD = re.compile(r"[\w'’+#-]+")
EXCERPT_CHARS = 280


def excerpt(text: str, terms: Set[str], analyse: Callable[[str], Sequence[str]], *, chars: int = EXCERPT_CHARS) -> str:
    """A slice of about `chars` characters, whole words, on one line, holding as many distinct terms as it can."""
    start, end = best_window(text, terms, analyse, chars=chars)
    line = " ".join(text[start:end].split())
    return ("… " if start > 0 else "") + line + (" …" if end < len(text) else "")


def best_window(
    text: str, terms: Set[str], analyse: Callable[[str], Sequence[str]], *, chars: int
) -> tuple[int, int]:
    """The slice (start, end) of at most about `chars` characters with the most distinct terms, the earliest of equals."""
    if len(text) <= chars:
        return 0, len(text)
    places = [
        (match.start(), match.end(), found)
        for match in _WORD.finditer(text)
        if (found := terms.intersection(analyse(match.group())))
    ]
    best, best_count = 0, 0
    for i, (start, _, _) in enumerate(places):
        seen: set[str] = set()
        for _, end, found in places[i:]:
            if end - start > chars:
                break
            seen |= found
        if len(seen) > best_count:
            best, best_count = start, len(seen)
        if best_count == len(terms):
            break
    # Some words before the first match, so that it can be read.
    start = _word_edge(text, max(0, min(best - chars // 5, len(text) - chars)))
    return start, _word_edge(text, min(len(text), start + chars))


def _word_edge(text: str, place: int) -> int:
    if place in (0, len(text)):
        return place
    space = text.find(" ", place, place + 40)
    return space + 1 if space >= 0 else place
