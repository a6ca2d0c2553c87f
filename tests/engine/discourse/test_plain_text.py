"""Lines, spaces, titles and names."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.discourse.plain_text import BLOCK, lay_out, nfc, one_line, remove_controls, verbatim


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        (f"un{BLOCK}{BLOCK}deux", "un\ndeux"),
        (f"un\n{BLOCK}\n\ndeux", "un\ndeux"),
        ("un\n\n\n\ndeux", "un\n\ndeux"),
        ("\n\n un \u2003 mot \n", "un mot"),
        (BLOCK * 3, ""),
    ],
)
def test_blocks_and_breaks_become_lines(marked, text):
    assert lay_out(marked) == text


@given(st.text())
def test_laying_out_twice_changes_nothing(text):
    assert lay_out(lay_out(text)) == lay_out(text)


@given(st.text())
def test_removing_controls_twice_changes_nothing(text):
    assert remove_controls(remove_controls(text)) == remove_controls(text)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  Un\ttitre\n ", "Un titre"),
        ("L$rsquo;&eacute;t&#233; &amp; l&rsquo;hiver", "L’été & l’hiver"),
        ("Prix en $ et <b>", "Prix en $ et <b>"),
        ("al\u202eice\x00", "alice"),
        ("Chloe\u0301", "Chloé"),
    ],
)
def test_titles_and_names_are_one_clean_line(raw, clean):
    assert one_line(raw) == clean
    assert unicodedata.is_normalized("NFC", one_line(raw))


def test_marks_by_the_thousand_are_sorted_in_groups():
    found = nfc("e" + "\u0301\u0323" * 100)
    assert found.replace("\u034f", "") == unicodedata.normalize("NFC", found).replace("\u034f", "")
    assert len(found) < 220 and found.count("\u034f") == 6 and nfc(found) == found
    assert nfc("e\u0301" + "─" * 80 + "🙂" * 50) == "é" + "─" * 80 + "🙂" * 50


def test_a_title_without_end_is_cut():
    assert len(one_line("mot " * 1_000_000)) <= 1000


def test_code_keeps_its_lines():
    assert verbatim("\n\n  a\n\n\n\tb \n") == "  a\n\n\n\tb"
