"""Quantities of French texts: numbers in figures and words, units, and which ones tell the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.figures import find, same_number, tells


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1 200 €, 1\u202f200 €, 1200 euros, douze cents euros, mille deux cents euros", [1200.0] * 5),
        ("3,5 ou 3.5", [3.5, 3.5]),
        ("quatre-vingt-dix, soixante et onze, vingt et un, dix-sept", [90.0, 71.0, 21.0, 17.0]),
        ("deux mille trois cents et trois cent trois mille", [2300.0, 303000.0]),
        ("une dizaine, trois douzaines, une centaine", [10.0, 36.0, 100.0]),
        ("la moitié, un tiers, les trois quarts, 3/4", [0.5, 1 / 3, 0.75, 0.75]),
        ("9 h 10, 9h10, 9:10", [550.0] * 3),
        ("deux ans et demi", [2.5]),
        ("700x28 et 130 x 90", [700.0, 28.0, 130.0, 90.0]),
        ("F-650B, 7K, 2e, 1er", []),
    ],
)
def test_numbers(text: str, values: list[float]) -> None:
    assert [figure.values[0] for figure in find(text)] == pytest.approx(values)


def test_three_digits_after_a_dot_have_two_readings() -> None:
    assert [figure.values for figure in find("2.090 et 0,125")] == [(2.09, 2090.0), (0.125,)]


def test_a_range_and_a_product_share_the_unit_at_their_end() -> None:
    assert [(f.values[0], f.kind, f.worth) for f in find("de 5,5 à 6,2 bars, puis 130 x 90 cm")] == [
        (5.5, "pressure", 1.0), (6.2, "pressure", 1.0), (130.0, "length", 0.01), (90.0, "length", 0.01),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("claimed", "held", "supported"),
    [
        ("1,2 m", "120 cm", True),
        ("1,2 m", "120 mm", False),
        ("1500 g", "1,5 kg", True),
        ("90 minutes", "1 h 30", True),
        ("24 mois", "deux ans", True),
        ("trente jours", "un mois", True),
        ("trois jours", "trois heures", False),
        ("20 $", "20 €", False),
        ("50 %", "la moitié", True),
        ("un tiers", "33 %", True),
        ("4712 habitants", "4719 habitants", False),
        ("environ 300 €", "299,90 €", True),
        ("environ 317 €", "299,90 €", False),
        ("plus de 2 300 euros", "2316 €", True),
        ("moins de 2 300 euros", "2316 €", False),
        ("une dizaine", "onze", True),
        ("une vingtaine", "onze", False),
        ("12", "douze jours", True),
    ],
)
def test_what_a_quantity_tells(claimed: str, held: str, supported: bool) -> None:
    assert tells(find(claimed)[0], find(held)) is supported


def test_the_same_number_with_another_unit_is_told_apart() -> None:
    [claimed], [held] = find("3,5 cm"), find("3,5 mm")
    assert same_number(claimed, held)
    assert not tells(claimed, [held])


def test_words_that_may_be_no_number_are_weak() -> None:
    weak = {figure.text: figure.weak for figure in find("un pneu neuf, deux vis, plusieurs centaines, neuf mois")}
    assert weak == {"un": True, "neuf": True, "deux": False, "centaines": True, "neuf mois": False}


@given(st.integers(0, 9_999_999))
def test_every_number_is_read_with_and_without_its_spaces(number: int) -> None:
    grouped = f"{number:,}".replace(",", "\u202f")
    for text in (f"soit {number} vis", f"soit {grouped} vis"):
        assert [figure.values[0] for figure in find(text)] == [float(number)]


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789 ,.hx€%/-deux cents")), max_size=80))
def test_any_text_gives_slices_that_do_not_overlap(text: str) -> None:
    end = 0
    for figure in find(text):
        assert end <= figure.start < figure.end <= len(text)
        assert text[figure.start : figure.end] == figure.text
        end = figure.end
