"""PostgreSQL's COPY text, as pg_dump writes it: blocks, rows, fields. Nothing is ever executed.

Knows nothing about Discourse: a caller names the tables and columns it may see, and no other value is
ever decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..sources import Flaw, Position
from .backup import TOO_LONG, Dump, DumpCutError

NULL = b"\\N"
MAX_COLUMNS = 10_000  # PostgreSQL itself stops at 1,600
LINES_BETWEEN_POSITIONS = 512

_HEADER = re.compile(rb'COPY (?:(?:"?public"?)\.)?(?:"([^"]+)"|([A-Za-z_][\w$]*)) \((.*)\) FROM stdin;')
_ANY_HEADER = re.compile(rb"COPY .* FROM stdin;")
_COLUMN = re.compile(rb'\s*(?:"((?:[^"]|"")*)"|([^",\s]+))\s*(?:,|$)')
_ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.)|$)", re.DOTALL)
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_END_OF_DUMP = b"-- PostgreSQL database dump complete"


class Block(NamedTuple):
    """The header of a table, wanted or not."""

    table: str
    columns: tuple[str, ...]


class End(NamedTuple):
    """The end mark of a table's rows: they were all there."""

    table: str


class Row(NamedTuple):
    """One row: the wanted columns in the wanted order, raw; NULL where null or missing."""

    table: str
    number: int
    fields: tuple[bytes, ...]


class BadRow(NamedTuple):
    """A row that has not as many fields as its table has columns, or that is too long; `code` is that of a flaw."""

    table: str
    number: int
    code: str = "bad_row"


@dataclass(frozen=True, slots=True)
class _Header:
    table: str
    columns: tuple[str, ...]


_FOREIGN = _Header("other", ())  # of another schema: a table of ours may have a namesake there

CopyItem = Block | End | Row | BadRow | Flaw | Position


def rows(
    dump: Dump,
    wanted: Mapping[str, tuple[str, ...]],
    *,
    position: Callable[[], Position],
    check: Callable[[], None],
) -> Iterator[CopyItem]:
    """Blocks and rows of the `wanted` tables (name → columns), in the order of the file.

    Ends with a fatal Flaw where the dump is cut: in the middle of a block, or before pg_dump's last line.
    """
    where, lines, complete = "start", 0, False
    try:
        while line := dump.line():
            lines += 1
            if lines % LINES_BETWEEN_POSITIONS == 0:
                check()
                yield position()
            if not line.startswith(b"COPY "):
                complete = complete or line.startswith(_END_OF_DUMP)
                continue
            if not _ANY_HEADER.match(line):
                continue
            header = _header(line)
            if isinstance(header, Flaw):
                yield header
                header = _FOREIGN
            where = header.table
            yield from _block(dump, header, wanted.get(header.table), position=position, check=check)
    except DumpCutError as cut:
        yield Flaw(cut.code, cut.where or where, fatal=True)
        return
    if not complete:
        yield Flaw("truncated", where, fatal=True)


def _block(
    dump: Dump,
    header: _Header,
    columns: tuple[str, ...] | None,
    *,
    position: Callable[[], Position],
    check: Callable[[], None],
) -> Iterator[CopyItem]:
    """The rows under one header, up to its end mark; passed over when `columns` is None."""
    yield Block(header.table, header.columns)
    pick = _picker(header.columns, columns or ())
    width, number = len(header.columns), 0
    try:
        while line := dump.line():
            if line[:2] == b"\\." and line.rstrip(b"\r\n") == b"\\.":
                yield End(header.table)
                return
            if line == TOO_LONG:
                number += 1
                if columns is not None:
                    yield BadRow(header.table, number, "line_too_long")
                continue
            if line[-1:] != b"\n":  # the last line of a cut file: its last field may be a half
                break
            number += 1
            if number % LINES_BETWEEN_POSITIONS == 0:
                check()
                yield position()
            if columns is None:
                continue
            if line.count(b"\t") != width - 1:  # counted before anything is cut into a million pieces
                yield BadRow(header.table, number)
                continue
            fields = line.rstrip(b"\r\n").split(b"\t")
            fields.append(NULL)
            yield Row(header.table, number, tuple([fields[index] for index in pick]))
    except DumpCutError as cut:
        raise DumpCutError(cut.code, f"{header.table}:{number}") from cut
    raise DumpCutError("truncated", f"{header.table}:{number}")


def text(field: bytes) -> str | None:
    """A field as text, None when null; bytes that are not UTF-8 are replaced by U+FFFD."""
    if b"\\" in field:
        if field == NULL:
            return None
        field = unescape(field)
    return field.decode("utf-8", "replace")


def unescape(field: bytes) -> bytes:
    """The bytes that an escaped field stands for (PostgreSQL documentation, COPY, "Text Format")."""
    if b"\\\\" not in field:  # then each backslash begins an escape, and most are ends of lines
        field = field.replace(b"\\n", b"\n").replace(b"\\t", b"\t").replace(b"\\r", b"\r")
        if b"\\" not in field:
            return field
    return _ESCAPE.sub(_read_escape, field)


def escape(value: bytes) -> bytes:
    """What COPY writes for these bytes; the inverse of `unescape`."""
    value = value.replace(b"\\", b"\\\\")
    for letter, byte in _LETTERS.items():
        value = value.replace(byte, b"\\" + letter)
    return value


def _read_escape(match: re.Match[bytes]) -> bytes:
    hexadecimal, octal, letter = match.groups()
    if hexadecimal is not None:
        return bytes([int(hexadecimal, 16)])
    if octal is not None:
        return bytes([int(octal, 8) & 0xFF])
    return _LETTERS.get(letter, letter) if letter is not None else b"\\"


def _header(line: bytes) -> _Header | Flaw:
    """The table and columns that a COPY line announces."""
    match = _HEADER.fullmatch(line.rstrip(b"\r\n"))
    if match is None:
        return _FOREIGN
    table = (match[1] or match[2]).decode("utf-8", "replace")
    if match[3].count(b",") >= MAX_COLUMNS:
        return Flaw("too_many_columns", table)
    columns = [
        (quoted.replace(b'""', b'"') or plain).decode("utf-8", "replace") for quoted, plain in _COLUMN.findall(match[3])
    ]
    return _Header(table, tuple(columns))


def _picker(present: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[int, ...]:
    """Where each wanted column stands; a missing one is read past the end, where a NULL is put."""
    return tuple(present.index(column) if column in present else len(present) for column in wanted)
