"""Searches kept to be made again; in this browser only, and nobody else sees them."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

import nicegui

from ..i18n import gettext as _
from ..search_place import MODES, ORDERS, Place
from .markup import box, button, link, text

MOST = 50  # the oldest leaves first
_KEY = "searches"


def keep_button(place: Place) -> None:
    """Keeps the search, or forgets it when it is kept."""

    def said() -> str:
        return _("Search kept ✓") if is_kept(place) else _("Keep this search")

    def turn() -> None:
        if is_kept(place):
            forget(place)
        else:
            keep(place)
        knob.text = said()

    knob = button(said(), turn, "button quiet small")


def kept_list() -> None:
    """The searches kept, the latest first, each with what forgets it; nothing when there are none."""
    section = box("section", "kept")

    def fill() -> None:
        section.clear()
        places = kept()
        with section:
            if places:
                text(_("Searches kept in this browser"), "h2")
                with box("ul"):
                    for place in places:
                        with box("li"):
                            link(place.query, place.address)
                            label = _("Forget the search “{query}”").format(query=place.query)
                            button(_("Forget"), partial(drop, place), "link-button", aria_label=label)

    def drop(place: Place) -> None:
        forget(place)
        fill()

    fill()


def kept() -> tuple[Place, ...]:
    """The searches of this browser, the latest first; what can't be read is left out."""
    found = nicegui.app.storage.user.get(_KEY, [])
    return tuple(place for one in reversed(found) if (place := _place(one)) is not None)


def keep(place: Place) -> None:
    """Keep a search; its first page stands for it."""
    others = [asdict(one) for one in reversed(kept()) if not _same(one, place)]
    nicegui.app.storage.user[_KEY] = [*others, {**asdict(place), "page": 1}][-MOST:]


def forget(place: Place) -> None:
    """Forget a search."""
    nicegui.app.storage.user[_KEY] = [asdict(one) for one in reversed(kept()) if not _same(one, place)]


def is_kept(place: Place) -> bool:
    """Whether this search is kept, whatever its page."""
    return any(_same(one, place) for one in kept())


def _same(one: Place, other: Place) -> bool:
    return (one.query, one.choices) == (other.query, other.choices)


def _place(held: Any) -> Place | None:
    """What the browser's storage holds; written by an older version, it may lack something."""
    if not isinstance(held, dict) or not isinstance(held.get("query"), str):
        return None
    mode, order = str(held.get("mode")), str(held.get("order"))
    return Place(
        query=held["query"],
        mode=mode if mode in MODES else "mixte",
        order=order if order in ORDERS else "pertinence",
        grouped=held.get("grouped") is True,
    )
