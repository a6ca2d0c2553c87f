"""Text of an answer → paragraphs and list items of plain words and citation numbers. Pure.

A model's text is never HTML nor Markdown here: its marks of emphasis are dropped, everything else is words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_MARKER = re.compile(r"\s*\[\[(\d{1,6})\]\]")
_UNFINISHED = re.compile(r"\s*\[(?:\[\d*\]?)?$")  # a marker whose end is still to come
_ITEM = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+(?=\S)")
# A line that is only a quotation, or one with who said it and when.
_EXTRACT = re.compile(r"«[^«»]*»(?: — [^«»]*)?$")
_START, _END = "\ue000", "\ue001"
_START_END = _START + _END
_MARKS = re.compile(f"({_START}\\d+{_START}|{_END})")
_EMPHASIS = re.compile(r"\*{1,3}(?=\S)(.+?)(?<=\S)\*{1,3}|^#{1,6}\s+")


class Kind(StrEnum):
    """What a block of an answer is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    EXTRACT = "extract"  # a line that is only a quotation and its numbers


@dataclass(frozen=True, slots=True)
class Doubted:
    """A sentence that its sources don't support: the number of its span, and what stands in it."""

    span: int
    parts: tuple[str | int, ...]


Part = str | int | Doubted


@dataclass(frozen=True, slots=True)
class Block:
    """One block: words (str), citation numbers (int) and doubted sentences in reading order."""

    kind: Kind
    parts: tuple[Part, ...]


def blocks(text: str, cited: Collection[int], doubted: Sequence[tuple[int, int]] = ()) -> tuple[Block, ...]:
    """The blocks of an answer; a number that is not cited disappears. `doubted` are spans of the text, within lines."""
    text = _bracketed(text, doubted)
    found: list[Block] = []
    for line in text.splitlines():
        item = _ITEM.match(line)
        words = line[item.end() :] if item else line
        parts = _parts(words, cited)
        if not parts:
            continue
        spoken = "".join(part for part in parts if isinstance(part, str)).strip(f" {_START_END}")
        if item:
            kind = Kind.ITEM
        elif _EXTRACT.match(spoken):
            kind = Kind.EXTRACT
        else:
            kind = Kind.PARAGRAPH
        found.append(Block(kind, tuple(_gathered(parts))))
    return tuple(found)


def while_streaming(text: str) -> str:
    """The text so far as it may be shown before its markers are verified: `[[3]]` reads `[3]`."""
    return _UNFINISHED.sub("", _MARKER.sub(lambda marker: f"\u00a0[{marker[1]}]", text))


def _bracketed(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with a mark at both ends of each span; no answer holds these characters, which are for private use."""
    for number, (start, end) in reversed(list(enumerate(spans))):
        text = f"{text[:start]}{_START}{number}{_START}{text[start:end]}{_END}{text[end:]}"
    return text


def _gathered(parts: Iterable[str | int]) -> Iterator[Part]:
    span: int | None = None
    inside: list[str | int] = []
    for part in parts:
        for piece in _MARKS.split(part) if isinstance(part, str) else (part,):
            if isinstance(piece, str) and piece.startswith(_START):
                span = int(piece.strip(_START))
            elif piece == _END:
                yield Doubted(span or 0, tuple(inside))
                span, inside = None, []
            elif piece != "":
                if span is None:
                    yield piece
                else:
                    inside.append(piece)
    yield from inside


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
