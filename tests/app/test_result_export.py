"""Exported results: read back whole, and whatever the texts nothing is computed or rendered."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app import i18n
from app.result_export import BOM, address, as_csv, as_markdown, cell
from engine import Hit

HIT = Hit(
    rank=1, post_id=12, topic_id=1, post_number=2, url="https://forum.exemple/t/régler/1/2", path="/t/régler/1/2",
    title="Régler des freins", category="Freins & câbles", author="alice", score=1.0,
    created_at=datetime(2014, 3, 2, 12, tzinfo=UTC), excerpt="Il faut poncer ; puis orienter.", contributions=(),
)  # fmt: skip
ANY = st.text(max_size=60)


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")


def lines(written):
    text = written.decode("utf-8")
    assert text.startswith(BOM)
    return list(csv.reader(io.StringIO(text.removeprefix(BOM), newline=""), delimiter=";"))


def test_a_table_has_a_line_a_result():
    head, line = lines(as_csv([HIT]))
    assert len(head) == len(line) == 7
    assert line == ["1", HIT.title, HIT.category, "alice", "2014-03-02", HIT.url, HIT.excerpt]


@pytest.mark.parametrize(
    "text", ["=1+1", "+33 6", "-2", "@SUM(A1)", "\t=1", "\r\n=1", " =1", "＝1", '=cmd|"/c calc"!A1']
)
def test_no_cell_starts_a_formula(text):
    assert cell(text).startswith("'")
    ((_head), line) = lines(as_csv([replace(HIT, title=text, author=text, excerpt=text)]))
    assert all(line[n].startswith("'") for n in (1, 3, 6))


@given(title=ANY, author=ANY, excerpt=ANY)
def test_a_table_keeps_its_shape_whatever_the_texts(title, author, excerpt):
    found = lines(as_csv([replace(HIT, title=title, author=author, excerpt=excerpt)] * 2))
    assert [len(line) for line in found] == [7, 7, 7]
    assert not [c for line in found for c in line if c.startswith(tuple("=+-@＝＋－＠\t\r\n"))]


@given(title=ANY, author=ANY, excerpt=ANY)
def test_markdown_renders_the_texts_as_text(title, author, excerpt):
    written = as_markdown([replace(HIT, title=title, author=author, excerpt=excerpt)], title=title).decode("utf-8")
    tokens = MarkdownIt().parse(written)
    inline = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in inline} <= {"text", "link_open", "link_close", "softbreak", "text_special"}
    assert [t.attrGet("href") for t in inline if t.type == "link_open"] == ["https://forum.exemple/t/r%C3%A9gler/1/2"]
    assert not [token for token in tokens if token.type in ("html_block", "code_block", "fence", "hr", "table_open")]


def test_an_address_can_not_end_its_link():
    assert address("https://f.exemple/t/a)b>c d/1") == "https://f.exemple/t/a%29b%3Ec%20d/1"
