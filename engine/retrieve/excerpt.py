"""The piece of a post that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

_WORD = re.compile(r"[\w'’+#-]+")
EXCERPT_CHARS = 280


def excerpt(
    text: str, terms: AbstractSet[str], analyse: Callable[[str], Sequence[str]], *, chars: int = EXCERPT_CHARS
) -> str:
    """A slice of about `chars` characters, whole words, on one line, holding as many distinct terms as it can."""
    start, end = best_window(text, terms, analyse, chars=chars)
    line = " ".join(text[start:end].split())
    return ("… " if start > 0 else "") + line + (" …" if end < len(text) else "")


def best_window(
    text: str, terms: AbstractSet[str], analyse: Callable[[str], Sequence[str]], *, chars: int
) -> tuple[int, int]:
    """The slice (start, end) of at most `chars` characters with the most distinct terms, the earliest of equals."""
    if len(text) <= chars:
        return 0, len(text)
    places = [
        (match.start(), match.end(), found)
        for match in _WORD.finditer(text)
        if (found := terms & set(analyse(match.group())))
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
    # Some words before the first match, so that it can be read; whole words at both ends.
    start = max(0, min(best - chars // 5, len(text) - chars))
    if start:
        space = text.find(" ", start, start + 40)
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + chars)
    if end < len(text):
        space = text.rfind(" ", max(start, end - 40), end)
        end = space if space >= 0 else end
    return start, end
