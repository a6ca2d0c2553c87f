"""Dates of French texts, however they are written."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.dates import find, spelled, tells


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("le 12 mars 2014", [(2014, 3, 12)]),
        ("12/03/2014, 2014-03-12 et 12.03.14", [(2014, 3, 12)] * 3),
        ("le 1er septembre 2015", [(2015, 9, 1)]),
        ("le 5 fév. 2021 ou le 5 févr 2021", [(2021, 2, 5)] * 2),
        ("le 03/12 à la salle", [(None, 12, 3)]),
        ("le 3/4", [(None, 4, 3)]),
        ("les 3/4 des rayons", []),
        ("depuis juin 2022, puis en avril", [(2022, 6, None), (None, 4, None)]),
        ("mars est une planète", []),
        ("en 1998, 1200 € et 2014 km", [(1998, None, None)]),
        ("Python 3.11, 7K-2014, 1920x1080", []),
        ("le 45 mars", []),
    ],
)
def test_forms(text: str, told: list[tuple[int | None, int | None, int | None]]) -> None:
    assert [(d.year, d.month, d.day) for d in find(text)] == told


@pytest.mark.parametrize("text", ["un cadre des 80's", "les années 80", "les années 1980", "les années quatre-vingts"])
def test_decades(text: str) -> None:
    assert [d.decade for d in find(text)] == [1980]


@pytest.mark.parametrize(
    ("claimed", "held", "supported"),
    [
        ("12 mars 2014", "12/03/2014", True),
        ("mars 2014", "12/03/2014", True),
        ("12 mars 2014", "mars 2014", False),
        ("12 mai 2014", "12/03/2014", False),
        ("les années 80", "un vélo de 1984", True),
        ("les années 70", "un vélo de 1984", False),
        ("le 3 décembre 2019", "le 03/12", True),  # written in 2019
        ("le 3 décembre 2018", "le 03/12", False),
    ],
)
def test_what_a_date_tells(claimed: str, held: str, supported: bool) -> None:
    assert tells(find(claimed)[0], find(held), years=[2019]) is supported


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_day_is_read_back_as_it_is_spelled(day: date) -> None:
    [told] = find(f"le {spelled(day)} au matin")
    assert (told.year, told.month, told.day) == (day.year, day.month, day.day)


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789/-. mai's")), max_size=80))
def test_any_text_gives_slices_that_do_not_overlap(text: str) -> None:
    end = 0
    for told in find(text):
        assert end <= told.start < told.end
        end = told.end
