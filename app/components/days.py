"""A day of several years: what was written on it, year by year."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from engine.store.archive import PostRow
from engine.store.browsing import YearOfDay

from .. import i18n
from ..browsing_words import member_path, posts_between
from ..i18n import ngettext, number
from .cards import shortened
from .charts import messages
from .markup import box, link, text

EXCERPT_CHARS = 200


def day_title(day: date) -> str:
    """« 14 mars », without a year."""
    return i18n.day_month(datetime(day.year, day.month, day.day, 12, tzinfo=UTC))


def day_of_years(years: Sequence[YearOfDay], *, heading: str = "h2") -> None:
    """Each year with its best posts, and a way to all of that day; `heading` is what the years are."""
    for year in years:
        with box("section", "year-of-day"):
            with box(heading, "year"):
                following = year.day + timedelta(days=1)
                link(str(year.day.year), posts_between(year.day, following))
                text(messages(year.posts), "span", "fact")
            with box("ul", "result-list"):
                for row in year.best:
                    with box("li", "day-post"):
                        post_line(row)


def post_line(row: PostRow) -> None:
    """A post in a list: its topic, who wrote it, how it begins."""
    with box("p", "topic-title"):
        link(row.title, row.path)
    with box("p", "byline"):
        if row.category:
            text(row.category, "span", "category")
        link(row.username, member_path(row.username), "author")
        if row.likes:
            text(ngettext("{n} like", "{n} likes", row.likes).format(n=number(row.likes)))
    text(shortened(row.text, EXCERPT_CHARS), "p", "excerpt")
