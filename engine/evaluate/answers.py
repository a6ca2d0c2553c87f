"""What came of a question when the product answered it, and the measures of an answer, under RAGAS's names.

RAGAS (Es et al., "RAGAS: Automated Evaluation of Retrieval Augmented Generation", EACL 2024) judges by layer. Of the
retrieval: `context_precision` and `context_recall` (`scoring.py`). Of the generation: `faithfulness` and
`answer_relevancy`. RAGAS asks a language model for the last two. Here faithfulness is measured by the product's own
check of claims, and by a language model beside it when there is a judge; answer relevancy exists only with a judge.

Knows nothing about how a question is asked nor about files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from ..seams import Vectors
from ..values import PostId, TopicId
from . import metrics
from .questions import Expect, Question

SAFETY = "safety"  # the tag of questions that are told one by one and enter no mean


class Kind(StrEnum):
    """What came of a question."""

    ANSWER = "answer"
    ABSTENTION = "abstention"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer that claims something, and what speaks against it; no reason means supported."""

    text: str
    supported: bool
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What a language model made of an answer. None where its reply could not be read (`failed` says which)."""

    claims: tuple[Claim, ...] | None
    questions: tuple[str, ...]  # those that the answer would answer
    evasive: bool
    relevancy: float | None
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A question and all that the product made of it."""

    question: Question
    kind: Kind
    text: str  # the answer, or the sentence of the rule that turned the question away
    reason: str = ""  # of an abstention, or the rule
    zone: str = ""
    answerer: str = ""
    cited: tuple[PostId, ...] = ()
    cited_topics: tuple[TopicId, ...] = ()
    markers: int = 0  # numbers that the text cites
    valid: int = 0  # those that lead to a post of the evidence that the archive holds
    claims: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()  # sentences that were taken out of the text because nothing supports them
    removed_links: int = 0
    truncated: bool = False
    notices: tuple[str, ...] = ()
    context: Mapping[str, float] = field(default_factory=dict)  # RAGAS's measures of what was given to the answer
    cosine: float | None = None  # of the question and the answer
    evidence_ms: float | None = None  # until there was something to read
    total_ms: float = 0.0
    judged: Judged | None = None

    @property
    def as_expected(self) -> bool:
        """Whether what had to happen did; a question turned away is not answered either, where nothing should be."""
        match self.question.expects:
            case Expect.ANSWER:
                return self.kind is Kind.ANSWER
            case Expect.ABSTAIN:
                return self.kind is not Kind.ANSWER
            case Expect.DECLINE:
                return self.kind is Kind.DECLINED

    @property
    def safety(self) -> bool:
        """Whether it is told on its own and enters no mean."""
        return SAFETY in self.question.tags


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in figures, without the safety questions. A mean goes with the number of questions that it is over."""

    questions: int
    outcomes: Mapping[tuple[Expect, Kind], int]
    means: Mapping[str, tuple[int, float]]
    markers: int
    valid: int
    claims: int
    supported: int
    dropped: int
    removed_links: int
    truncated: int
    latency_ms: Mapping[str, tuple[float, float]]  # p50 and p95, of "evidence" and "total"

    def count(self, expected: Expect, kind: Kind) -> int:
        """How many questions that expected the one came to the other."""
        return self.outcomes.get((expected, kind), 0)

    @property
    def right_abstentions(self) -> tuple[int, int]:
        """(abstentions, questions) where the archive has no answer."""
        return self._of(Expect.ABSTAIN, Kind.ABSTENTION)

    @property
    def wrong_abstentions(self) -> tuple[int, int]:
        """(abstentions, questions) where the archive has one."""
        return self._of(Expect.ANSWER, Kind.ABSTENTION)

    @property
    def right_refusals(self) -> tuple[int, int]:
        """(refusals, questions) where the gate must refuse."""
        return self._of(Expect.DECLINE, Kind.DECLINED)

    @property
    def wrong_refusals(self) -> tuple[int, int]:
        """(refusals, questions) everywhere else."""
        found = [self._of(expected, Kind.DECLINED) for expected in (Expect.ANSWER, Expect.ABSTAIN)]
        return sum(refused for refused, _ in found), sum(asked for _, asked in found)

    def _of(self, expected: Expect, kind: Kind) -> tuple[int, int]:
        return self.count(expected, kind), sum(self.count(expected, other) for other in Kind)


def citation_precision(cited: Sequence[int], expected: Collection[int]) -> float:
    """Cited posts that are expected / cited posts, each counted once; 0 when none is cited."""
    return metrics.precision(tuple(dict.fromkeys(cited)), expected)


def citation_recall(cited: Sequence[int], expected: Collection[int]) -> float:
    """Expected posts that are cited / expected posts. Any one may be enough for a good answer: see `citation_hit`."""
    return metrics.recall(cited, expected)


def citation_hit(cited: Sequence[int], expected: Collection[int]) -> float:
    """1 if anything expected is cited, else 0."""
    return metrics.hit(cited, expected, len(cited))


def faithfulness(claims: Sequence[Claim]) -> float:
    """RAGAS's faithfulness: claims that the context supports / claims. The claims are not none."""
    return sum(claim.supported for claim in claims) / len(claims)


def answer_relevancy(question: Vectors, generated: Vectors) -> float:
    """RAGAS's answer relevancy: mean cosine of the question and of the questions made from the answer.

    `question` is (d,) and `generated` (n, d) with n > 0, float32 rows of norm 1. An evasive answer counts 0: the
    caller's business.
    """
    return float(np.mean(generated @ question))


def scores(case: Case) -> dict[str, float]:
    """Every measure that this case allows, by name. Citations are measured where an answer says what it rests on."""
    found = dict(case.context)
    if case.kind is not Kind.ANSWER:
        return found
    question = case.question
    if question.judged:
        posts = bool(question.post_ids)
        cited: Sequence[int] = case.cited if posts else case.cited_topics
        expected = frozenset[int](question.post_ids if posts else question.topic_ids)
        found["citation_precision"] = citation_precision(cited, expected)
        found["citation_recall"] = citation_recall(cited, expected)
        found["citation_hit"] = citation_hit(cited, expected)
    if case.markers:
        found["valid_citations"] = case.valid / case.markers
    if case.claims:
        found["faithfulness"] = faithfulness(case.claims)
    if case.cosine is not None:
        found["question_answer_cosine"] = case.cosine
    if case.judged is not None:
        if case.judged.claims:
            found["faithfulness_judge"] = faithfulness(case.judged.claims)
        if case.judged.relevancy is not None:
            found["answer_relevancy"] = case.judged.relevancy
    return found | {"citations": float(len(case.cited)), "characters": float(len(case.text))}


def summarise(cases: Iterable[Case]) -> Summary:
    """The figures of these cases, the safety ones left out."""
    kept = [case for case in cases if not case.safety]
    outcomes: dict[tuple[Expect, Kind], int] = {}
    values: dict[str, list[float]] = {}
    for case in kept:
        key = (case.question.expects, case.kind)
        outcomes[key] = outcomes.get(key, 0) + 1
        for name, value in scores(case).items():
            values.setdefault(name, []).append(value)
    first = [case.evidence_ms for case in kept if case.evidence_ms is not None]
    spent = {"evidence": first, "total": [case.total_ms for case in kept if case.kind is not Kind.DECLINED]}
    return Summary(
        questions=len(kept), outcomes=outcomes,
        means={name: (len(found), sum(found) / len(found)) for name, found in values.items()},
        markers=sum(case.markers for case in kept), valid=sum(case.valid for case in kept),
        claims=sum(len(case.claims) for case in kept),
        supported=sum(claim.supported for case in kept for claim in case.claims),
        dropped=sum(len(case.dropped) for case in kept), removed_links=sum(case.removed_links for case in kept),
        truncated=sum(case.truncated for case in kept),
        latency_ms={
            name: (float(np.percentile(ms, 50)), float(np.percentile(ms, 95))) for name, ms in spent.items() if ms
        },
    )  # fmt: skip
