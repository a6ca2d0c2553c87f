"""What retrieval knows of a question and its evidence, as a few numbers from which a zone is told.

Each is relative to the archive (shares of rarity, deviations from passages taken at random), so that what was measured
on one archive holds on another. No model and no encoding: a few milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import IndexAway
from ..index import dense as dense_index
from ..index import lexical as lexical_index
from ..index.french import Analyse
from ..index.generations import Generation
from ..retrieve import agreement, combine
from ..retrieve.search import Found
from ..values import Evidence, Ranking
from .wanted import informative_terms

WORDS = ("first_coverage", "mean_coverage", "unknown", "length")
MEANING = (*WORDS, "similarity", "margin", "agreement")
FIRST = 10  # posts of each list that are compared
MIN_WITH_VECTOR = 0.8  # of the first keyword hits; below, too few posts have been encoded for meaning to be judged by


@dataclass(frozen=True, slots=True)
class Signals:
    """How a question and its evidence go together. What a stage would know is None where that stage is missing."""

    first_coverage: float  # share of the question's telling words, by rarity, that the first evidence holds
    mean_coverage: float  # the same, over all the evidence
    unknown: float  # share that neither the archive's messages nor the evidence hold
    length: float  # log(1 + number of telling words): half of two words is less than half of eight
    similarity: float | None = None  # closest evidence, in deviations from passages taken at random
    margin: float | None = None  # the closest post against the nine that follow, in the same deviations
    agreement: float | None = None  # share that the first ten of both lists have in common
    logit: float | None = None  # best score of the reranker

    def row(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Those numbers (n,); all of them are there."""
        return np.array([getattr(self, name) for name in names], np.float64)


def of(question: str, evidence: Sequence[Evidence], found: Found, generation: Generation, analyse: Analyse) -> Signals:
    """The signals of a question whose search found this evidence, at least one post."""
    terms = informative_terms(question, analyse)
    held = [frozenset(_read(item, analyse)) & terms for item in evidence]
    anywhere = frozenset[str]().union(*held)
    posts = len(generation.lexical)
    frequency = {term: generation.lexical.document_frequency(term) for term in terms}
    rarity = {term: math.log(1 + (posts - n + 0.5) / (n + 0.5)) for term, n in frequency.items()}
    whole = math.fsum(rarity.values()) or 1.0

    def share(some: Iterable[str]) -> float:
        return math.fsum(rarity[term] for term in some) / whole

    covered = [share(terms_held) for terms_held in held]
    words = Signals(
        first_coverage=covered[0],
        mean_coverage=math.fsum(covered) / len(covered),
        unknown=share(term for term in terms - anywhere if not frequency[term]),
        length=math.log1p(len(terms)),
        logit=found.best_logit,
    )
    meaning = _meaning(evidence, found, generation)
    return words if meaning is None else replace(words, similarity=meaning[0], margin=meaning[1], agreement=meaning[2])


def _read(item: Evidence, analyse: Analyse) -> Iterable[str]:
    yield from analyse(item.text)
    yield from analyse(item.title)
    yield from analyse(f"{item.author} {item.created_at.year}")  # "what did Alice write in 2021"


def _meaning(evidence: Sequence[Evidence], found: Found, generation: Generation) -> tuple[float, float, float] | None:
    lists = {ranking.name: ranking for ranking in found.rankings}
    lexical, dense = lists.get(lexical_index.NAME), lists.get(dense_index.NAME)
    if lexical is None or dense is None or found.vector is None or generation.dense is None:
        return None
    population = generation.dense.population(found.vector)
    if len(population) < agreement.MIN_SAMPLE or (deviation := float(np.std(population))) < agreement.NO_SPREAD:
        return None
    mean = float(np.mean(population))
    cosines = combine.leg_scores([dense], dense_index.NAME)
    hits, read = lexical.post_ids[:FIRST], [item.post_id for item in evidence]
    missing = {*hits, *read} - cosines.keys()
    if missing:
        try:
            cosines |= generation.dense.cosines(found.vector, missing)
        except IndexAway:
            return None
    near = [cosines[post_id] for post_id in read if post_id in cosines]
    encoded = sum(post_id in cosines for post_id in hits)
    if not near or not dense.scores or encoded < MIN_WITH_VECTOR * len(hits):
        return None
    best, *others = dense.scores[:FIRST]
    ahead = best - math.fsum(others) / len(others) if others else best - mean
    return (max(near) - mean) / deviation, ahead / deviation, _in_common(lexical, dense)


def _in_common(one: Ranking, other: Ranking) -> float:
    return len(set(one.post_ids[:FIRST]) & set(other.post_ids[:FIRST])) / FIRST
