"""The archive's own question set: /mesures/questions?q=… lists it, adds, changes and deletes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from nicegui import run, ui

from engine import ArchivisteError
from engine.evaluate.questions import Question
from engine.index.french import fold
from engine.store.archive import PostRow
from engine.values import PostId

from .. import i18n, question_set
from ..components import expected
from ..components.later import later
from ..components.markup import box, button, link, text
from ..components.pager import page_number, pager
from ..i18n import gettext as _
from ..i18n import ngettext
from ..messages import message
from ..search_place import Place
from ..state import State
from .measures_frame import QUESTIONS, measures_frame

PAGE = 50


@dataclass(frozen=True, slots=True)
class _Set:
    questions: tuple[Question, ...]
    held: Mapping[PostId, PostRow]  # the expected messages of the page shown that the archive holds
    shown: tuple[Question, ...]
    kept: int  # questions that the words keep
    page: int
    pages: int


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(QUESTIONS)
    def questions_page(q: str = "", page: str = "") -> None:
        words, number = " ".join(q.split())[:200], page_number(page)
        with measures_frame(state, _("Question set"), here=QUESTIONS):
            said = _(
                "Questions of this archive with the messages that answer them. They measure whether a change makes"
                " the search better or worse."
            )
            text(said, "p", "lead")
            with box("p", "buttons"):
                button(_("Add a question"), lambda: expected.edit(state, question_set.NEW, saved=show.refresh))

            @ui.refreshable
            def show() -> None:
                later(lambda: _read(state, words, number), lambda found: _show(state, found, words, show.refresh))

            show()


def _read(state: State, words: str, number: int) -> _Set:
    questions = question_set.load(state.engine.data)
    wanted = fold(words).split()
    kept = [each for each in questions if all(w in fold(each.text + " " + " ".join(each.tags)) for w in wanted)]
    pages = max(1, -(-len(kept) // PAGE))
    page = min(number, pages)
    shown = tuple(kept[(page - 1) * PAGE : page * PAGE])
    held = state.archive.store.posts([post for each in shown for post in each.post_ids])
    return _Set(questions, held, shown, len(kept), page, pages)


def _show(state: State, found: _Set, words: str, again: Callable[[], object]) -> None:
    if not found.questions:
        with box("div", "empty"):
            text(_("The set is empty"), "h2")
            said = _("Add a question here, from any result of a search, or from the questions that had no answer.")
            text(said, "p")
            link(_("Search the archive"), Place().address, "button quiet")
        return
    with box("form", "search narrow-words", action=QUESTIONS, method="get"):
        field = box("input", "field", name="q", maxlength=200, autocomplete="off",
                    placeholder=_("Words or tags"), aria_label=_("Words or tags"))  # fmt: skip
        field.props["defaultValue"] = words
        text(_("Filter"), "button", "button quiet", type="submit")
    count = ngettext("{n} question", "{n} questions", found.kept).format(n=i18n.number(found.kept))
    text(count, "p", "count", role="status")
    with box("ul", "asked"):
        for question in found.shown:
            with box("li"):
                _question(state, question, found.held, again)
    pager(found.page, found.pages, lambda n: QUESTIONS + "?" + urlencode({"q": words, "page": n}))


def _question(state: State, question: Question, held: Mapping[PostId, PostRow], again: Callable[[], object]) -> None:
    with box("p", "asked-question"):
        link(question.text, Place(question.text).address)
    with box("p", "note asked-facts"):
        text(question.id, "code")
        for tag in (*question.tags, *filter(None, [question.difficulty])):
            text(tag, "span", "tag")
    with box("ul", "expected"):
        for post_id in question.post_ids:
            with box("li"):
                if row := held.get(post_id):
                    link(_("{title}, message {n}").format(title=row.title, n=row.post_number), row.path)
                else:
                    text(_("message {id}, not in the archive").format(id=post_id), "span", "note")
        if not question.post_ids:
            for topic_id in question.topic_ids:
                with box("li"):
                    link(_("topic {id}").format(id=topic_id), f"/t/-/{topic_id}")
        if not question.judged:
            text(_("Expected: {what}").format(what=_(expected.EXPECTED[question.expects])), "li", "note")
    if question.notes:
        text(question.notes, "p", "note")

    async def remove() -> None:
        if not state.may("moderate"):
            return
        said = await run.io_bound(_removed, state, question.id)
        if said:
            ui.notify(said)
        else:
            again()

    def ask() -> None:
        sure.set_visibility(True)
        first.set_visibility(False)

    def keep() -> None:
        sure.set_visibility(False)
        first.set_visibility(True)

    with box("div", "buttons small-buttons"):
        label = _("{action}: {question}")
        button(_("Edit"), lambda: expected.edit(state, question, saved=again), "button quiet small",
               aria_label=label.format(action=_("Edit"), question=question.text))  # fmt: skip
        first = button(_("Delete"), ask, "button quiet small",
                       aria_label=label.format(action=_("Delete"), question=question.text))  # fmt: skip
        sure = box("span", "sure")
        with sure:
            button(_("Delete it for good"), remove, "button small")
            button(_("Keep it"), keep, "button quiet small")
        sure.set_visibility(False)


def _removed(state: State, question_id: str) -> str:
    try:
        question_set.remove(state.engine.data, question_id)
    except ArchivisteError as error:
        return message(error)
    return ""
