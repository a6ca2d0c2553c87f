"""A text as a reader sees it, with the place of each character in what is written: « &eacute; » and « %C3%A9 »."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass
from urllib.parse import unquote

_ESCAPE = re.compile(
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});|(?:%[0-9a-fA-F]{2}){1,64}"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """`text` decoded from `source`; each mark is an escape: its start and length in text, start and end in source."""

    source: str
    text: str
    marks: tuple[tuple[int, int, int, int], ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the source that a part of the text was decoded from; an escape is never cut."""
        return self._place(start, last=False), self._place(end, last=True)

    def _place(self, at: int, *, last: bool) -> int:
        n = bisect_right(self.marks, (at, -1, 0, 0)) if last else bisect_right(self.marks, (at, 1 << 30, 0, 0))
        if not n:
            return at
        start, length, source_start, source_end = self.marks[n - 1]
        if at >= start + length:
            return source_end + at - start - length
        return source_end if last else source_start


def view(source: str) -> View:
    """Decode the HTML entities and percent signs of a text, once: what is escaped twice stays."""
    if "&" not in source and "%" not in source:
        return View(source, source)
    pieces: list[str] = []
    marks: list[tuple[int, int, int, int]] = []
    done = length = 0
    for found in _ESCAPE.finditer(source):
        decoded = _decoded(found[0])
        if decoded is None:
            continue
        pieces += (source[done : found.start()], decoded)
        length += found.start() - done
        marks.append((length, len(decoded), *found.span()))
        length += len(decoded)
        done = found.end()
    pieces.append(source[done:])
    return View(source, "".join(pieces), tuple(marks))


def _decoded(escape: str) -> str | None:
    if escape.startswith("&"):
        decoded = html.unescape(escape)
        return None if decoded == escape else decoded
    try:
        return unquote(escape, errors="strict")
    except UnicodeDecodeError:
        return None
