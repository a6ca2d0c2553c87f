"""A finished answer on the page: paragraphs whose every citation is a link to its message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from engine import Answer, Citation, ClaimCheck, Evidence, SourceState
from engine.values import PostId

from ..answer_words import changed, dropped, why
from ..i18n import gettext as _
from .answer_text import Doubted, Kind, Part, blocks
from .cards import Opens, chip
from .markup import box, text


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the parts of an answer refer to."""

    citations: dict[int, Citation]
    evidence: dict[int, Evidence]
    doubted: tuple[ClaimCheck, ...]
    states: Mapping[PostId, SourceState]
    opens: Opens | None


def show(answer: Answer, states: Mapping[PostId, SourceState] | None = None, *, opens: Opens | None = None) -> None:
    """The text of an answer. The model's words are only ever inserted as text.

    `states`: what has become of the cited posts, by post id; `opens` lets a citation open its message beside.
    """
    shown = _Shown(
        {citation.n: citation for citation in answer.citations},
        {item.n: item for item in answer.evidence},
        answer.unsupported,
        states or {},
        opens,
    )
    spans = [(check.start, check.end) for check in answer.unsupported]
    for kind, run in groupby(blocks(answer.text, shown.citations, spans), key=lambda block: block.kind):
        if kind is Kind.PARAGRAPH:
            for block in run:
                with box("p"):
                    _words(block.parts, shown)
            continue
        with box("ul", "extracts" if kind is Kind.EXTRACT else ""):
            for block in run:
                with box("li"):
                    _words(block.parts, shown)
    _notes(answer)


def _notes(answer: Answer) -> None:
    if answer.truncated:
        text(_("The answer was cut: it had become too long."), "p", "note")
    if answer.removed_links:
        text(_("Links that the archive can’t confirm were removed."), "p", "note")
    if answer.dropped:
        text(dropped(len(answer.dropped)), "p", "note")


def _words(parts: tuple[Part, ...] | tuple[str | int, ...], shown: _Shown) -> None:
    for part in parts:
        match part:
            case int():
                citation = shown.citations[part]
                said = changed(shown.states.get(citation.post_id))
                chip(citation, shown.evidence.get(part), said, shown.opens)
            case Doubted(span, inside):
                with box("span", "doubted"):
                    _words(inside, shown)
                    text(_("not verified in the sources"), "span", "doubt", title=why(shown.doubted[span]))
            case _:
                text(part)
