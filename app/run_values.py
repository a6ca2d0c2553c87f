"""A run of `evaluate` as it was kept: what a page shows of it, and no more. Values only; `runs` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

Measures = Mapping[str, float]  # measure → its mean, or its value for one question
Levels = Mapping[str, tuple[int, Measures]]  # level → (questions, means)
ANSWERS = "answers"  # the level of what came of a question that was answered


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the figures depend on. `name` is the file's, without its ending."""

    name: str
    at: datetime
    took_s: float
    file: str  # the path of the questions
    sha256: str
    questions: int
    posts: int
    topics: int
    generation: str
    model: str  # of the vectors, "" without any
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question through one configuration. Ranks start at 1; None means not found, or nothing to find.

    `scores` has, for each level, what one comparison needs. `abstained` is None where that was not looked at.
    """

    id: str
    text: str
    topic_rank: int | None
    post_rank: int | None
    abstained: bool | None
    first: tuple[int, ...]  # the first posts, or topics
    scores: Mapping[str, Measures]


@dataclass(frozen=True, slots=True)
class Measured:
    """One configuration of a run."""

    name: str
    levels: Levels
    tags: Mapping[str, Levels]
    abstention: Mapping[str, int]  # of engine.evaluate.scoring.Abstentions, empty where nobody looked
    notices: Mapping[str, int]
    latency_ms: Mapping[str, tuple[float, float]]  # stage → (p50, p95); the whole search is "search"
    questions: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class SearchRun:
    """What a search was measured to be."""

    conditions: Conditions
    configs: tuple[Measured, ...]
    absent: tuple[str, ...]  # questions of which nothing expected is in the archive


@dataclass(frozen=True, slots=True)
class Case:
    """A question that was answered, or not."""

    id: str
    text: str
    expected: str  # "answer", "abstain", "decline"
    outcome: str  # "answer", "abstention", "declined"
    as_expected: bool
    safety: bool  # in no mean
    reason: str
    answer: str
    cited: tuple[int, ...]
    scores: Measures
    total_ms: float


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """What the answers were measured to be."""

    conditions: Conditions
    answerer: str
    outcomes: tuple[tuple[str, str, int], ...]  # (expected, outcome, questions)
    measures: Mapping[str, tuple[int, float]]  # measure → (questions, mean)
    latency_ms: Mapping[str, tuple[float, float]]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file among the runs that is none, or is damaged."""

    name: str


Run = SearchRun | AnswerRun


@dataclass(frozen=True, slots=True)
class Brief:
    """A run in a list. `figures` are (configuration, Hit@5, MRR) by topic; of answers (answerer, as expected, None)."""

    conditions: Conditions
    answers: bool
    figures: tuple[tuple[str, float, float | None], ...]
