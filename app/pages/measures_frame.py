"""What the pages of the measures share: their frame, with links from one to the other, and words of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Final
from urllib.parse import quote

from engine.evaluate.tables import shown

from .. import i18n, printed
from ..components.markup import box, link, text
from ..i18n import N_
from ..i18n import gettext as _
from ..run_values import AnswerRun, Conditions, Run
from ..state import State
from ..theme import frame

PATH: Final = "/mesures"
COMPARE, QUESTIONS, UNANSWERED = (f"{PATH}/{name}" for name in ("comparer", "questions", "sans-reponse"))
_PAGES: Final = (
    (PATH, N_("Runs")),
    (COMPARE, N_("Compare")),
    (QUESTIONS, N_("Question set")),
    (UNANSWERED, N_("Unanswered questions")),
)


@contextmanager
def measures_frame(state: State, title: str, *, here: str) -> Iterator[None]:
    """The frame of one of these pages, up to its title."""
    with frame(state, title, here=PATH, wide=True), box("div", "archive measures"):
        with box("nav", "modes", aria_label=_("Pages of the measures")):
            for path, name in _PAGES:
                link(_(name), path, "mode", **({"aria_current": "page"} if path == here else {}))
        text(title, "h1")
        yield


def run_address(name: str) -> str:
    """The page of a run; `name` is that of a file."""
    return f"{PATH}/{quote(name, safe='')}"


def moment(at: datetime) -> str:
    """« 30 nov. 2026, 07:34 », local time."""
    return f"{i18n.date_short(at)}, {at.astimezone():%H:%M}"


def said_run(run: Run) -> str:
    """« Évaluation de la recherche, 30 nov. 2026, 07:34 »."""
    kind = _("Evaluation of the answers") if isinstance(run, AnswerRun) else _("Evaluation of the search")
    return f"{kind}, {moment(run.conditions.at)}"


def file_name(conditions: Conditions) -> str:
    """The last part of the path of the questions, whatever machine wrote it."""
    return conditions.file.replace("\\", "/").rpartition("/")[2] or conditions.file


def answer_measures() -> Mapping[str, str]:
    """The names of the measures of answers, in the order in which they are shown."""
    from engine.evaluate.answers_tables import measures

    return {key: name for key, (name, _counted) in measures(printed.report_words().say).items()}


def answerer_name(answerer: str) -> str:
    """Who answered, as the choice of a new evaluation says it."""
    named = {
        "extractive": _("by extracts"), "llm": _("language model"), "remote": _("answer server"),
        "auto": _("as readers get them"),
    }  # fmt: skip
    return named.get(answerer, answerer)


def measure_name(measure: str) -> str:
    """A measure as a person reads it."""
    named = {
        "as_expected": _("as expected"), "context_recall": _("expected ones read"),
        "numbered_recall": _("expected ones numbered"), "context_precision": _("numbered ones expected"),
        "evidence_pollution": _("slots of one topic"), "pollution@5": _("of one topic in the first 5"),
        "valid_citations": _("citations that lead to their message"),
    }  # fmt: skip
    return named.get(measure) or answer_measures().get(measure) or shown(measure)


def level_name(level: str) -> str:
    """On what a figure is counted."""
    named = {
        "topic": _("By topic"), "post": _("By message"), "evidence": _("Sources given to the answer"),
        "answers": _("Answers"),
    }  # fmt: skip
    return named.get(level, level)
