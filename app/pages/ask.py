"""Asking the archive: the start page /, and /demander?q=… for a question and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from nicegui import ui

from engine import Abstention, Answer, ArchivisteError, Declined, Evidence, EvidenceFound, Piece, Queued, Zone
from engine.answer.condense import TURNS

from .. import i18n
from ..answer_words import caution, heading, invitation
from ..components import answer as answer_part
from ..components.answer_text import while_streaming
from ..components.cards import source
from ..components.markup import box, button, link, text
from ..components.question_stream import Answerer, Event, QuestionStream
from ..components.search_form import QUESTION_CHARS, follow_up_form, question_form, searched_form
from ..i18n import gettext as _
from ..i18n import ngettext
from ..messages import message
from ..state import State
from ..theme import frame
from . import search

PATH = "/demander"
TICK_S = 0.15  # the page follows the model 5 to 10 times a second, as people read


def address(question: str, earlier: Sequence[str] = ()) -> str:
    """The address of a question, and of those that it goes on from."""
    before = {"avant": "\n".join(earlier)} if earlier else {}
    return f"{PATH}?{urlencode({'q': question, **before})}"


def register(state: State) -> None:
    """Make the start page and the page of a question known to the server."""

    @ui.page("/")
    def start_page() -> None:
        with frame(state, "", here="/"), box("div", "start"):
            text(_("Ask the archive"), "h1")
            lead = _("The answer is made of messages of the forum, and shows where each one stands.")
            text(lead, "p", "lead")
            question_form(autofocus=True)
            _examples(state)

    @ui.page(PATH)
    def question_page(q: str = "", avant: str = "") -> None:
        question = " ".join(q.split())[:QUESTION_CHARS]
        earlier = [turn[:QUESTION_CHARS] for turn in avant.splitlines() if turn.strip()][-TURNS:]
        with frame(state, question or _("Ask"), here="/"):
            text(question or _("Ask the archive"), "h1", "visually-hidden")
            question_form(question, autofocus=not question)
            if question:
                _conversation(state, question, earlier)
            else:
                _examples(state)


def _examples(state: State) -> None:
    examples = state.examples()
    if not examples:
        return
    with box("section", "examples"):
        text(_("For example"), "h2")
        with box("ul"):
            for question in examples:
                with box("li"):
                    link(question, address(question), "example")


def _conversation(state: State, question: str, earlier: Sequence[str]) -> None:
    """The question being answered: where it stands, the answer, then the messages that it may rest on."""
    with box("div", "status-line"):
        progress = text(_("Reading the archive…"), "p", "progress", role="status")
        stopper = button(_("Stop"), lambda: stop(), "button quiet stop")
    flaw = state.archive.gate.flaw() if state.engine.gate == "on" else None
    if flaw is not None:
        text(message(flaw), "p", "notice")
    searched = box("div", "searched")
    written = box("section", "answer")
    going_on = box("div", "going-on")
    found = box("section", "sources")
    stream: QuestionStream | None = None
    pieces: list[str] = []
    draft = None
    with written:
        draft = text("", "p", "draft")
        draft.set_visibility(False)

    def begin(answerer: Answerer = "auto") -> None:
        nonlocal stream
        if stream is None:  # a reconnection must not ask again
            stream = QuestionStream(state, question, earlier, answerer=answerer)
            ui.context.client.on_delete(stream.stop)

    def stop() -> None:
        if stream is not None:
            stream.stop()
        progress.text = _("Stopping…")
        stopper.set_visibility(False)

    def end(said: str = "") -> None:
        ticking.cancel()
        progress.text = said
        progress.set_visibility(bool(said))
        stopper.set_visibility(False)

    def go_on() -> None:
        with going_on:
            follow_up_form("\n".join([*earlier, question][-TURNS:]))

    def take(event: Event) -> None:
        match event:
            case EvidenceFound(evidence, search):
                progress.text = _("Writing the answer…")
                if search:
                    with searched:
                        searched_form(search)
                _sources(found, evidence)
            case Queued(ahead):
                progress.text = _queued(ahead) if ahead else _("Writing the answer…")
            case Piece(piece):
                pieces.append(piece)
            case Answer():
                written.clear()
                with written:
                    _answer(state, event)
                if event.zone is Zone.WEAK:
                    written.classes("weak")
                go_on()
                _sources(found, event.evidence)
            case Abstention():
                written.clear()
                with written:
                    _abstention(event, question)
                go_on()
                _sources(found, event.evidence, _("Perhaps related"))
            case Declined():
                written.clear()
                with written:
                    text(event.reason, "p", "abstention")
            case "done":
                end()
            case "stopped":
                end(_("Stopped. What was written so far has not been checked."))
            case Exception():
                written.clear()
                with written:
                    known = event if isinstance(event, ArchivisteError) else ArchivisteError()
                    text(message(known), "p", "notice", role="alert")

    def tick() -> None:
        if stream is None:
            return
        before = len(pieces)
        for event in stream.arrived():
            take(event)
        if len(pieces) > before and not draft.is_deleted:
            draft.set_visibility(True)
            draft.text = while_streaming("".join(pieces))

    # A timer waits for the browser: an address that is only prefetched asks nothing.
    ui.timer(0, begin, once=True)
    ticking = ui.timer(TICK_S, tick)


def _queued(ahead: int) -> str:
    return ngettext(
        "The model is answering: {count} question is before yours. The messages found are already below.",
        "The model is answering: {count} questions are before yours. The messages found are already below.",
        ahead,
    ).format(count=i18n.number(ahead))


def _answer(state: State, answer: Answer) -> None:
    text(heading(answer), "h2")
    if said := caution(answer):
        text(said, "p", "caution")
    for notice in answer.notices:
        text(message(notice), "p", "notice")
    if "llm_off" in answer.notices:

        def again() -> None:
            state.models.retry()
            ui.navigate.reload()

        button(_("Try the language model again"), again, "button quiet")
    answer_part.show(answer, state.archive.sources_now(answer.citations))


def _abstention(abstention: Abstention, question: str) -> None:
    for notice in abstention.notices:
        text(message(notice), "p", "notice")
    text(message(abstention.reason), "p", "abstention")
    if said := invitation(abstention):
        text(said, "p", "invitation")
    link(_("Search these words in the archive"), search.address(question), "button quiet")


def _sources(place: ui.element, evidence: Sequence[Evidence], title: str = "") -> None:
    """The messages found, in place of those shown before."""
    place.clear()
    if not evidence:
        return
    with place:
        text(title or _("Messages found"), "h2")
        with box("ol", "source-list"):
            for item in evidence:
                source(item)
