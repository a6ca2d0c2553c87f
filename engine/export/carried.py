"""Text written so that our readers of Discourse's JSON read it back as it is.

Those readers repair what migrations damaged ("&amp;eacute;" is read "&eacute;"), so that a text which was repaired once
can't be written as it stands: it would be repaired again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from html import escape

from ..discourse.cooked import parse
from ..discourse.plain_text import one_line


@lru_cache(maxsize=4096)
def line(text: str) -> str:
    """What to write for a name or a title."""
    return _first(text, iter((text, text.replace("&", "&amp;"))), one_line)


def description(text: str) -> str:
    """The HTML to write for a description that is held as text."""

    def ways() -> Iterator[str]:
        for spoken in (text, text.replace("&", "&amp;")):
            yield "".join(f"<p>{escape(part, quote=False)}</p>" for part in spoken.split("\n") if part)
            yield escape(spoken, quote=False).replace("\n", "<br>")

    return _first(text, ways(), lambda html: parse(html).text) if text else ""


def _first(text: str, ways: Iterator[str], read: Callable[[str], str]) -> str:
    """The first way of writing that is read back as the text; the first of all when none is."""
    tried = []
    for way in ways:
        if read(way) == text:
            return way
        tried.append(way)
    return tried[0]
