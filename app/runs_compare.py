"""Two configurations, of one run or of two, on the questions that both were asked. Pure.

Questions are the same when their names and their words are; the intervals are those of `engine.evaluate.compare`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.evaluate.compare import MEASURES, Difference, bootstrap
from engine.evaluate.scoring import Level

from .run_values import ANSWERS, AnswerRun, Measures, Run

Scores = Mapping[tuple[str, str], Mapping[str, Measures]]  # (name, words) of a question → level → measure → value
# The first measure of a level says which questions are gained or lost.
COMPARED: Mapping[str, tuple[str, ...]] = {
    **{level.value: MEASURES[level] for level in Level},
    ANSWERS: ("as_expected", "citation_hit", "citation_precision", "faithfulness", "context_recall"),
}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: a run, and one of its configurations ("" for answers)."""

    run: Run
    config: str

    @property
    def key(self) -> str:
        """What names it in an address."""
        return f"{self.run.conditions.name}/{self.config}" if self.config else self.run.conditions.name


@dataclass(frozen=True, slots=True)
class LevelCompared:
    """`b` against `a` at one level. `differences` go with the number of questions that both have a value for."""

    level: str
    differences: tuple[tuple[int, Difference], ...]
    gained: tuple[tuple[str, str], ...]  # (name, words)
    lost: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Everything that two sides share; `alone` are the questions that only one of them was asked."""

    common: int
    alone: int
    levels: tuple[LevelCompared, ...]


def side(run: Run, config: str) -> Side:
    """That configuration of a run, its last one when it has none of this name."""
    if isinstance(run, AnswerRun):
        return Side(run, "")
    names = [measured.name for measured in run.configs]
    return Side(run, config if config in names else names[-1])


def scores(found: Side) -> Scores:
    """Every question of a side with its figures."""
    run = found.run
    if isinstance(run, AnswerRun):
        return {
            (case.id, case.text): {ANSWERS: {**case.scores, "as_expected": float(case.as_expected)}}
            for case in run.cases
            if not case.safety
        }
    measured = next(each for each in run.configs if each.name == found.config)
    return {(asked.id, asked.text): asked.scores for asked in measured.questions}


def compare(a: Side, b: Side) -> Compared:
    """What changes from `a` to `b`."""
    base, other = scores(a), scores(b)
    common = [key for key in base if key in other]
    levels = (_level(level, common, base, other) for level in COMPARED)
    alone = len(base.keys() ^ other.keys())
    return Compared(len(common), alone, tuple(level for level in levels if level is not None))


def _level(level: str, common: list[tuple[str, str]], base: Scores, other: Scores) -> LevelCompared | None:
    differences: list[tuple[int, Difference]] = []
    gained: list[tuple[str, str]] = []
    lost: list[tuple[str, str]] = []
    for n, measure in enumerate(COMPARED[level]):
        pairs = [
            (key, before, after)
            for key in common
            if (before := base[key].get(level, {}).get(measure)) is not None
            if (after := other[key].get(level, {}).get(measure)) is not None
        ]
        if not pairs:
            continue
        values = [(before, after) for _key, before, after in pairs]
        low, high = bootstrap([after - before for before, after in values])
        first, second = (sum(value[side] for value in values) / len(values) for side in (0, 1))
        differences.append((len(pairs), Difference(measure, first, second, low, high)))
        if n == 0:
            gained = [key for key, before, after in pairs if after > before]
            lost = [key for key, before, after in pairs if after < before]
    return LevelCompared(level, tuple(differences), tuple(gained), tuple(lost)) if differences else None
