"""Asking the archive: the start page /, and /demander?q=…&avant=…&par=… for a question and its answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from urllib.parse import urlencode

from nicegui import run, ui
from starlette.responses import RedirectResponse

from engine import ArchivisteError
from engine.answer.condense import TURNS

from .. import first_run
from ..access.roles import FIRST_RUN
from ..components.answer_tools import WRITERS
from ..components.answering import Answering, Asking
from ..components.markup import box, button, has_page, link, text
from ..components.question_form import QUESTION_CHARS, question_form
from ..i18n import gettext as _
from ..readiness import Lack, lacks
from ..state import State
from ..theme import frame
from . import search

log = logging.getLogger(__name__)

PATH = "/demander"
# A laptop that slept finds its answer; whoever leaves says so (assets/js/ask.js), and their question is stopped.
RECONNECT_S = 360.0


def address(question: str, earlier: Sequence[str] = (), writer: str = "") -> str:
    """The address of a question, of those that it goes on from, and of who is to answer (a word of WRITERS)."""
    parts = {"q": question, "avant": "\n".join(earlier), "par": writer}
    return f"{PATH}?{urlencode({name: value for name, value in parts.items() if value})}"


def register(state: State) -> None:
    """Make the start page and the page of a question known to the server."""

    @ui.page("/")
    def start_page() -> RedirectResponse | None:
        if not state.facts().posts and state.may("moderate") and not first_run.load(state.engine.data).later:
            return RedirectResponse(FIRST_RUN, status_code=303)
        _start(state)
        return None

    @ui.page(PATH, reconnect_timeout=RECONNECT_S)
    def question_page(q: str = "", avant: str = "", par: str = "") -> None:
        question = " ".join(q.split())[:QUESTION_CHARS]
        if not question:
            _start(state)
            return
        earlier = [turn[:QUESTION_CHARS] for turn in avant.splitlines() if turn.strip()][-TURNS:]
        with frame(state, question, here="/", wide=True), box("div", "asking"):
            with box("div", "asked"):
                text(question, "h1", "visually-hidden")
                _earlier(earlier)
                question_form(question, classes="question compact")
            Answering(
                state,
                Asking(question, earlier, WRITERS.get(par, "auto")),
                again=lambda writer: address(question, earlier, writer),
                search_address=search.address(question),
            )


def _start(state: State) -> None:
    with frame(state, "", here="/"), box("div", "start"):
        text(_("Ask the archive"), "h1")
        lead = _("The answer is made of messages of the forum, and shows where each one stands.")
        text(lead, "p", "lead")
        question_form(autofocus=True)
        _examples(state)
        _history()
        _lacks(state)


def _earlier(earlier: Sequence[str]) -> None:
    """The questions before this one, each at its own address."""
    if not earlier:
        return
    with box("nav", "earlier", aria_label=_("Earlier questions")):
        text(_("Earlier:"), "span", "note")
        with box("ol"):
            for place, question in enumerate(earlier):
                with box("li"):
                    link(question, address(question, earlier[:place]))


def _examples(state: State) -> None:
    examples = state.examples()
    if not examples:
        return
    with box("section", "examples"):
        text(_("For example"), "h2")
        with box("ul", "cards"):
            for question in examples:
                with box("li"):
                    link(question, address(question), "example")


def _history() -> None:
    """The questions of this browser, which alone knows them: assets/js/ask.js keeps and shows them."""
    with box("section", "examples history", hidden=True) as block:
        with box("div", "history-head"):
            text(_("Your last questions"), "h2")
            forget = button(_("Forget them"), lambda: None, "button quiet small")
        text(_("They are kept in this browser only."), "p", "note")
        box("ul")
    forget.on("click", js_handler=f"() => archiviste.forget('{block.html_id}')")
    ui.run_javascript(f"archiviste.showHistory('{block.html_id}')")


def _lacks(state: State) -> None:
    """What can't be done yet, once the page is there; at its end, so that nothing moves."""
    place = box("section", "lacks", aria_live="polite")

    async def fill() -> None:
        for lack in await run.io_bound(_read_lacks, state) or ():
            with place, box("p", "notice"):
                text(lack.said)
                if lack.mended_at and state.may("moderate") and has_page(lack.mended_at):
                    link(_("See to it"), lack.mended_at)

    ui.timer(0, fill, once=True)


def _read_lacks(state: State) -> tuple[Lack, ...]:
    try:
        return lacks(state)
    except ArchivisteError:  # told where it is in the way: this is only a courtesy
        log.warning("what is missing can't be told", exc_info=True)
        return ()
