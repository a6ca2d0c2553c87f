"""A question of the archive's own set, in a dialog: from a search result, from the log, or to change it.

For moderators; every change asks again who is in front of the page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from nicegui import run, ui
from nicegui.events import GenericEventArguments

from engine import ArchivisteError, Hit
from engine.evaluate.questions import Expect, Question

from .. import expected_posts, question_set
from ..i18n import N_
from ..i18n import gettext as _
from ..messages import message
from ..state import State
from .markup import Attribute, box, button, text

log = logging.getLogger(__name__)
POSTS_CHARS: Final = 10_000
EXPECTED: Final = {
    Expect.ANSWER: N_("an answer"),
    Expect.ABSTAIN: N_("no answer: nothing of the archive answers"),
    Expect.DECLINE: N_("a refusal: the question must be turned away"),
}
_EMIT: Final = "(event) => emit(event.target.value)"


def offer(state: State, hit: Hit, query: str) -> None:
    """A button of a search result that makes its message the expected one of a question, this search for a start."""
    if not state.may("moderate") or state.replica is not None:  # whose questions are those of the primary
        return

    def open_dialog() -> None:
        edit(state, Question("", query, post_ids=(hit.post_id,)))

    shown = _("Expected for a question…")
    # The words that are seen come first, so that whoever speaks to the page can name the button.
    label = _("{button} Message {n} of “{title}”").format(button=shown, n=hit.post_number, title=hit.title)
    button(shown, open_dialog, "why expect", aria_label=label)


def edit(state: State, question: Question, *, saved: Callable[[], object] = lambda: None) -> None:
    """Open the dialog of a question; one without a name is added. `saved` is called once it is kept."""
    _Dialog(state, question, saved)


class _Dialog:
    """Fields filled with a question, kept as they change; made when it is asked for, and gone once closed."""

    def __init__(self, state: State, question: Question, saved: Callable[[], object]) -> None:
        self._state, self._question, self._saved = state, question, saved
        self._typed = {
            "text": question.text, "tags": ", ".join(question.tags), "difficulty": question.difficulty,
            "notes": question.notes, "expects": question.expects.value, "posts": "",
        }  # fmt: skip
        self._dialog = box("dialog", "sheet question-sheet", aria_label=self._title())
        self._dialog.on("close", self._dialog.delete, args=[])
        ui.timer(0, self._fill, once=True)

    def _title(self) -> str:
        name = self._question.id
        return _("Question {name}").format(name=name) if name else _("Add to the question set")

    async def _fill(self) -> None:
        written = await run.io_bound(expected_posts.written, self._state.archive.store, self._question)
        if written is None or self._dialog.is_deleted:
            return
        self._typed["posts"] = written
        with self._dialog:
            text(self._title(), "h2")
            self._field("text", _("Question"), tag="textarea", rows=2, maxlength=question_set.TEXT_CHARS)
            said = _("Expected messages: one address or number a line; any of them is enough")
            self._field("posts", said, tag="textarea", rows=3, maxlength=POSTS_CHARS, spellcheck="false")
            self._expects()
            self._field("tags", _("Tags, between commas"), maxlength=question_set.TEXT_CHARS)
            self._field("difficulty", _("Difficulty"), maxlength=question_set.WORD_CHARS)
            self._field("notes", _("Notes"), tag="textarea", rows=2, maxlength=question_set.NOTES_CHARS)
            self._said = text("", "p", "note", role="status")
            with box("div", "buttons"):
                button(_("Save"), self._save)
                close = text(_("Close"), "button", "button quiet", type="button")
                close.on("click", js_handler="(event) => event.target.closest('dialog').close()")
        ui.run_javascript(f"getHtmlElement({self._dialog.id}).showModal()")

    def _field(self, name: str, said: str, *, tag: str = "input", **attributes: Attribute) -> None:
        with box("label", "question-field"):
            text(said)
            field = box(tag, "field", autocomplete="off", name=name, **attributes)
            field.props["defaultValue"] = self._typed[name]
            field.on("change", lambda event: self._keep(name, event), js_handler=_EMIT)

    def _expects(self) -> None:
        with box("label", "question-field"):
            text(_("Expected when no message is named"))
            with box("select", "field", name="expects") as chosen:
                for expect, said in EXPECTED.items():
                    option = text(_(said), "option", value=expect.value)
                    option.props["selected"] = expect.value == self._typed["expects"]
            chosen.on("change", lambda event: self._keep("expects", event), js_handler=_EMIT)

    def _keep(self, name: str, event: GenericEventArguments) -> None:
        self._typed[name] = str(event.args)[:POSTS_CHARS]

    async def _save(self) -> None:
        if not self._state.may("moderate"):
            return
        said = await run.io_bound(_saved, self._state, self._question, dict(self._typed))
        if said is None or self._dialog.is_deleted:
            return
        if said:
            self._said.text = said
            return
        ui.run_javascript(f"getHtmlElement({self._dialog.id}).close()")
        ui.notify(_("The question set is up to date."))
        self._saved()


def _saved(state: State, question: Question, typed: dict[str, str]) -> str:
    """Keep what was typed; the sentence that says why not, "" when it is kept."""
    try:
        expected = expected_posts.read(state.archive.store, typed["posts"], known=question)
        if expected.unknown:
            lines = ", ".join(expected.unknown)
            return _("Nothing was saved: the archive holds no message at {lines}").format(lines=lines)
        expects = Expect(typed["expects"]) if typed["expects"] in tuple(Expect) else Expect.ABSTAIN
        judged = bool(expected.post_ids or expected.topic_ids)
        # The expectation that goes without saying is not written.
        implied = Expect.ANSWER if judged else Expect.ABSTAIN
        changed = question_set.cleaned(replace(
            question, text=typed["text"], post_ids=expected.post_ids, topic_ids=expected.topic_ids,
            tags=tuple(typed["tags"].split(",")), difficulty=typed["difficulty"], notes=typed["notes"],
            expect=None if judged or expects is implied else expects,
        ))  # fmt: skip
        if not changed.text:
            return _("Write the question first.")
        if not changed.id:
            question_set.add(state.engine.data, changed)
        elif not question_set.save(state.engine.data, changed):
            return _("This question is not in the set any more.")
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("a question could not be saved")
        return message(ArchivisteError())
    return ""
