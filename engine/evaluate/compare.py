"""Two configurations on the same questions: who gained, who lost, and how sure the difference is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .scoring import Level, Scored

RESAMPLES = 2000
SEED = 20261130  # fixed, so that a report can be made again
CONFIDENCE = 0.95
# The first one says which questions are gained or lost.
MEASURES = {
    Level.TOPIC: ("hit@5", "mrr@10"),
    Level.POST: ("hit@5", "mrr@10"),
    Level.EVIDENCE: ("context_recall",),
}
_ROWS_AT_A_TIME = 200  # resamples drawn together: their indices fit in the cache even for many questions


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of (other - base) for one measure, with the interval of a paired bootstrap at 95 %."""

    measure: str
    base: float
    other: float
    low: float
    high: float

    @property
    def delta(self) -> float:
        """What `other` gains in the mean."""
        return self.other - self.base

    @property
    def sure(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """`other` against `base` at one level. Gained and lost are ids of questions whose first measure rose or fell."""

    base: str
    other: str
    level: Level
    questions: int
    differences: tuple[Difference, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def compare(names: tuple[str, str], base: Sequence[Scored], other: Sequence[Scored], level: Level) -> Comparison | None:
    """Compare two runs of the same questions in the same order, None when one has no figures at that level."""
    both = [(a, b) for a, b in zip(base, other, strict=True) if level in a.scores and level in b.scores]
    if not both:
        return None
    differences = tuple(
        _difference(measure, [a.scores[level][measure] for a, _ in both], [b.scores[level][measure] for _, b in both])
        for measure in MEASURES[level]
    )
    first = MEASURES[level][0]
    changes = [(b.question.id, b.scores[level][first] - a.scores[level][first]) for a, b in both]
    return Comparison(
        base=names[0], other=names[1], level=level, questions=len(both), differences=differences,
        gained=tuple(name for name, change in changes if change > 0),
        lost=tuple(name for name, change in changes if change < 0),
    )  # fmt: skip


def bootstrap(differences: Sequence[float]) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles of the mean over 2,000 resamples of the questions (Efron's percentile interval)."""
    values = np.asarray(differences, np.float64)
    random = np.random.default_rng(SEED)
    drawn = [
        values[random.integers(0, len(values), (_ROWS_AT_A_TIME, len(values)))].mean(axis=1)
        for _ in range(RESAMPLES // _ROWS_AT_A_TIME)
    ]
    tail = (1 - CONFIDENCE) / 2 * 100
    low, high = np.percentile(np.concatenate(drawn), [tail, 100 - tail])
    return float(low), float(high)


def _difference(measure: str, base: Sequence[float], other: Sequence[float]) -> Difference:
    low, high = bootstrap([b - a for a, b in zip(base, other, strict=True)])
    return Difference(measure, sum(base) / len(base), sum(other) / len(other), low, high)
