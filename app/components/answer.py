"""A finished answer on the page: paragraphs whose every citation is a link to its message."""

from __future__ import annotations

from itertools import groupby

from engine import Answer, Citation, Evidence

from ..i18n import gettext as _
from .answer_text import Block, Kind, blocks
from .cards import chip
from .markup import box, text


def show(answer: Answer) -> None:
    """The text of an answer. The model's words are only ever inserted as text."""
    citations = {citation.n: citation for citation in answer.citations}
    evidence = {item.n: item for item in answer.evidence}
    for kind, run in groupby(blocks(answer.text, citations), key=lambda block: block.kind):
        if kind is Kind.PARAGRAPH:
            for block in run:
                with box("p"):
                    _words(block, citations, evidence)
            continue
        with box("ul", "extracts" if kind is Kind.EXTRACT else ""):
            for block in run:
                with box("li"):
                    _words(block, citations, evidence)
    if answer.truncated:
        text(_("The answer was cut: it had become too long."), "p", "note")
    if answer.removed_links:
        text(_("Links that the archive can’t confirm were removed."), "p", "note")


def _words(block: Block, citations: dict[int, Citation], evidence: dict[int, Evidence]) -> None:
    for part in block.parts:
        if isinstance(part, int):
            chip(citations[part], evidence.get(part))
        else:
            text(part)
