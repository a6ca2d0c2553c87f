"""What can be done with a finished answer: copied, saved, printed, asked again of another writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from nicegui import ui

from engine import Answer, Models

from .. import answer_export
from ..i18n import N_
from ..i18n import gettext as _
from ..state import State
from .markup import box, button, link, text
from .question_stream import Answerer

# The words of addresses stay when those of the screen change.
WRITERS: Final[Mapping[str, Answerer]] = MappingProxyType({
    "extraits": "extractive",
    "modele": "llm",
    "serveur": "remote",
})  # fmt: skip
_OFFERS: Final[Mapping[Answerer, str]] = MappingProxyType({
    "extractive": N_("Answer with extracts only"),
    "llm": N_("Answer with this computer’s model"),
    "remote": N_("Answer with the server’s model"),
})  # fmt: skip


def show(state: State, answer: Answer, again: Callable[[str], str]) -> None:
    """The row of buttons under an answer. `again` gives the address of the question for a word of WRITERS."""
    facts = state.facts()
    origin = answer_export.Origin(facts.title, facts.base_url, facts.updated_at, datetime.now(UTC))
    written = answer_export.markdown(answer, origin)
    with box("div", "answer-tools", role="group", aria_label=_("This answer")):
        text(
            _("Copy the answer"), "button", "button quiet small", type="button", data_copy=written,
            data_copied=_("Copied"),
        )  # fmt: skip
        button(_("Markdown"), lambda: _save(written, answer, "md"), "button quiet small", title=_("Save as Markdown"))
        button(
            _("HTML"), lambda: _save(answer_export.html(answer, origin), answer, "html"), "button quiet small",
            title=_("Save as a web page"),
        )  # fmt: skip
        text(_("Print or PDF"), "button", "button quiet small", type="button", data_print=True)
        for word, writer in others(answer, state.models):
            link(_(_OFFERS[writer]), again(word), "button quiet small")
    text(answer_export.origin_line(origin), "p", "printed note")


def others(answer: Answer, models: Models) -> Iterator[tuple[str, Answerer]]:
    """Who else could have written this answer on this machine, with the words of their addresses."""
    there = {"extractive": True, "llm": models.generate is not None, "remote": models.remote is not None}
    for word, writer in WRITERS.items():
        if there[writer] and writer != answer.answerer:
            yield word, writer


def _save(document: str, answer: Answer, ending: str) -> None:
    ui.download.content(document.encode(), answer_export.file_name(answer, ending))
