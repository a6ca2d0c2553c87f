"""Fits the scores of the zones on labelled questions, cross-validated by question.

A logistic model, weights held small by L2, by Newton's method: a thousand questions take a fraction of a second. Knows
nothing about where the questions come from.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..answer import zones
from ..answer.signals import Signals
from ..answer.zones import LEXICAL, Judged, Score, Scores, named
from ..values import Zone

L2 = 1e-2
STEPS = 50
CONVERGED = 1e-8
FOLDS = 5
SEED = 1
MIN_EXAMPLES = 40  # answerable questions below which an archive's own fit would learn chance
MIN_GAIN = 0.01  # of the loss, cross-validated, from which an archive's own fit is worth taking
MOST_REFUSED = 0.03  # share of the answerable questions that such a fit may leave in the empty zone
LEAST_LIKELY = 1e-3  # no single question may decide a loss
NOTHING_FOUND = Judged(Zone.EMPTY, 0.0, "")


class Kind(StrEnum):
    """What is known of a question for its archive."""

    ANSWERABLE = "answerable"
    REMOVED = "removed"  # answerable, searched without the posts that answer
    OFF_TOPIC = "off_topic"
    HELD_OUT = "held_out"  # off-topic, never learned from
    FOREIGN = "foreign"  # answerable by another archive
    UNANSWERABLE = "unanswerable"  # on the archive's subject, but nobody answered it

    @property
    def refused(self) -> bool:
        """Whether a score learns to refuse it. What is removed may stand in another post as well, hence not that."""
        return self in (Kind.OFF_TOPIC, Kind.FOREIGN, Kind.UNANSWERABLE)


@dataclass(frozen=True, slots=True)
class Example:
    """A question put to an archive and what its search knew: no signals where nothing was found."""

    archive: str
    kind: Kind
    text: str
    signals: Signals | None
    found: bool = True  # whether the evidence holds a post that answers

    @property
    def group(self) -> Hashable:
        """What must not be on both sides of a fold: the same question may be put to several archives."""
        return self.text

    @property
    def learned(self) -> bool:
        """Whether a score learns from it: evidence without the answer is neither good nor off-topic."""
        return self.kind.refused or (self.kind is Kind.ANSWERABLE and self.found)

    def knows(self, configuration: str) -> bool:
        """Whether the search knew what this configuration judges by."""
        return self.signals is not None and all(
            getattr(self.signals, name) is not None for name in named(configuration)
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fitted:
    """Scores fitted on all examples, and what fits that had not seen an example say of it."""

    scores: Scores
    judged: tuple[Judged, ...]


def fit(examples: Sequence[Example], configurations: Sequence[str], *, fitted_on: str) -> Fitted:
    """A score for each configuration, the last one that knows an example judging it.

    Raises ValueError without questions of both kinds that can be learned from.
    """
    judged = [NOTHING_FOUND] * len(examples)
    scores: dict[str, Score] = {}
    for configuration in configurations:
        known = [n for n, example in enumerate(examples) if example.knows(configuration)]
        fold_of = _folds([examples[n] for n in known])
        scores[configuration] = train([examples[n] for n in known], configuration, fitted_on=fitted_on)
        for fold in range(FOLDS):
            held = [n for n in known if fold_of[examples[n].group] == fold]
            seen = [examples[n] for n in known if fold_of[examples[n].group] != fold]
            if held:
                score = train(seen, configuration, fitted_on=fitted_on)
                found = score.probability(_rows([examples[n] for n in held], score.signals))
                for n, probability in zip(held, found.tolist(), strict=True):
                    judged[n] = zones.judged(probability, configuration)
    return Fitted(scores, tuple(judged))


def judge(examples: Sequence[Example], scores: Scores, *, vectors: str | None) -> tuple[Judged, ...]:
    """What scores say of examples, without any reranker."""
    return tuple(
        NOTHING_FOUND if e.signals is None else zones.judge(e.signals, scores, vectors=vectors, reranker=None)
        for e in examples
    )  # fmt: skip


def train(examples: Sequence[Example], configuration: str, *, fitted_on: str) -> Score:
    """The score of the examples that are learned from. Raises ValueError when they are of one kind only."""
    used = [example for example in examples if example.learned and example.knows(configuration)]
    answerable = np.array([example.kind is Kind.ANSWERABLE for example in used], np.float64)
    if len(set(answerable.tolist())) < 2:
        raise ValueError("questions of one kind only")
    names, weights = named(configuration), _weights(used)
    rows = _rows(used, names)
    means = weights @ rows
    deviations = np.maximum(np.sqrt(weights @ (rows - means) ** 2), 1e-4)
    standard = np.column_stack([np.ones(len(used)), (rows - means) / deviations])
    held_small = np.diag([0.0] + [L2] * len(names))
    found = np.zeros(len(names) + 1)
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-standard @ found))
        slope = standard.T @ (weights * (answerable - likely)) - held_small @ found
        bend = (standard * (weights * likely * (1 - likely))[:, None]).T @ standard + held_small
        step = np.linalg.solve(bend, slope)
        found = found + step
        if float(np.abs(step).max()) < CONVERGED:
            break
    return Score(
        signals=names, means=_rounded(means), deviations=_rounded(deviations), weights=_rounded(found[1:]),
        intercept=round(float(found[0]), 4), fitted_on=fitted_on, fitted_at=date.today().isoformat(),
    )  # fmt: skip


def configurations(vectors: str | None) -> tuple[str, ...]:
    """The configurations of an archive whose index has these vectors, the best last."""
    return (LEXICAL,) if vectors is None else (LEXICAL, vectors)


def loss(examples: Sequence[Example], judged: Sequence[Judged]) -> float:
    """Mean of -log(probability of what is true), answerable and refused questions weighing the same."""
    kept = [(e, j) for e, j in zip(examples, judged, strict=True) if e.learned]
    weights = _weights([example for example, _ in kept])
    likely = [j.score if e.kind is Kind.ANSWERABLE else 1 - j.score for e, j in kept]
    return math.fsum(-w * math.log(max(LEAST_LIKELY, p)) for w, p in zip(weights.tolist(), likely, strict=True))


def worth_taking(examples: Sequence[Example], judged: Sequence[Judged], instead_of: Sequence[Judged]) -> bool:
    """Whether what a new fit says, cross-validated, is clearly better and refuses few answerable questions."""
    zones_of = [j.zone for e, j in zip(examples, judged, strict=True) if e.kind is Kind.ANSWERABLE]
    refused = zones_of.count(Zone.EMPTY) / len(zones_of)
    return refused <= MOST_REFUSED and loss(examples, judged) <= loss(examples, instead_of) - MIN_GAIN


def _folds(examples: Sequence[Example]) -> dict[Hashable, int]:
    groups = sorted({example.group for example in examples}, key=repr)
    order = np.random.default_rng(SEED).permutation(len(groups))
    return {group: int(order[n]) % FOLDS for n, group in enumerate(groups)}


def _weights(examples: Sequence[Example]) -> NDArray[np.float64]:
    """Summing to 1: archives weigh the same, and in each the answerable questions as much as the others."""
    sides = [(example.archive, example.kind.refused) for example in examples]
    counts = {side: sides.count(side) for side in set(sides)}
    weights = np.array([1 / counts[side] for side in sides])
    return np.asarray(weights / weights.sum(), np.float64)


def _rows(examples: Sequence[Example], names: Sequence[str]) -> NDArray[np.float64]:
    rows = [example.signals.row(names) for example in examples if example.signals is not None]
    return np.array(rows, np.float64).reshape(len(rows), len(names))


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in values)
