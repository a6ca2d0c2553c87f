"""A day in every year of the forum: /ce-jour-la/MM-DD."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from nicegui import ui
from starlette.responses import RedirectResponse

from engine.store import browsing
from engine.store.browsing import YearOfDay

from .. import browsing_words as words
from ..components.days import day_of_years, day_title
from ..components.later import soon
from ..components.markup import box, link, text
from ..i18n import gettext as _
from ..state import State
from ..theme import BUILT_WITHIN_S, frame
from .not_found import show as show_not_found


def register(state: State) -> None:
    """Make the page known to the server; without a day it is today's."""

    @ui.page(words.DAY)
    def today_page() -> RedirectResponse:
        return RedirectResponse(words.day_path(date.today()))

    @ui.page(words.DAY + "/{said}", response_timeout=BUILT_WITHIN_S)
    async def day_page(said: str) -> None:
        day = words.read_day(said)
        if day is None:
            ui.context.client.status_code = 404
            show_not_found(state, _("There is no such day"), _("Check the address, or browse the archive."))
            return
        title = _("On {day}").format(day=day_title(day))
        with frame(state, title, here=words.PATH), box("div", "browsing"):
            with box("nav", "way", aria_label=_("Way back")):
                link(_("Browse"), words.PATH)
            text(title, "h1")
            with box("nav", "pages near", aria_label=_("Other days")):
                before, after = words.beside(day, -1), words.beside(day, 1)
                link(f"← {day_title(before)}", words.day_path(before), "button quiet", rel="prev")
                link(f"{day_title(after)} →", words.day_path(after), "button quiet", rel="next")
            await soon(lambda: browsing.on_day(state.archive.store, day.month, day.day), _years)


def _years(found: Sequence[YearOfDay]) -> None:
    if not found:
        text(_("Nobody wrote on that day."), "p", "note")
        return
    day_of_years(found)
