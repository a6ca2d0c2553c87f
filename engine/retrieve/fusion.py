"""Weighted reciprocal rank fusion: one formula, with two optional factors that are off by default.

    score(post) = Σ over rankings of  weight × 1 / (k + rank) × (1 + score_boost × score) × lists that found the post

With both factors off it is RRF (Cormack, Clarke & Büttcher, SIGIR 2009), by rank only. `docs/fusion.md` says which
named strategies are settings of it, and which are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..values import Contribution, FusedPost, PostId, Ranking

RRF_K = 60.0  # Cormack, Clarke & Büttcher, SIGIR 2009


@dataclass(frozen=True, slots=True)
class Fusion:
    """How rankings are combined.

    `k` ≥ 0 flattens the ranks: the larger, the less the first places count. `weights` by the ranking's name.
    `score_boost` ≥ 0 multiplies a term by 1 + score_boost × the leg's own score, clamped to 0–1: it says something
    for cosines, nothing for BM25, whose scores are nearly all above 1. `count_factor` multiplies a post's score by the
    number of rankings that found it (Fox & Shaw's CombMNZ, TREC-2).
    """

    k: float
    weights: Mapping[str, float]
    score_boost: float = 0.0
    count_factor: bool = False


def fuse(rankings: Sequence[Ranking], fusion: Fusion) -> tuple[FusedPost, ...]:
    """Posts by their fused score, best first, ties by post id; a score is exactly the sum of its shares.

    Ranks start at 1; a post absent from a ranking gets nothing from it. A ranking whose weight is 0 or that `weights`
    doesn't name takes no part and counts for no list. The result does not depend on the order of the rankings.
    """
    terms: dict[PostId, list[Contribution]] = {}
    for ranking in sorted(rankings, key=lambda r: r.name):
        weight = fusion.weights.get(ranking.name, 0.0)
        if weight <= 0:
            continue
        for rank, (post_id, score) in enumerate(zip(ranking.post_ids, ranking.scores, strict=True), 1):
            share = weight / (fusion.k + rank) * (1 + fusion.score_boost * _clamped(score))
            terms.setdefault(post_id, []).append(Contribution(ranking.name, rank, weight, share))
    if fusion.count_factor:
        terms = {post_id: [_times(part, len(parts)) for part in parts] for post_id, parts in terms.items()}
    return _best_first(terms)


def add_boost(fused: Sequence[FusedPost], matches: Ranking, *, amount: float) -> tuple[FusedPost, ...]:
    """The fused posts with `amount` × their clamped score in `matches` added, best first, ties by post id.

    A phase of its own after the fusion (a concept or a tag that the question names). It adds no post to the list. An
    amount above 1 / (k + 1) outweighs any rank: RRF scores are small.
    """
    places = {
        post_id: (rank, _clamped(score))
        for rank, (post_id, score) in enumerate(zip(matches.post_ids, matches.scores, strict=True), 1)
    }
    terms: dict[PostId, list[Contribution]] = {}
    for post in fused:
        terms[post.post_id] = list(post.contributions)
        if post.post_id in places and amount > 0:
            rank, score = places[post.post_id]
            terms[post.post_id].append(Contribution(matches.name, rank, amount, amount * score))
    return _best_first(terms)


def _best_first(terms: Mapping[PostId, Sequence[Contribution]]) -> tuple[FusedPost, ...]:
    fused = [FusedPost(post_id, sum(part.share for part in parts), tuple(parts)) for post_id, parts in terms.items()]
    return tuple(sorted(fused, key=lambda post: (-post.score, post.post_id)))


def _times(part: Contribution, lists: int) -> Contribution:
    return Contribution(part.ranking, part.rank, part.weight, part.share * lists)


def _clamped(score: float) -> float:
    return min(1.0, max(0.0, score))
