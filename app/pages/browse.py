"""Browsing the archive: /parcourir, what it holds at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from nicegui import ui

from engine.store import browsing, members
from engine.store.browsing import CategoryLine, TagLine, TopicLine, YearOfDay
from engine.store.columns import Timeline

from .. import browsing_words as words
from ..components import charts
from ..components.charts import messages
from ..components.days import day_of_years, day_title
from ..components.later import soon
from ..components.markup import box, link, text
from ..components.topic_list import short_list
from ..i18n import gettext as _
from ..i18n import ngettext, number
from ..narrowing import periods
from ..state import State
from ..theme import BUILT_WITHIN_S, frame

TAGS, MEMBERS, LINKED, YEARS = 30, 10, 10, 3  # shown of each; a link leads to all of them


@dataclass(frozen=True, slots=True)
class _Overview:
    """What the page shows but the topics linked to, which take longer to find."""

    life: Timeline
    categories: Sequence[CategoryLine]
    tags: Sequence[TagLine]
    members: Sequence[members.Member]
    day: Sequence[YearOfDay]


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(words.PATH, response_timeout=BUILT_WITHIN_S)
    async def browse_page() -> None:
        today = date.today()
        with frame(state, _("Browse"), here=words.PATH, wide=True), box("div", "browsing"):
            text(_("Browse the archive"), "h1")
            with box("nav", "shortcuts", aria_label=_("Lists")):
                link(_("All topics"), words.TOPICS, "button quiet")
                link(_("Authors"), words.MEMBERS, "button quiet")
                link(_("Tags"), words.TAGS, "button quiet")
                link(_("On this day"), words.day_path(today), "button quiet")
            await soon(lambda: _read(state, today), lambda found: _overview(found, today), classes="overview")
            with box("section", "block linked"):
                text(_("Topics most linked to"), "h2")
                await soon(
                    lambda: browsing.most_linked(state.archive.store, LINKED), _linked,
                    waiting=_("Reading the links of all messages…"),
                )  # fmt: skip


def _read(state: State, today: date) -> _Overview:
    store = state.archive.store
    return _Overview(
        browsing.life(store), browsing.categories(store), browsing.tags(store)[:TAGS],
        members.members(store, size=MEMBERS).members, browsing.on_day(store, today.month, today.day, best=1)[:YEARS],
    )  # fmt: skip


def _overview(found: _Overview, today: date) -> None:
    if not found.life.counts:
        text(_("The archive is empty."), "p", "empty")
        return
    with box("section", "block life"):
        text(_("The forum’s life"), "h2")
        life(found.life)
    with box("section", "block tree"):
        text(_("Categories"), "h2")
        with box("ul", "category-tree"):
            for line in found.categories:
                category_line(line)
    if found.day:
        with box("section", "block day"):
            text(_("On {day}, in other years").format(day=day_title(today)), "h2")
            day_of_years(found.day, heading="h3")
            link(_("All messages of this day"), words.day_path(today), "more-link")
    if found.tags:
        with box("section", "block tags"):
            text(_("Tags"), "h2")
            tag_cloud(found.tags)
            link(_("All tags"), words.TAGS, "more-link")
    with box("section", "block members"):
        text(_("Authors"), "h2")
        with box("ol", "short-list"):
            for member in found.members:
                with box("li"):
                    link(member.username, words.member_path(member.username))
                    text(messages(member.posts), "span", "fact")
        link(_("All authors"), words.MEMBERS, "more-link")


def life(timeline: Timeline, *, more: str = "") -> None:
    """Posts by year (or month), as bars and as a list; a period leads to its posts. `more` is added to that search."""
    by_time = periods(timeline)
    labels, counts = [period.label for period in by_time], [period.count for period in by_time]
    addresses = [words.posts_between(period.first, period.end, more=more) for period in by_time]
    said = _("Messages by period, from {first} to {last}; the same figures follow as a list.")
    charts.bars(labels, counts, addresses, said=said.format(first=labels[0], last=labels[-1]))
    with box("details"):
        text(_("As a list"), "summary")
        charts.period_list(labels, counts, addresses)


def category_line(line: CategoryLine) -> None:
    """A category in the tree: its name, what it holds and when."""
    with box("li", f"category-line depth-{min(line.depth, 3)}"):
        link(line.category.name, words.category_path(line.category), "category-name")
        facts = _("{topics}, {posts}").format(
            topics=ngettext("{n} topic", "{n} topics", line.topics).format(n=number(line.topics)),
            posts=messages(line.posts),
        )
        text(facts, "span", "fact")
        years = line.life.years
        best = max(years, key=lambda year: year[1])
        said = _("Activity from {first} to {last}; most in {year}: {posts}.")
        charts.sparkline(
            [count for _year, count in years],
            said=said.format(first=years[0][0], last=years[-1][0], year=best[0], posts=messages(best[1])),
        )


def tag_cloud(tags: Sequence[TagLine]) -> None:
    """Tags with the number of their topics."""
    with box("ul", "tag-list"):
        for line in tags:
            with box("li"), link("", words.tag_path(line.tag), "facet"):
                text(line.tag, "span", "tag")
                text(number(line.topics), "span", "facet-count")


def _linked(found: Sequence[tuple[TopicLine, int]]) -> None:
    if not found:
        text(_("No message links to another topic."), "p", "note")
        return
    said = [
        (topic, ngettext("linked by {n} message", "linked by {n} messages", count).format(n=number(count)))
        for topic, count in found
    ]
    short_list(said)
