"""What the archive lacks: /mesures/sans-reponse lists the questions of readers that got no good answer, and why."""

from __future__ import annotations

from collections import Counter

from nicegui import ui

from engine.evaluate.questions import Question

from ..components import expected
from ..components.later import later
from ..components.markup import box, button, link, text
from ..i18n import gettext as _
from ..question_values import Group
from ..question_words import COMPLAINTS, reasons
from ..search_place import Place
from ..state import State
from .measures_frame import UNANSWERED, measures_frame

MOST = 100
COMMENTS = 5


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(UNANSWERED)
    def unanswered_page() -> None:
        with measures_frame(state, _("Unanswered questions"), here=UNANSWERED):
            said = _(
                "Questions that got no answer, a cautious one, or one that a reader found bad. Nobody knows who asked"
                " them."
            )
            text(said, "p", "lead")
            log = state.log
            if log is None:
                text(_("Questions are not kept: the settings say so."), "p", "notice")
                return
            later(lambda: log.unanswered(MOST), lambda found: _show(state, found))


def _show(state: State, groups: tuple[Group, ...]) -> None:
    if not groups:
        text(_("None: every question that was kept got an answer that nobody disliked."), "p", "note")
        return
    with box("ul", "asked"):
        for group in groups:
            with box("li"):
                _group(state, group)


def _group(state: State, group: Group) -> None:
    text(group.question, "p", "asked-question")
    text(" · ".join(reasons(group)), "p", "note")
    complaints = Counter(row.complaint for row in group.rows if row.good is False and row.complaint is not None)
    if complaints:
        told = (f"{_(COMPLAINTS[c])} ({n})" if n > 1 else _(COMPLAINTS[c]) for c, n in complaints.most_common())
        text(", ".join(told), "p", "note complaints icon-no")
    comments = list(dict.fromkeys(row.comment for row in group.rows if row.comment))
    for comment in comments[-COMMENTS:]:
        text(f"«\u00a0{comment}\u00a0»", "p", "note")
    with box("div", "buttons small-buttons"):
        label = _("{action}: {question}")
        link(_("Search for it"), Place(group.question).address, "button quiet small",
             aria_label=label.format(action=_("Search for it"), question=group.question))  # fmt: skip
        button(_("Add to the question set"), lambda: expected.edit(state, Question("", group.question)),
               "button quiet small",
               aria_label=label.format(action=_("Add to the question set"), question=group.question))  # fmt: skip
