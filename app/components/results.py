"""The results of a search: one by one or by topic, with the words marked and, on demand, why each was found."""

from __future__ import annotations

from collections.abc import Callable, Set
from urllib.parse import quote

from nicegui import ui

from engine import Hit, Mode
from engine.exploring import Group, Order, Page
from engine.retrieve.matching import Basis, Matching

from ..i18n import date_short, ngettext, number
from ..i18n import gettext as _
from ..search_place import MODES, ORDERS, Place
from ..why import reasons
from .highlight import Analyse, marked, terms_of
from .markup import box, button, link, text

Beside = Callable[[Hit], None]  # shows more under a result


def result_list(page: Page, place: Place, *, analyse: Analyse, beside: Beside = lambda hit: None) -> None:
    """The results of a page, in their order."""
    terms = terms_of(page.result.query, analyse)
    with box("ol", "result-list"):
        for group in page.groups:
            with box("li", "result"):
                _head(group.hits[0])
                _found(group.hits[0], page, place, terms, analyse, beside)
                if place.grouped:
                    _others(group, page, place, terms, analyse, beside)


def extent(matching: Matching, matched: int) -> str:
    """How many messages match, and what that means."""
    n = number(matched)
    if matching.basis is Basis.RANKED:
        return ngettext("{n} message is close in meaning", "{n} messages are close in meaning", matched).format(n=n)
    if matching.basis is Basis.CONDITIONS:
        return ngettext("{n} message meets the conditions", "{n} messages meet the conditions", matched).format(n=n)
    if matching.asked == 1:
        return ngettext("{n} message holds this word", "{n} messages hold this word", matched).format(n=n)
    if matching.held == matching.asked:
        return ngettext("{n} message holds all these words", "{n} messages hold all these words", matched).format(n=n)
    return ngettext(
        "{n} message holds at least {held} of the {asked} words",
        "{n} messages hold at least {held} of the {asked} words",
        matched,
    ).format(n=n, held=number(matching.held), asked=number(matching.asked))


def _head(hit: Hit) -> None:
    with box("h2", "result-title"):
        link(hit.title, hit.path)


def _found(hit: Hit, page: Page, place: Place, terms: Set[str], analyse: Analyse, beside: Beside) -> None:
    """Who, when and where, the piece that matched, and what tells why."""
    with box("p", "byline"):
        if hit.category:
            text(hit.category, "span", "category")
        link(hit.author, f"/u/{quote(hit.author, safe='')}", "author")
        text(date_short(hit.created_at), "time", datetime=hit.created_at.date().isoformat())
    # Escaped by `marked`, and sanitised once more in the browser.
    ui.html(marked(hit.excerpt, terms, analyse), tag="p").classes("excerpt")
    with box("div", "result-more"):
        _why(hit, page, place, analyse)
        beside(hit)


def _others(group: Group, page: Page, place: Place, terms: Set[str], analyse: Analyse, beside: Beside) -> None:
    """What else was found in the topic."""
    if len(group.hits) > 1:
        with box("ul", "same-topic"):
            for hit in group.hits[1:]:
                with box("li"):
                    link(_("Message {n}").format(n=hit.post_number), hit.path, "same-topic-link")
                    _found(hit, page, place, terms, analyse, beside)
    if group.more:
        more = ngettext("{n} more message of this topic", "{n} more messages of this topic", group.more)
        text(more.format(n=number(group.more)), "p", "note")


def _why(hit: Hit, page: Page, place: Place, analyse: Analyse) -> None:
    """A button; what it opens is made when it is first asked for."""
    mixed = MODES[place.mode] is Mode.HYBRID and ORDERS[place.order] is Order.RELEVANCE

    def toggle() -> None:
        if not body.default_slot.children:
            with body, box("ul"):
                for reason in reasons(hit, page.result.query, analyse, mixed=mixed):
                    text(reason, "li")
        body.set_visibility(not body.visible)
        opener.props["aria-expanded"] = "true" if body.visible else "false"

    opener = button(_("Why this result?"), toggle, "why", aria_expanded="false")
    body = box("div", "reasons")
    body.set_visibility(False)
    opener.props["aria-controls"] = body.html_id
