"""Words of the language at large: one that an archive does not hold is not misspelt for all that."""

from __future__ import annotations

from collections.abc import Container
from functools import cache


@cache
def words(language: str) -> Container[str]:
    """The words of "fr" or "en" in lower case with their accents and inflections; proper names are not among them."""
    from spellchecker import SpellChecker  # reads its list of words

    found: Container[str] = SpellChecker(language=language).word_frequency.dictionary
    return found
