"""Searching the archive: /chercher?q=…&mode=…&tri=…&groupe=…&page=…"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from nicegui import run, ui
from starlette.responses import RedirectResponse

from engine import ArchivisteError, Hit, Mode
from engine.exploring import MOST_RANKED, Order, Page, explore
from engine.retrieve.facets import Facets

from .. import search_place
from ..addresses import place_of
from ..components import expected
from ..components.facets import condition_chips, facet_lists
from ..components.markup import box, button, link, text
from ..components.pager import pager
from ..components.results import extent, result_list
from ..components.saved_searches import keep_button, kept_list
from ..components.search_form import SEARCH_CHARS, search_form
from ..components.search_help import operators
from ..i18n import gettext as _
from ..i18n import number
from ..messages import correction, message
from ..result_export import as_csv, as_markdown
from ..search_place import MODE_NAMES, MODES, ORDER_NAMES, ORDERS, PATH, Place
from ..state import State
from ..theme import BUILT_WITHIN_S, frame

log = logging.getLogger(__name__)

PAGE = 20
INSTANT = 6  # results shown while one types
EXPORTED = 1000
# On a phone, where the counts are folded.
_UNFOLD = """(event) => {
    const opener = event.currentTarget;
    const open = document.getElementById(opener.getAttribute('aria-controls')).classList.toggle('open');
    opener.setAttribute('aria-expanded', open);
}"""
SOON_S = 0.25  # what comes sooner needs no first results before it


def address(query: str) -> str:
    """The address of a search."""
    return Place(query).address


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(PATH, response_timeout=BUILT_WITHIN_S)
    async def search_page(
        q: str = "", mode: str = "", tri: str = "", groupe: str = "", page: str = ""
    ) -> RedirectResponse | None:
        query = " ".join(q.split())[:SEARCH_CHARS]
        if (elsewhere := place_of(query)) is not None:
            return RedirectResponse(elsewhere)
        place = search_place.read(query, mode=mode, order=tri, group=groupe, page=page)
        whole = asyncio.ensure_future(run.io_bound(_explore, state, place, MODES[place.mode])) if query else None
        if whole is not None:  # nearly always there at once, and then a part of the page
            await asyncio.wait({whole}, timeout=SOON_S)
        with frame(state, query or _("Search"), here=PATH, search=False, wide=True), box("div", "finding"):
            text(_("Search"), "h1", "visually-hidden")
            with box("div", "finding-head"):
                field = search_form(
                    query, kept=place.choices, classes="search large", find=lambda words: _instant(state, words)
                )
                if query:
                    condition_chips(place)
                    _choices(place)
                operators(field, opened=not query)
            if whole is not None:
                _results(state, place, whole)
            else:
                kept_list()
        return None


def _results(state: State, place: Place, whole: asyncio.Future[Page | str | None]) -> None:
    """The results and what narrows them; filled in once the page is there when a model must be loaded first."""
    opener = text(_("Narrow the results"), "button", "button quiet narrow", type="button", aria_expanded="false")
    aside = box("aside", "facets", aria_label=_("Narrow the results"))
    opener.props["aria-controls"] = aside.html_id
    opener.on("click", js_handler=_UNFOLD)
    for part in (opener, aside):
        part.set_visibility(False)
    results = box("section", "results", aria_live="polite", aria_busy="true")
    with results:
        text(_("Searching…"), "p", "note")
    reached = False

    def reach() -> None:
        nonlocal reached
        reached = True

    results.on("focusin", reach, args=[])
    results.on("pointerdown", reach, args=[])

    counted: Facets | None = None

    def show(found: Page | str, *, first: bool = False) -> None:
        """The page, or the sentence that says why there is none."""
        nonlocal counted
        results.clear()
        results.props["aria-busy"] = "true" if first else "false"
        with results:
            if isinstance(found, str):
                text(found, "p", "notice", role="alert")
                return
            if first:
                text(_("Searching by meaning too…"), "p", "note")
            _page(state, found, place)
        if found.facets == counted:  # words and meaning together match the same posts as words alone
            return
        counted = found.facets
        aside.clear()
        with aside:
            facet_lists(found, place)
        for part in (opener, aside):
            part.set_visibility(bool(aside.default_slot.children))

    async def fill() -> None:
        if MODES[place.mode] is Mode.HYBRID and ORDERS[place.order] is Order.RELEVANCE:
            first = await run.io_bound(_explore, state, place, Mode.BM25)  # keyword results wait for no model
            if isinstance(first, Page) and not whole.done() and not results.is_deleted:
                show(first, first=True)
        found = await whole
        if found is None or results.is_deleted:  # the server is stopping, or the page was left
            return
        if not reached:
            show(found)
            return
        # Somebody is in the list already: nothing moves under the finger.
        results.props["aria-busy"] = "false"
        with results:
            offer = button(_("Show the results by meaning too"), lambda: show(found), "button quiet")
            offer.move(target_index=0)

    if whole.done() and (found := whole.result()) is not None:
        show(found)
    else:
        ui.timer(0, fill, once=True)


def _explore(state: State, place: Place, mode: Mode, size: int = PAGE) -> Page | str:
    """The page of results, or the sentence that says why there is none."""
    try:
        return explore(
            state.archive, place.query, mode=mode, order=ORDERS[place.order], grouped=place.grouped, page=place.page,
            size=size,
        )  # fmt: skip
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("a search failed")
        return message(ArchivisteError())


def _instant(state: State, words: str) -> Sequence[Hit]:
    """The first results by exact words; none when the search is not whole yet."""
    try:
        return state.archive.search(words, mode=Mode.BM25, k=INSTANT).hits
    except ArchivisteError:  # Enter says it
        return ()


def _choices(place: Place) -> None:
    """The mode, the order and the grouping, each a link that keeps the others."""
    with box("div", "choices"):
        with box("nav", "modes", aria_label=_("Way of searching")):
            for name, said in MODE_NAMES.items():
                _choice(_(said), replace(place, mode=name, page=1), chosen=name == place.mode)
        with box("nav", "modes", aria_label=_("Order of the results")):
            for name, said in ORDER_NAMES.items():
                _choice(_(said), replace(place, order=name, page=1), chosen=name == place.order)
        with box("nav", "modes", aria_label=_("Grouping of the results")):
            _choice(_("By topic"), replace(place, grouped=not place.grouped, page=1), chosen=place.grouped)


def _choice(said: str, place: Place, *, chosen: bool) -> None:
    current = {"aria_current": "true"} if chosen else {}
    link(said, place.address, "mode", **current)


def _page(state: State, found: Page, place: Place) -> None:
    for notice in found.result.notices:
        text(message(notice), "p", "notice")
    for typed, read in found.result.corrections:
        text(correction(typed, read), "p", "notice")
    if found.result.suggestion is not None:
        with box("p", "suggestion"):
            text(_("Did you mean:"))
            link(found.result.suggestion, replace(place, query=found.result.suggestion, page=1).address)
    if not found.groups:
        with box("div", "empty"):
            text(_("No message found"), "h2")
            text(_("Try fewer words, other words, or search by meaning."), "p")
        return
    with box("div", "results-head"):
        text(extent(found.matching, found.facets.posts), "p", "count")
        keep_button(place)
        _export(state, place)
    words = state.archive.analyser.words
    result_list(found, place, analyse=words, beside=lambda hit: expected.offer(state, hit, place.query))
    if found.page == found.pages and place.order == "pertinence" and found.facets.posts > MOST_RANKED:
        said = _("These were the {n} most relevant messages. Sorted by date, all can be read.")
        text(said.format(n=number(MOST_RANKED)), "p", "note")
    pager(found.page, found.pages, lambda n: replace(place, page=n).address)


def _export(state: State, place: Place) -> None:
    """The whole list as a file, at most EXPORTED results of it."""
    name = f"archiviste-{date.today().isoformat()}"

    async def send(write: Callable[[Sequence[Hit]], bytes], ending: str, media: str) -> None:
        whole = replace(place, page=1, grouped=False)
        found = await run.io_bound(_explore, state, whole, MODES[place.mode], EXPORTED)
        if isinstance(found, Page):
            written = await run.io_bound(write, found.result.hits)
            if written is not None:
                ui.download.content(written, f"{name}.{ending}", media)
        elif found is not None:
            ui.notify(found)

    def markdown(hits: Sequence[Hit]) -> bytes:
        return as_markdown(hits, title=_("Search: {text}").format(text=place.query))

    with box("details", "export"):
        text(_("Export"), "summary")
        with box("div", "export-kinds"):
            button(_("Table (CSV)"), lambda: send(as_csv, "csv", "text/csv"), "link-button")
            button(_("Text (Markdown)"), lambda: send(markdown, "md", "text/markdown"), "link-button")
            said = _("At most {n} results, in the order of the screen.").format(n=number(EXPORTED))
            text(said, "p", "note")
