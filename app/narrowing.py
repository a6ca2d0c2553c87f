"""Searches made of another one by a click: a condition added, or taken away. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from engine import ArchivisteError, Query
from engine.retrieve.query import format_query, parse
from engine.store.columns import Timeline

from . import i18n
from .i18n import gettext as _

BY_MONTH = 24  # months; a longer time is shown by years


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a search in words, and the search without it."""

    said: str
    without: str


@dataclass(frozen=True, slots=True)
class Period:
    """A month or a year with its posts: from `first` to the day before `end`."""

    label: str
    count: int
    first: date
    end: date


def conditions(text: str) -> tuple[Condition, ...]:
    """What a search asks besides its words; nothing when its grammar is wrong."""
    try:
        query = parse(text)
    except ArchivisteError:
        return ()
    return tuple(_conditions(query))


def narrowed(text: str, field: str, value: str) -> str:
    """The search with that one value of "authors", "categories" or "tags", in place of those that it has."""
    changed: Mapping[str, Any] = {field: (value,)}
    return format_query(replace(parse(text), **changed))


def within(text: str, period: Period) -> str:
    """The search among the posts of that time only."""
    return format_query(replace(parse(text), after=period.first, before=period.end))


def periods(timeline: Timeline) -> tuple[Period, ...]:
    """The years of a timeline, or its months when there are few: without gaps, in order."""
    if len(timeline.counts) > BY_MONTH:
        return tuple(Period(str(year), count, date(year, 1, 1), date(year + 1, 1, 1)) for year, count in timeline.years)
    return tuple(
        Period(month_name(month), count, _day(month), _day(month + 1))
        for month, count in enumerate(timeline.counts, timeline.first)
    )


def month_name(month: int) -> str:
    """« mars 2014 », of a month counted from January 1970."""
    return i18n.month(datetime(1970 + month // 12, month % 12 + 1, 15, 12, tzinfo=UTC))  # the same month everywhere


def day_name(day: date) -> str:
    """« 14 mars 2014 », of a day that is the same in every place."""
    return i18n.date_short(datetime(day.year, day.month, day.day, 12, tzinfo=UTC))


def _day(month: int) -> date:
    return date(1970 + month // 12, month % 12 + 1, 1)


def _conditions(query: Query) -> Iterator[Condition]:
    said = {
        "authors": _("author: {value}"), "categories": _("category: {value}"), "tags": _("tag: {value}"),
        "titles": _("in the title: {value}"), "phrases": _("phrase: {value}"), "excluded": _("without: {value}"),
    }  # fmt: skip
    for field, sentence in said.items():
        values = getattr(query, field)
        for n, value in enumerate(values):
            others: Mapping[str, Any] = {field: (*values[:n], *values[n + 1 :])}
            yield Condition(sentence.format(value=value), format_query(replace(query, **others)))
    if query.after:
        yield Condition(
            _("from {date} on").format(date=day_name(query.after)), format_query(replace(query, after=None))
        )
    if query.before:
        yield Condition(
            _("before {date}").format(date=day_name(query.before)), format_query(replace(query, before=None))
        )
