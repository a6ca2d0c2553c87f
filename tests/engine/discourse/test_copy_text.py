"""COPY text: escapes, headers in both dialects, ends of blocks."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.discourse import copy_text
from engine.discourse.backup import Dump
from engine.discourse.copy_text import BadRow, Block, End, Row, rows, text, unescape
from engine.sources import Flaw, Position

COMPLETE = b"-- PostgreSQL database dump complete\n"


def read(lines: Iterable[bytes], wanted, check=lambda: None):
    source = iter(lines)
    dump = Dump(line=lambda: next(source, b""), position=lambda: 0)
    return list(rows(dump, wanted, position=lambda: Position(0, 1), check=check))


@given(st.binary())
def test_unescaping_undoes_escaping(value):
    escaped = copy_text.escape(value)
    assert b"\n" not in escaped and b"\t" not in escaped
    assert unescape(escaped) == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (rb"a\nb\tc\rd", b"a\nb\tc\rd"),
        (rb"\b\f\v", b"\b\f\v"),
        (rb"C:\\n", rb"C:\n"),
        (rb"\\\\", rb"\\"),
        (rb"\\N", rb"\N"),
        (rb"\101\12", b"A\n"),
        (rb"\777", b"\xff"),
        (rb"\x41\x4", b"A\x04"),
        (rb"\xZ", b"xZ"),
        (rb"\q", b"q"),
        (b"fin\\", b"fin\\"),
        (rb"\303\251t\303\251", "été".encode()),
    ],
)
def test_each_escape_of_the_documentation_is_read(field, value):
    assert unescape(field) == value


def test_null_is_not_the_word_for_it():
    assert text(rb"\N") is None
    assert text(rb"\\N") == r"\N"
    assert text(b"") == ""


def test_bytes_that_are_not_utf8_are_replaced():
    assert text(b"caf\xe9 noir") == "caf\ufffd noir"


@pytest.mark.parametrize(
    "header",
    [
        b"COPY t (b, a) FROM stdin;\n",
        b"COPY public.t (b, a) FROM stdin;\n",
        b'COPY "public"."t" ("b", "a") FROM stdin;\r\n',
    ],
)
def test_columns_are_found_by_name_whatever_the_dialect(header):
    found = read([header, b"2\t1\n", b"\\.\n", COMPLETE], {"t": ("a", "c", "b")})
    assert found == [Block("t", ("b", "a")), Row("t", 1, (b"1", rb"\N", b"2")), End("t")]


def test_quoted_column_names_may_hold_commas_and_quotes():
    found = read([b'COPY t ("a, ""b""", c) FROM stdin;\n', b"1\t2\n", b"\\.\n", COMPLETE], {"t": ('a, "b"',)})
    assert found[1] == Row("t", 1, (b"1",))


def test_tables_of_another_schema_and_unwanted_ones_are_passed_over():
    lines = [
        b"COPY backup.t (a) FROM stdin;\n", b"9\n", b"\\.\n",
        b"COPY public.other (a) FROM stdin;\n", b"8\n", b"\\.\n", COMPLETE,
    ]  # fmt: skip
    assert [item for item in read(lines, {"t": ("a",)}) if not isinstance(item, Block | End)] == []


def test_meta_commands_and_statements_are_never_more_than_lines():
    lines = [
        b"\\restrict abc\n",
        b"\\connect x\n",
        b"\\! rm -rf /\n",
        b"DROP TABLE t;\n",
        b"COPY t FROM 'x';\n",
    ]
    assert read([*lines, COMPLETE], {"t": ("a",)}) == []


def test_a_row_with_another_number_of_fields_is_bad():
    found = read([b"COPY t (a, b) FROM stdin;\n", b"1\n", b"1\t2\t3\n", b"1\t2\n", b"\\.\n", COMPLETE], {"t": ("a",)})
    assert found[1:-1] == [BadRow("t", 1), BadRow("t", 2), Row("t", 3, (b"1",))]


def test_a_block_without_its_end_mark_is_a_fatal_flaw_after_its_last_whole_row():
    found = read([b"COPY t (a) FROM stdin;\n", b"1\n", b"2"], {"t": ("a",)})
    assert found[1:] == [Row("t", 1, (b"1",)), Flaw("truncated", "t:1", fatal=True)]


def test_a_dump_without_its_last_line_is_truncated():
    assert read([b"COPY t (a) FROM stdin;\n", b"\\.\n"], {})[-1] == Flaw("truncated", "t", fatal=True)


def test_a_header_of_too_many_columns_is_a_flaw_and_its_rows_are_passed_over():
    header = b"COPY t (" + b", ".join(b"a%d" % i for i in range(copy_text.MAX_COLUMNS + 1)) + b") FROM stdin;\n"
    found = read([header, b"1\n", b"\\.\n", COMPLETE], {"t": ("a1",)})
    assert found[0] == Flaw("too_many_columns", "t")
    assert not any(isinstance(item, Row | BadRow) for item in found)


def test_the_check_is_called_while_rows_are_passed_over():
    calls = []
    many = [b"COPY t (a) FROM stdin;\n", *[b"1\n"] * 2000, b"\\.\n", COMPLETE]
    found = read(many, {}, check=lambda: calls.append(1))
    assert len(calls) == 2000 // copy_text.LINES_BETWEEN_POSITIONS
    assert found.count(Position(0, 1)) == len(calls)
