"""Three ways to combine a fused order with the scores of a reranker; which one is used is decided by measurement.

position_aware   weight by tier × 1/position + (1 − weight) × rerank score, with a guard on promotion
reranker_order   the reranker alone, the fused order for what it did not read
rrf_of_both      reciprocal rank fusion of the two orders, by rank only
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..values import Contribution, FusedPost, PostId, Ranking

NAME = "rerank"  # of the reranker's ranking among a post's contributions

# The third seed's values, which are qmd's: (last position of the tier, weight of the position).
TIERS = ((3, 0.75), (10, 0.60))
TAIL_WEIGHT = 0.40
GUARDED_BELOW = 3  # positions after this one may not climb freely
OVERRIDE = 0.9  # a rerank score from which they may
MOST_PLACES = 1
EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Blended:
    """A post after the blend: its position in the fused order (from 1), its rerank score and the blended one."""

    post_id: PostId
    position: int
    rerank: float
    score: float


def position_aware(ranked: Sequence[PostId], scores: Mapping[PostId, float]) -> tuple[Blended, ...]:
    """The posts by their blended score, best first, ties by position; of a post listed twice the best row is kept.

    `scores` are in 0–1 (see `probability`), else ValueError; a post without one counts 0. Consequences, tested: the
    first post never moves; rank 11 may pass rank 4; a score of 0.90 is worth far more than 0.89.
    """
    rows: list[Blended] = []
    for position, post_id in enumerate(ranked, 1):
        rerank = scores.get(post_id, 0.0)
        if not 0.0 <= rerank <= 1.0:
            raise ValueError(f"rerank score of {post_id} out of 0-1: {rerank}")
        weight = _weight(position)
        blended = weight / position + (1 - weight) * rerank
        if position > GUARDED_BELOW and rerank < OVERRIDE:
            blended = min(blended, 1 / (position - MOST_PLACES) - EPSILON)
        rows.append(Blended(post_id, position, rerank, blended))
    rows.sort(key=lambda row: (-row.score, row.position))
    best: dict[PostId, Blended] = {}
    for row in rows:
        best.setdefault(row.post_id, row)
    return tuple(best.values())


def reranker_order(ranked: Sequence[PostId], scores: Mapping[PostId, float]) -> tuple[PostId, ...]:
    """The posts that have a score by that score, of any scale, then the others; ties keep the fused order."""
    places = {post_id: place for place, post_id in reversed(list(enumerate(ranked)))}
    return tuple(sorted(places, key=lambda post_id: (-scores.get(post_id, -math.inf), places[post_id])))


def rrf_of_both(
    fused: Sequence[FusedPost], scores: Mapping[PostId, float], *, k: float, weight: float = 1.0
) -> tuple[FusedPost, ...]:
    """The fused posts by 1/(k + fused rank) + weight/(k + rerank rank), best first, ties by post id.

    Only posts with a score, of any scale, have a rerank rank. A score stays exactly the sum of its shares: what the
    fused rank gives is divided among the post's lists in the proportion of what they gave to the fusion.
    """
    read = [post for post in fused if post.post_id in scores]
    order = sorted(read, key=lambda post: (-scores[post.post_id], post.post_id))
    ranks = {post.post_id: rank for rank, post in enumerate(order, 1)}
    both: list[FusedPost] = []
    for position, post in enumerate(fused, 1):
        scale = 1 / (k + position) / post.score if post.score else 0.0
        parts = [Contribution(p.ranking, p.rank, p.weight, p.share * scale) for p in post.contributions]
        if rank := ranks.get(post.post_id):
            parts.append(Contribution(NAME, rank, weight, weight / (k + rank)))
        both.append(FusedPost(post.post_id, sum(part.share for part in parts), tuple(parts)))
    return tuple(sorted(both, key=lambda post: (-post.score, post.post_id)))


def ranking(scores: Mapping[PostId, float]) -> Ranking:
    """The reranker's own list, best first, ties by post id, so that it can enter `fusion.fuse` like any other."""
    order = sorted(scores, key=lambda post_id: (-scores[post_id], post_id))
    return Ranking(NAME, tuple(order), tuple(scores[post_id] for post_id in order))


def probability(logit: float) -> float:
    """A cross-encoder's logit as a number in 0–1, the logistic function."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    grown = math.exp(logit)
    return grown / (1 + grown)


def _weight(position: int) -> float:
    return next((weight for last, weight in TIERS if position <= last), TAIL_WEIGHT)
