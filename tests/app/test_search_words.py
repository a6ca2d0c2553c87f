"""Addresses of searches, what narrows them, and why a result was found: pure words."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import i18n, search_place
from app.i18n import gettext as _
from app.narrowing import conditions, narrowed, periods, within
from app.search_place import MODES, ORDERS, Place
from app.why import reasons
from engine import Contribution, Hit
from engine.index.french import analyser
from engine.retrieve.query import parse
from engine.store.columns import Timeline


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")


def test_what_is_usual_is_left_out_of_an_address():
    assert Place("freins").address == "/chercher?q=freins"
    assert (
        Place("freins", "sens", "date", True, 3).address == "/chercher?q=freins&mode=sens&tri=date&groupe=sujet&page=3"
    )


@given(
    query=st.text(min_size=1), mode=st.sampled_from(sorted(MODES)), order=st.sampled_from(sorted(ORDERS)),
    grouped=st.booleans(), page=st.integers(1, 9999),
)  # fmt: skip
def test_an_address_is_read_as_it_was_written(query, mode, order, grouped, page):
    place = Place(query, mode, order, grouped, page)
    chosen = place.choices
    again = search_place.read(
        query, mode=chosen.get("mode", ""), order=chosen.get("tri", ""), group=chosen.get("groupe", ""), page=str(page)
    )
    assert again == place


def test_each_condition_can_be_taken_away():
    text = 'pneu "vis de pédale" -rustine auteur:alice auteur:bruno catégorie:Atelier avant:2015'
    found = conditions(text)
    assert len(found) == 6
    for condition in found:
        assert len(conditions(condition.without)) == 5 and parse(condition.without).words == ("pneu",)
    assert conditions("avant:hier") == ()


def test_a_narrowed_search_keeps_its_words_and_replaces_that_one_value():
    assert parse(narrowed("pneu auteur:alice", "authors", "bruno")).authors == ("bruno",)
    assert parse(narrowed("pneu auteur:alice", "categories", "Freins & câbles")) == parse(
        'pneu auteur:alice catégorie:"Freins & câbles"'
    )


def test_a_long_time_is_shown_by_years_and_a_short_one_by_months():
    years = periods(Timeline(540, (1,) * 30))  # from January 2015
    assert [(one.label, one.count) for one in years] == [("2015", 12), ("2016", 12), ("2017", 6)]
    months = periods(Timeline(551, (4, 0, 2)))
    assert [(one.label, one.count) for one in months] == [
        ("décembre 2015", 4),
        ("janvier 2016", 0),
        ("février 2016", 2),
    ]
    query = parse(within("pneu avant:2030", months[0]))
    assert (query.after, query.before) == (date(2015, 12, 1), date(2016, 1, 1))


def hit(*parts, matched=()):
    return Hit(
        rank=1, post_id=1, topic_id=1, post_number=1, url="", path="", title="", category="", author="", score=0.0952,
        created_at=datetime(2014, 1, 1, tzinfo=UTC), excerpt="", contributions=tuple(parts), matched=matched,
    )  # fmt: skip


def test_why_tells_each_rank_the_words_as_typed_and_the_sum():
    words = analyser("fr").words
    lexical, dense = Contribution("lexical", 1, 1.0, 1 / 21), Contribution("dense", 2, 1.0, 1 / 22)
    found = list(reasons(hit(lexical, dense, matched=("frein",)), parse("les freins grincent"), words, mixed=True))
    assert found[:2] == [
        _("By its exact words, this message is no. {rank} of its list.").format(rank="1"),
        _("By its meaning, this message is no. {rank} of its list.").format(rank="2"),
    ]
    assert _("Words found: {terms}").format(terms="freins") in found
    assert _("Words not found: {terms}").format(terms="grincent") in found
    assert "0,0476" in found[-1] and "0,0455" in found[-1] and "0,0952" in found[-1]


def test_why_says_which_list_does_not_hold_a_result():
    words = analyser("fr").words
    dense = Contribution("dense", 2, 1.0, 1 / 22)
    assert _("The list by exact words does not hold it: it was found by its meaning.") in list(
        reasons(hit(dense), parse("freins"), words, mixed=True)
    )
    # Where only meaning was asked for, the other list says nothing.
    alone = list(reasons(hit(dense), parse("freins"), words, mixed=False))
    assert _("The list by exact words does not hold it: it was found by its meaning.") not in alone
    assert next(reasons(hit(), parse("freins"), words, mixed=False)) == _(
        "It meets the search, and the list is not sorted by relevance: it has no rank."
    )
