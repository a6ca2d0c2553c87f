"""The dates of a long topic: its years, else its months, and at most so many stops."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from app import i18n
from app.components.timeline import MAX_CHAPTERS, STOPS, chapters, stops
from engine.store.reading import Moment

START = datetime(2014, 1, 15, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_french():
    i18n.use("fr")


def moments(count, days):
    return [Moment(n, START + timedelta(days=days * n)) for n in range(1, count + 1)]


def test_a_topic_of_many_years_has_its_years():
    found = chapters(moments(100, 20))
    assert [(c.name, c.number) for c in found][:3] == [("2014", 1), ("2015", 18), ("2016", 36)]


def test_a_topic_of_some_months_has_its_months():
    assert [c.name for c in chapters(moments(4, 20))] == ["février 2014", "mars 2014", "avril 2014"]


def test_a_topic_of_one_month_has_none():
    assert chapters(moments(10, 0)) == () and chapters([]) == ()


def test_there_are_never_too_many():
    assert len(chapters(moments(2_000, 30))) <= MAX_CHAPTERS
    found = json.loads(stops(moments(2_700, 1)))
    assert len(found) <= STOPS + 1
    assert found[0] == [1, "16 janvier 2014"] and found[-1][0] == 2_700
    assert json.loads(stops([])) == []
