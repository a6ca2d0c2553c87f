"""What is judged of a question or an answer: why nothing was written, how well the evidence can answer, what it lacks.

Knows nothing about posts, models or texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Zone(StrEnum):
    """How well the evidence can answer; empty never reaches a model."""

    EMPTY = "empty"
    WEAK = "weak"
    NORMAL = "normal"


class AbstentionReason(StrEnum):
    """Why no answer was written."""

    NO_EVIDENCE = "no_evidence"
    NO_MATCH = "no_match"  # evidence, but no sentence of it speaks of the question
    NO_CITATION = "no_citation"  # the model cited nothing of the evidence, or nothing that supports what it wrote
    QUESTION_EMPTY = "question_empty"


class DoubtCode(StrEnum):
    """Why a sentence of an answer is not taken as supported by the posts that it cites."""

    UNCITED = "uncited"  # it cites none
    NUMBER = "number"
    UNIT = "unit"  # the number is there, with another unit
    DATE = "date"
    NAME = "name"  # a proper name, a brand, a code
    QUOTE = "quote"  # words between quotation marks
    NEGATION = "negation"  # the posts say the contrary
    WORDS = "words"  # too little of what it speaks of


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason to doubt a sentence, with the words of it that no cited post holds."""

    code: DoubtCode
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A sentence of an answer, `text[start:end]`, the numbers that it cites and what speaks against it."""

    start: int
    end: int
    cited: tuple[int, ...]
    doubts: tuple[Doubt, ...] = ()

    @property
    def supported(self) -> bool:
        """Whether the cited posts hold what the sentence claims, as far as can be told."""
        return not self.doubts


class SourceState(StrEnum):
    """What has become of a cited post since it was read."""

    HELD = "held"
    EDITED = "edited"
    GONE = "gone"  # deleted, or no longer public


@dataclass(frozen=True, slots=True)
class Declined:
    """A question that a rule of the gate turned away, before any search or model; `reason` is the rule's sentence."""

    question: str
    rule: str
    reason: str
    search: str = ""  # what the rule caught, when the question leaned on earlier ones
