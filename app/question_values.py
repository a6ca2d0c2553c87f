"""A question of the log as a value, and the questions that say the same put together.

Knows nothing about where they are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine import Zone
from engine.index.french import Analyse, fold


class Outcome(StrEnum):
    """What came of a question."""

    ANSWER = "answer"
    ABSTENTION = "abstention"
    DECLINED = "declined"


class Complaint(StrEnum):
    """Why an answer was not good, as its reader says."""

    WRONG = "wrong"  # what it says is not true
    BESIDE = "beside"  # it speaks of something else
    INCOMPLETE = "incomplete"
    SOURCES = "sources"  # its messages don't say this
    OUTDATED = "outdated"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Logged:
    """A question as it was kept. `reason` is an abstention's, or the rule that declined; `sources` the cited posts."""

    id: int
    asked_at: datetime  # to the hour
    question: str
    search: str  # what was searched, when the question leaned on earlier ones
    outcome: Outcome
    reason: str
    zone: str
    answerer: str
    sources: tuple[int, ...]
    good: bool | None  # None while nobody said
    complaint: Complaint | None
    comment: str

    @property
    def text(self) -> str:
        """The question as it can be understood alone."""
        return self.search or self.question

    @property
    def unanswered(self) -> bool:
        """Whether it got no answer, a cautious one that nobody liked, or one that somebody disliked."""
        if self.outcome is Outcome.ABSTENTION:
            return True
        weak = self.outcome is Outcome.ANSWER and self.zone == Zone.WEAK
        return self.good is False or (weak and self.good is None)


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that say the same, in the words that were used most; how often each thing went wrong."""

    question: str
    rows: tuple[Logged, ...]  # the oldest first

    @property
    def times(self) -> int:
        """How often it was asked."""
        return len(self.rows)

    @property
    def last(self) -> datetime:
        """When it was asked last, to the hour."""
        return max(row.asked_at for row in self.rows)

    @property
    def abstentions(self) -> int:
        """How often nothing was answered."""
        return sum(row.outcome is Outcome.ABSTENTION for row in self.rows)

    @property
    def weak(self) -> int:
        """How often the answer was a cautious one."""
        return sum(row.outcome is Outcome.ANSWER and row.zone == Zone.WEAK for row in self.rows)

    @property
    def disliked(self) -> int:
        """How often a reader said that it was not good."""
        return sum(row.good is False for row in self.rows)


def grouped(rows: Iterable[Logged], analyse: Analyse) -> tuple[Group, ...]:
    """The questions of the same words whatever their order, accents, plurals and small words; the most asked first."""
    found: dict[object, list[Logged]] = {}
    for row in rows:
        terms = frozenset(analyse(row.text))
        found.setdefault(terms or fold(row.text), []).append(row)
    groups = [Group(Counter(row.text for row in same).most_common(1)[0][0], tuple(same)) for same in found.values()]
    return tuple(sorted(groups, key=lambda group: (-group.times, -group.rows[-1].id)))
