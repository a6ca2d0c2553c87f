"""Text of an answer → paragraphs and list items of plain words and citation numbers. Pure.

A model's text is never HTML nor Markdown here: its marks of emphasis are dropped, everything else is words.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

_MARKER = re.compile(r"\s*\[\[(\d{1,6})\]\]")
_UNFINISHED = re.compile(r"\s*\[(?:\[\d*\]?)?$")  # a marker whose end is still to come
_ITEM = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+(?=\S)")
_EMPHASIS = re.compile(r"\*{1,3}(?=\S)(.+?)(?<=\S)\*{1,3}|^#{1,6}\s+")


class Kind(StrEnum):
    """What a block of an answer is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    EXTRACT = "extract"  # a line that is only a quotation and its numbers


@dataclass(frozen=True, slots=True)
class Block:
    """One block: words (str) and citation numbers (int) in reading order."""

    kind: Kind
    parts: tuple[str | int, ...]


def blocks(text: str, cited: Collection[int]) -> tuple[Block, ...]:
    """The blocks of an answer; a number that is not cited disappears."""
    found: list[Block] = []
    for line in text.splitlines():
        item = _ITEM.match(line)
        words = line[item.end() :] if item else line
        parts = _parts(words, cited)
        if not parts:
            continue
        spoken = "".join(part for part in parts if isinstance(part, str)).strip()
        if item:
            kind = Kind.ITEM
        elif spoken.startswith("«") and spoken.endswith("»"):
            kind = Kind.EXTRACT
        else:
            kind = Kind.PARAGRAPH
        found.append(Block(kind, parts))
    return tuple(found)


def while_streaming(text: str) -> str:
    """The text so far as it may be shown before its markers are verified: `[[3]]` reads `[3]`."""
    return _UNFINISHED.sub("", _MARKER.sub(lambda marker: f"\u00a0[{marker[1]}]", text))


def _parts(line: str, cited: Collection[int]) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    end = 0
    for marker in _MARKER.finditer(line):
        parts.append(line[end : marker.start()])
        if int(marker[1]) in cited:
            parts.append(int(marker[1]))
        end = marker.end()
    parts.append(line[end:])
    plain = [_EMPHASIS.sub(r"\1", part) if isinstance(part, str) else part for part in parts]
    return () if all(isinstance(part, str) and not part.strip() for part in plain) else tuple(filter(None, plain))
