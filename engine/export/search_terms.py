"""The terms of a static archive's search: the words of `index/french.py`, folded but not stemmed.

The script of the search page (assets/export/search.js) does the same to what is typed, with the tables given here;
words that only differ by their end meet there, by prefix. A test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..index.french import ELISIONS, ENGLISH_STOP, FRENCH_STOP, WHOLE, fold, split_apostrophes, tokens

MAX_CHARS = 40  # longer "words" are addresses and keyboard mashing


def terms(text: str, language: str) -> list[str]:
    """The terms of a text in order."""
    return [term for token in tokens(text) for term in _of(token, language)]


def tables(language: str) -> dict[str, object]:
    """What the script needs to make the same of a text."""
    french = language == "fr"
    return {
        "elisions": sorted(ELISIONS) if french else [],
        "whole": sorted(WHOLE.items()) if french else [],
        "stop": sorted(FRENCH_STOP if french else ENGLISH_STOP),
        "possessive": not french,
        "max": MAX_CHARS,
    }


def shard(term: str) -> str:
    """The name of the file that holds a term: its two first letters, spelt out where a file's name can't hold them."""
    start = term[:2]
    return start if start.isascii() and start.isalnum() else "x" + "-".join(f"{ord(c):x}" for c in start)


@lru_cache(maxsize=200_000)
def _of(token: str, language: str) -> tuple[str, ...]:
    if "." in token or "," in token:  # a decimal
        return (token.replace(".", ","),)
    french = language == "fr"
    words: Iterable[str] = split_apostrophes(token) if french else (token.removesuffix("'s").replace("'", ""),)
    stop = FRENCH_STOP if french else ENGLISH_STOP
    kept = (word for word in words if word and word not in stop and (len(word) > 1 or word.isdigit()))
    return tuple(folded for word in kept if len(folded := fold(word)) <= MAX_CHARS)
