"""The searched words inside an excerpt, as escaped HTML with `mark`. Knows nothing about NiceGUI."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from html import escape

from engine import Query

Analyse = Callable[[str], Sequence[str]]  # the archive's own analysis: what matched is what is marked
_WORD = re.compile(r"[\w'’+#-]+")


def terms_of(query: Query, analyse: Analyse) -> frozenset[str]:
    """The terms that a result may show: of the words, the phrases and the title operator."""
    return frozenset(analyse(" ".join((*query.words, *query.phrases, *query.titles))))


def marked(text: str, terms: Set[str], analyse: Analyse) -> str:
    """The text escaped, each word that carries one of the terms inside `<mark>`."""
    written: list[str] = []
    end = 0
    for word in _WORD.finditer(text) if terms else ():
        if terms.isdisjoint(analyse(word.group())):
            continue
        written += [escape(text[end : word.start()]), f"<mark>{escape(word.group())}</mark>"]
        end = word.end()
    return "".join(written) + escape(text[end:])
