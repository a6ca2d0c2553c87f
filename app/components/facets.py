"""What narrows a search by a click: its conditions, removable, and the counts of what matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine import Query
from engine.exploring import Page
from engine.retrieve.facets import Count
from engine.retrieve.matching import Basis

from ..i18n import gettext as _
from ..i18n import number
from ..narrowing import conditions, narrowed, periods, within
from ..search_place import Place
from . import charts
from .markup import box, link, text

SHOWN = 8  # values of a facet before one asks for more


def condition_chips(place: Place) -> None:
    """The conditions of the search, each a link that takes it away."""
    found = conditions(place.query)
    if not found:
        return
    with box("ul", "conditions", aria_label=_("Conditions of this search")):
        for condition in found:
            with box("li"):
                target = replace(place, query=condition.without, page=1).address
                label = _("Remove the condition “{condition}”").format(condition=condition.said)
                with link("", target, "condition", aria_label=label):
                    text(condition.said)
                    text("×", "span", "remove", aria_hidden="true")


def facet_lists(page: Page, place: Place) -> None:
    """The counts, as lists of links that add a condition; build it inside the aside."""
    facets, query = page.facets, page.result.query
    if page.matching.basis is Basis.RANKED:
        text(_("Counted among the {n} closest messages only: meaning has no exact limit.").format(
            n=number(facets.posts)), "p", "note")  # fmt: skip
    by_time = periods(facets.timeline)
    if len(by_time) > 1:
        addresses = [_at(place, within(place.query, period)) for period in by_time]
        labels, counts = [period.label for period in by_time], [period.count for period in by_time]
        with box("section", "facet-group"):
            text(_("When"), "h2")
            said = _("Messages by period, from {first} to {last}; the same figures follow as a list.")
            charts.bars(labels, counts, addresses, said=said.format(first=labels[0], last=labels[-1]))
            with box("details"):
                text(_("As a list"), "summary")
                charts.period_list(labels, counts, addresses)
    _values(_("Categories"), "categories", facets.categories, place, query)
    _values(_("Authors"), "authors", facets.authors, place, query)
    # Several tags of one search are alternatives: adding one to another would widen it.
    if not query.tags:
        _values(_("Tags"), "tags", facets.tags, place, query)


def _values(title: str, field: str, values: Sequence[Count], place: Place, query: Query) -> None:
    if len(values) < 2:  # one value narrows nothing
        return
    with box("section", "facet-group"):
        text(title, "h2")
        _links(field, values[:SHOWN], place, query)
        if len(values) > SHOWN:
            with box("details"):
                text(_("{n} more").format(n=number(len(values) - SHOWN)), "summary")
                _links(field, values[SHOWN:], place, query)


def _links(field: str, values: Sequence[Count], place: Place, query: Query) -> None:
    chosen = getattr(query, field)
    with box("ul"):
        for value in values:
            current = {"aria_current": "true"} if value.value in chosen else {}
            with (
                box("li", f"depth-{min(value.depth, 2)}"),
                link("", _at(place, narrowed(place.query, field, value.value)), "facet", **current),
            ):
                text(value.label, "span", "facet-name")
                text(number(value.count), "span", "facet-count")


def _at(place: Place, query: str) -> str:
    return replace(place, query=query, page=1).address
