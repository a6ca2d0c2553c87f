"""Fits the combination of `retrieve/combine.py` on labelled questions, cross-validated by the post that answers.

A listwise softmax over each question's candidates, weights held small by L2, by Adam on numpy: a few hundred questions
take seconds. Knows nothing about where the questions come from.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from ..retrieve.combine import FEATURES, Combination

L2 = 3e-3
STEPS = 300
STEP_SIZE = 0.05
FOLDS = 5
SEED = 1
MIN_EXAMPLES = 40  # labelled questions below which an archive's own fit would learn chance
MIN_GAIN = 0.01  # of MRR@10, cross-validated, from which a new combination is worth taking


@dataclass(frozen=True, slots=True)
class Example:
    """One question: its candidates' features (n, 7), which of them answer, and what they scored before.

    `group` names what must not be on both sides of a fold (the answering post); `weight` counts the example more or
    less than another.
    """

    features: NDArray[np.float64]
    answers: NDArray[np.bool_]
    before: NDArray[np.float64]
    group: Hashable
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A combination fitted on all examples, with MRR@10 before and after on folds that it had not seen."""

    combination: Combination
    before: float
    after: float

    @property
    def better(self) -> bool:
        """Whether it gains enough to be kept."""
        return self.after >= self.before + MIN_GAIN


def fit(examples: Sequence[Example], *, fitted_on: str) -> Fitted:
    """The combination of these examples. Raises ValueError when no question has an answer among its candidates."""
    usable = [example for example in examples if example.answers.any()]
    if not usable:
        raise ValueError("no question with an answer among its candidates")
    means, deviations = _scale(usable)
    scored = list(fold_scores(examples))
    before = [reciprocal_rank(example.before, example.answers) for example in examples]
    after = [reciprocal_rank(scores, example.answers) for example, scores in scored]
    combination = Combination(
        means=_rounded(means),
        deviations=_rounded(deviations),
        weights=_rounded(_train(usable, means, deviations)),
        fitted_on=fitted_on,
        fitted_at=date.today().isoformat(),
    )
    return Fitted(combination, float(np.mean(before)), float(np.mean(after)))


def fold_scores(examples: Sequence[Example]) -> Iterator[tuple[Example, NDArray[np.float64]]]:
    """Each example with the scores that a fit on the folds without its group gives its candidates."""
    usable = [example for example in examples if example.answers.any()]
    groups = sorted({example.group for example in examples}, key=repr)
    order = np.random.default_rng(SEED).permutation(len(groups))
    fold_of = {group: int(order[i]) % FOLDS for i, group in enumerate(groups)}
    for fold in range(FOLDS):
        seen = [example for example in usable if fold_of[example.group] != fold]
        if not seen:
            continue
        means, deviations = _scale(seen)
        weights = _train(seen, means, deviations)
        for example in examples:
            if fold_of[example.group] == fold:
                yield example, ((example.features - means) / deviations) @ weights


def _scale(examples: Sequence[Example]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    stacked = np.concatenate([example.features for example in examples])
    return stacked.mean(axis=0), np.maximum(stacked.std(axis=0), 1e-9)


def reciprocal_rank(scores: NDArray[np.float64], answers: NDArray[np.bool_], k: int = 10) -> float:
    """1 / rank of the first answer among the k best scores, 0 when none is there; ties keep the given order."""
    best = np.argsort(-scores, kind="stable")[:k]
    hits = np.flatnonzero(answers[best])
    return 1 / (int(hits[0]) + 1) if len(hits) else 0.0


def _train(
    examples: Sequence[Example], means: NDArray[np.float64], deviations: NDArray[np.float64]
) -> NDArray[np.float64]:
    prepared = [((e.features - means) / deviations, e.answers / e.answers.sum(), e.weight) for e in examples]
    total = sum(weight for _, _, weight in prepared)
    weights = np.zeros(len(FEATURES))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        gradient = L2 * weights
        for rows, target, weight in prepared:
            scores = rows @ weights
            odds = np.exp(scores - np.max(scores))
            gradient = gradient + weight / total * (rows.T @ (odds / odds.sum() - target))
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
        weights = weights - STEP_SIZE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in values)
