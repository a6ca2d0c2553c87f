"""Searching the archive: /chercher?q=…&mode=…&page=…"""

from __future__ import annotations

import logging
from urllib.parse import urlencode

from nicegui import run, ui

from engine import ArchivisteError, Mode, SearchResult

from ..components.cards import result
from ..components.highlight import terms_of
from ..components.markup import box, link, text
from ..components.search_form import SEARCH_CHARS, search_form
from ..i18n import N_, ngettext, number
from ..i18n import gettext as _
from ..messages import correction, message
from ..state import State
from ..theme import frame

log = logging.getLogger(__name__)

PATH = "/chercher"
PAGE = 20
MAX_HITS = 100  # beyond it nobody reads: another search finds better
# The words of addresses stay when those of the screen change.
MODES = {"mixte": Mode.HYBRID, "exact": Mode.BM25, "sens": Mode.DENSE}
_MODE_NAMES = {
    Mode.HYBRID: N_("Mixed"),
    Mode.BM25: N_("Exact words"),
    Mode.DENSE: N_("Meaning"),
}
OPERATORS = (
    ("« vis de pédale »", N_("these words next to each other")),
    ("-rustine", N_("without this word")),
    ("auteur:alice", N_("written by this member")),
    ("catégorie:atelier", N_("in this category")),
    ("étiquette:freins", N_("in topics with this tag")),
    ("titre:pneus", N_("this word in the title of the topic")),
    ("après:2015-03 avant:2020", N_("between two dates")),
)


def address(query: str, *, mode: str = "mixte", page: int = 1) -> str:
    """The address of a page of results."""
    parts: dict[str, str | int] = {"q": query}
    if mode != "mixte":
        parts["mode"] = mode
    if page > 1:
        parts["page"] = page
    return f"{PATH}?{urlencode(parts)}"


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(PATH)
    def search_page(q: str = "", mode: str = "mixte", page: str = "1") -> None:
        query = " ".join(q.split())[:SEARCH_CHARS]
        chosen = mode if mode in MODES else "mixte"
        shown = min(int(page), MAX_HITS // PAGE) if page.isascii() and page.isdigit() and int(page) else 1
        with frame(state, query or _("Search"), here=PATH, search=False):
            text(_("Search"), "h1", "visually-hidden")
            search_form(query, mode=chosen if chosen != "mixte" else "", classes="search large")
            if not query:
                _operators()
                return
            _modes(query, chosen)
            results = box("section", "results", aria_live="polite", aria_busy="true")
            with results:
                text(_("Searching…"), "p", "note")

            async def fill() -> None:
                """Once the page is there: the first search may have to load a model."""
                found = await run.io_bound(_search, state, query, MODES[chosen], shown * PAGE)
                if found is None:  # the server is stopping
                    return
                results.clear()
                results.props.pop("aria-busy", None)
                with results:
                    if isinstance(found, SearchResult):
                        _results(state, found, query=query, mode=chosen, page=shown)
                    else:
                        text(found, "p", "notice", role="alert")

            ui.timer(0, fill, once=True)


def _search(state: State, query: str, mode: Mode, k: int) -> SearchResult | str:
    """The result, or the sentence that says why there is none."""
    try:
        return state.archive.search(query, mode=mode, k=k)
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("a search failed")
        return message(ArchivisteError())


def _modes(query: str, chosen: str) -> None:
    with box("nav", "modes", aria_label=_("Way of searching")):
        for name, mode in MODES.items():
            current = {"aria_current": "true"} if name == chosen else {}
            link(_(_MODE_NAMES[mode]), address(query, mode=name), "mode", **current)


def _results(state: State, found: SearchResult, *, query: str, mode: str, page: int) -> None:
    for notice in found.notices:
        text(message(notice), "p", "notice")
    for typed, read in found.corrections:
        text(correction(typed, read), "p", "notice")
    if found.suggestion is not None:
        with box("p", "suggestion"):
            text(_("Did you mean:"))
            link(found.suggestion, address(found.suggestion, mode=mode))
    hits = found.hits[(page - 1) * PAGE : page * PAGE]
    if not hits:
        with box("div", "empty"):
            text(_("No message found"), "h2")
            text(_("Try fewer words, other words, or search by meaning."), "p")
        _operators()
        return
    count = ngettext("{n} message found", "{n} messages found", found.total)
    text(count.format(n=number(found.total)), "p", "count")
    analyse = state.archive.analyser.words
    terms = terms_of(found.query, analyse)
    with box("ol", "result-list", start=(page - 1) * PAGE + 1):
        for hit in hits:
            result(hit, terms=terms, analyse=analyse)
    _pages(query, mode, page, last=-(-min(found.total, MAX_HITS) // PAGE))


def _pages(query: str, mode: str, page: int, *, last: int) -> None:
    if last < 2:
        return
    with box("nav", "pages", aria_label=_("Pages of results")):
        if page > 1:
            link(_("Previous"), address(query, mode=mode, page=page - 1), "button quiet", rel="prev")
        text(_("Page {page} of {last}").format(page=page, last=last))
        if page < last:
            link(_("Next"), address(query, mode=mode, page=page + 1), "button quiet", rel="next")


def _operators() -> None:
    with box("section", "operators"):
        text(_("Searching more precisely"), "h2")
        with box("dl"):
            for example, meaning in OPERATORS:
                with box("dt"):
                    text(example, "code")
                text(_(meaning), "dd")
