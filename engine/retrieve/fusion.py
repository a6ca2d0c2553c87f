"""Weighted reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009), by rank only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..values import Contribution, FusedPost, PostId, Ranking


def fuse(rankings: Sequence[Ranking], *, k: int, weights: Mapping[str, float]) -> tuple[FusedPost, ...]:
    """Posts by the sum over rankings of weight / (k + rank), best first, ties by post id.

    Ranks start at 1; a post absent from a ranking gets nothing from it; raw scores are ignored. A ranking whose weight
    is 0 or that `weights` doesn't name takes no part. The result does not depend on the order of the rankings.
    """
    shares: dict[PostId, list[Contribution]] = {}
    for ranking in sorted(rankings, key=lambda r: r.name):
        weight = weights.get(ranking.name, 0.0)
        if weight <= 0:
            continue
        for rank, post_id in enumerate(ranking.post_ids, 1):
            share = weight / (k + rank)
            shares.setdefault(post_id, []).append(Contribution(ranking.name, rank, weight, share))
    fused = [FusedPost(post_id, sum(part.share for part in parts), tuple(parts)) for post_id, parts in shares.items()]
    return tuple(sorted(fused, key=lambda post: (-post.score, post.post_id)))
