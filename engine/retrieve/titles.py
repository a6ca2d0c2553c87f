"""Searching the titles of the topics, straight from the store, while the engine that holds the index is away."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping

from ..index.french import Analyser
from ..index.lexical import NAME
from ..store.archive import ArchiveStore
from ..values import PostId, Ranking

MOST_TOPICS = 200_000  # the most recently active; reading their titles takes seconds


def rank(
    store: ArchiveStore, text: str, *, analyser: Analyser, limit: int, allowed: frozenset[PostId] | None,
    excluded: frozenset[PostId],
) -> Ranking:  # fmt: skip
    """The opening posts of the topics whose titles hold the most of the words, by their rarity; then the newest."""
    words, holders = frozenset(analyser.words(text)), defaultdict[str, int](int)
    held: list[tuple[PostId, frozenset[str]]] = []
    openings = store.rows(
        """SELECT MIN(p.id), t.title FROM (SELECT id, title FROM topics ORDER BY last_posted_at DESC LIMIT ?) t
           JOIN posts p ON p.topic_id = t.id AND p.post_number = 1 GROUP BY t.id""",
        (MOST_TOPICS,),
    )
    for post_id, title in openings:
        shared = words.intersection(analyser.words(title))
        if shared:
            held.append((PostId(post_id), shared))
            for word in shared:
                holders[word] += 1
    weights = _weights(holders, len(openings))
    scores = Counter({
        post_id: math.fsum(weights[word] for word in shared) for post_id, shared in held
        if post_id not in excluded and (allowed is None or post_id in allowed)
    })  # fmt: skip
    best = sorted(scores.items(), key=lambda pair: (-pair[1], -pair[0]))[:limit]
    return Ranking(NAME, tuple(post_id for post_id, _ in best), tuple(score for _, score in best))


def _weights(holders: Mapping[str, int], titles: int) -> Mapping[str, float]:
    return {word: math.log(1 + titles / count) for word, count in holders.items()}
