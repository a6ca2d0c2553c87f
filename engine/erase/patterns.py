"""The texts that a pattern stands for: itself, or all that a regular expression finds in the archive."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import ErasureRefused
from .decoding import view
from .redact import WORD

MOST = 10_000  # texts that one expression may find; more is a mistake


def compiled(pattern: str) -> re.Pattern[str] | None:
    """The expression between slashes, None for a plain text. Raises ErasureRefused."""
    if len(pattern) < 3 or not (pattern.startswith("/") and pattern.endswith("/")):
        if not WORD.search(pattern):
            raise ErasureRefused(reason="no_word", value=pattern)
        return None
    try:
        found = re.compile(pattern[1:-1], re.IGNORECASE)
    except re.error as error:
        raise ErasureRefused(reason="expression", value=pattern, cause=str(error)) from error
    if found.match(""):
        raise ErasureRefused(reason="too_much", value=pattern)
    return found


def literals(expression: re.Pattern[str], texts: Iterable[str], found: set[str]) -> None:
    """Add what the expression finds, made longer to whole words: the list knows nothing smaller."""
    for text in texts:
        seen = view(text).text
        for match in expression.finditer(seen):
            start, end = match.span()
            while start > 0 and WORD.match(seen[start - 1]) and WORD.match(seen[start]):
                start -= 1
            while end < len(seen) and WORD.match(seen[end]) and WORD.match(seen[end - 1]):
                end += 1
            if WORD.search(seen[start:end]):
                found.add(" ".join(seen[start:end].split()))
        if len(found) > MOST:
            raise ErasureRefused(reason="too_much", value=f"/{expression.pattern}/")
