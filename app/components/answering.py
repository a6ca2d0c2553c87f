"""One question on its page while it is answered: what was found first, the words as they are written, then the answer.

The address of the page says everything: reloading asks the same again, and an answer that was written is kept by the
archive. Sleeping is no end: the page goes on when the computer wakes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nicegui import ui

from engine import (
    Abstention,
    Answer,
    ArchivisteError,
    Declined,
    Evidence,
    EvidenceFound,
    IndexUnavailable,
    Piece,
    Queued,
)
from engine.answer.condense import TURNS

from .. import i18n
from ..answer_words import basis, caution, heading, invitation, written_by
from ..i18n import gettext as _
from ..i18n import ngettext
from ..messages import message
from ..readiness import ARCHIVE
from ..state import State
from . import answer as answer_part
from . import answer_tools
from .answer_text import while_streaming
from .cards import source
from .context_panel import ContextPanel
from .feedback import Feedback
from .markup import box, button, has_page, link, text
from .question_form import follow_up_form, searched_form
from .question_stream import Answerer, Event, Kept, QuestionStream

TICK_S = 0.15  # the page follows the model 5 to 10 times a second, as people read


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, those that it goes on from (oldest first), and who is to answer."""

    question: str
    earlier: Sequence[str] = ()
    answerer: Answerer = "auto"


class Answering:
    """The blocks of a page that a question fills. `again` gives its address for another writer of the answer."""

    def __init__(self, state: State, asking: Asking, *, again: Callable[[str], str], search_address: str) -> None:
        self._state, self._asking, self._again, self._search_address = state, asking, again, search_address
        self._stream: QuestionStream | None = None
        self._pieces: list[str] = []
        self._declined = False
        self._waits = True  # for the messages, in whose place something grey stands
        self._build()
        # A timer waits for the browser: an address that is only prefetched asks nothing.
        ui.timer(0, self._begin, once=True)
        self._ticking = ui.timer(TICK_S, self._tick)
        ui.on("left", self._leave)  # said by assets/js/ask.js

    # --- the page ---

    def _build(self) -> None:
        with box("div", "said"):
            # What is going on, then the heading of the answer in its place: nothing moves.
            with box("div", "status-line") as self._line:
                self._progress = text(_("Reading the archive…"), "p", "progress", role="status")
                self._stopper = button(_("Stop"), self._stop, "button quiet small stop")
            gate = self._state.archive.gate
            flaw = gate.flaw() if self._state.engine.gate == "on" else None
            if flaw is not None:
                text(message(flaw), "p", "notice")
            self._searched = box("div", "searched")
            self._written = box("section", "answer", aria_label=_("Answer"))
            self._opinion = box("div", "opinion")
            self._going_on = box("div", "going-on")
        with box("div", "beside") as beside:
            self._panel = ContextPanel(self._state, beside)
            self._found = box("section", "sources")
        with self._found:
            _waiting()
        with self._written:
            self._draft = text("", "p", "draft")
            self._draft.set_visibility(False)

    # --- its life ---

    def _begin(self) -> None:
        if self._stream is None:  # a reconnection must not ask again
            asking = self._asking
            self._stream = QuestionStream(self._state, asking.question, asking.earlier, answerer=asking.answerer)
            ui.context.client.on_delete(self._stream.stop)
            ui.run_javascript("archiviste.remember()")

    def _leave(self) -> None:
        if self._stream is not None:
            self._stream.stop()

    def _stop(self) -> None:
        self._leave()
        self._progress.text = _("Stopping…")
        self._stopper.set_visibility(False)

    def _tick(self) -> None:
        if self._stream is None:
            return
        before = len(self._pieces)
        for event in self._stream.arrived():
            self._take(event)
        if len(self._pieces) > before and not self._draft.is_deleted:
            self._draft.set_visibility(True)
            self._draft.text = while_streaming("".join(self._pieces))

    def _take(self, event: Event) -> None:
        match event:
            case EvidenceFound(evidence, search):
                self._progress.text = _("Writing the answer…")
                if search:
                    with self._searched:
                        searched_form(search)
                self._sources(evidence)
            case Queued(ahead):
                self._progress.text = _queued(ahead) if ahead else _("Writing the answer…")
            case Piece(piece):
                self._pieces.append(piece)
            case Answer():
                self._sources(event.evidence)
                self._finish(lambda: self._answer(event))
                self._go_on()
            case Abstention():
                self._sources(event.evidence, _("Perhaps related"))
                self._finish(lambda: self._abstention(event))
                self._go_on()
            case Declined():
                self._declined = True
                self._sources(())
                self._finish(lambda: self._refusal(event))
            case Kept(question_id):
                if self._state.log is not None and not self._declined:
                    with self._opinion:
                        Feedback(self._state.log, question_id)
            case "done":
                self._end()
            case "stopped":
                self._end(_("Stopped. What was written so far has not been checked."))
            case "cut":
                self._end(_("The server is stopping: this answer was cut. Ask again in a moment."))
            case Exception():
                self._sources(())
                self._finish(lambda: self._failure(event))

    def _finish(self, show: Callable[[], object]) -> None:
        self._written.clear()
        with self._written:
            show()

    def _end(self, said: str = "") -> None:
        self._ticking.cancel()
        self._progress.text = said
        self._progress.set_visibility(bool(said))
        self._stopper.set_visibility(False)
        if said:  # nothing more will come to replace what stands for messages
            with self._written:
                button(_("Ask again"), ui.navigate.reload, "button quiet small")
            if self._waits:
                self._found.clear()

    # --- what came ---

    def _answer(self, answer: Answer) -> None:
        self._title(heading(answer), f"basis {answer.zone}", basis(answer))
        if said := caution(answer):
            text(said, "p", "caution")
        for notice in answer.notices:
            text(message(notice), "p", "notice")
        if "llm_off" in answer.notices:
            button(_("Try the language model again"), self._retry, "button quiet")
        states = self._state.archive.sources_now(answer.citations)
        answer_part.show(answer, states, opens=self._panel.opens_from)
        text(written_by(answer), "p", "note")
        answer_tools.show(self._state, answer, self._again)
        self._written.classes(str(answer.zone))

    def _title(self, said: str, look: str = "", beside: str = "") -> None:
        """The heading of what came, in the line that told what was going on."""
        with self._line:
            text(said, "h2", "answer-title").move(target_index=0)
            if beside:
                text(beside, "span", look).move(target_index=1)

    def _refusal(self, declined: Declined) -> None:
        self._title(_("Not a question for the archive"))
        text(declined.reason, "p", "abstention")

    def _abstention(self, abstention: Abstention) -> None:
        self._title(_("No clear answer in the archive"))
        for notice in abstention.notices:
            text(message(notice), "p", "notice")
        text(message(abstention.reason), "p", "abstention")
        if said := invitation(abstention):
            text(said, "p", "invitation")
        link(_("Search these words in the archive"), self._search_address, "button quiet small")

    def _failure(self, error: Exception) -> None:
        self._title(_("No answer could be written"))
        text(message(error if isinstance(error, ArchivisteError) else ArchivisteError()), "p", "notice", role="alert")
        with box("div", "answer-tools"):
            if isinstance(error, IndexUnavailable) and self._state.may("moderate") and has_page(ARCHIVE):
                link(_("Prepare the search"), ARCHIVE, "button quiet small")
            button(_("Ask again"), ui.navigate.reload, "button quiet small")

    def _retry(self) -> None:
        self._state.models.retry()
        ui.navigate.reload()

    def _go_on(self) -> None:
        with self._going_on:
            follow_up_form("\n".join([*self._asking.earlier, self._asking.question][-TURNS:]))

    def _sources(self, evidence: Sequence[Evidence], title: str = "") -> None:
        """The messages found, in place of those shown before."""
        self._waits = False
        self._found.clear()
        if not evidence:
            return
        with self._found:
            text(title or _("Messages found"), "h2")
            with box("ol", "source-list result-list"):
                for item in evidence:
                    source(item, opens=self._panel.opens_from)


def _waiting() -> None:
    """The place of the messages while they are looked for: nothing moves when they come."""
    with box("div", "waiting", aria_hidden="true"):
        for _line in range(3):
            box("div", "waiting-line")


def _queued(ahead: int) -> str:
    return ngettext(
        "The model is answering: {count} question is before yours. The messages found are already here.",
        "The model is answering: {count} questions are before yours. The messages found are already here.",
        ahead,
    ).format(count=i18n.number(ahead))
