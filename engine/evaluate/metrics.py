"""The measures of information retrieval, each for one question; their mean over questions is what is reported.

Names and definitions are those of trec_eval and ir-measures (Success@k, RR, R@k, nDCG@k), which a test compares.
Ranks start at 1; an item absent from the ranking adds nothing; nothing relevant is an error of the caller.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence


def hit(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Hit@k (Success@k): 1 if anything relevant is among the first k, else 0."""
    return 1.0 if any(item in relevant for item in ranked[:k]) else 0.0


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int | None = None) -> float:
    """RR@k: 1/rank of the first relevant item, 0 if there is none (among the first k); its mean is MRR@k."""
    return next((1.0 / rank for rank, item in enumerate(ranked[:k], 1) if item in relevant), 0.0)


def recall(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int | None = None) -> float:
    """R@k: the share of the relevant items that are among the first k."""
    return len(set(ranked[:k]) & set(relevant)) / len(relevant)


def precision(items: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
    """The share of these items that are relevant, 0 when there are none."""
    return sum(item in relevant for item in items) / len(items) if items else 0.0


def ndcg(ranked: Sequence[Hashable], grades: Mapping[Hashable, int], k: int) -> float:
    """nDCG@k with linear gain and log2(rank + 1) discount (Järvelin & Kekäläinen, TOIS 2002), as trec_eval has it."""
    ideal = _dcg(sorted(grades.values(), reverse=True)[:k])
    return _dcg([grades.get(item, 0) for item in ranked[:k]]) / ideal


def pollution(topics: Sequence[Hashable]) -> float:
    """The share of slots that the most frequent topic takes: 1 when one topic fills them all, 0 without slots."""
    return Counter(topics).most_common(1)[0][1] / len(topics) if topics else 0.0


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
