"""The claims of an answer with the product's own verdict on each, whoever wrote it."""

from __future__ import annotations

import re
from typing import Final

from ..answer import citations, claims
from ..answer.sentences import split
from ..archive import Archive
from ..values import Answer, ClaimCheck
from .answers import Claim

# A line of an answer made of extracts, as `extractive.written` makes it: « words » — author, day [[n]].
EXTRACT: Final = re.compile(r"^«\u00a0(?P<words>.*)\u00a0» — [^»]*\[\[(?P<n>\d+)\]\]$", re.MULTILINE)


def claims_of(archive: Archive, answer: Answer) -> tuple[Claim, ...]:
    """Each sentence that claims something. Extracts, which the product has no need to check, are checked alike."""
    text, checks = answer.text, answer.checks
    if answer.answerer == "extractive":
        text = spoken(text)
        checks = claims.check(text, answer.evidence, analyse=archive.analyser.words, embed=archive.models.embed)
    return tuple(_claim(text, check) for check in checks)


def spoken(text: str) -> str:
    """The words of extracts, a sentence a line with the marker of its extract: who said them when claims nothing."""
    return "\n".join(
        f"{sentence.text} [[{found['n']}]]" for found in EXTRACT.finditer(text) for sentence in split(found["words"])
    )


def _claim(text: str, check: ClaimCheck) -> Claim:
    said = citations.without_markers(text[check.start : check.end]).strip()
    doubts = (f"{doubt.code.value}: {', '.join(doubt.tokens)}".rstrip(": ") for doubt in check.doubts)
    return Claim(said, check.supported, tuple(doubts))
