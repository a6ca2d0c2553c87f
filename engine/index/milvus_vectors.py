"""The leg by meaning in a collection of Milvus: one row a passage, its vector compared by cosine.

Every call may raise IndexAway.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from ..seams import Vectors
from ..store.vectors import PLACES_A_POST
from ..store.where import Where
from ..values import PostId, Ranking
from . import milvus_conditions
from .dense import OVERFETCH, Best, unit
from .digests import Ids
from .editions import Editions, keys_of
from .milvus import MOST, Engine, Found

FETCHED = 500  # posts whose vectors are fetched and compared here: a megabyte or two


class MilvusVectors:
    """The vectors of one generation. Safe to use from several threads."""

    shared = False  # a server has as many readers as one likes
    failed = False  # what fails is the engine, and it is asked again

    def __init__(self, engine: Engine, collection: str, editions: Editions, places: Ids, folder: Path) -> None:
        self._engine, self._collection, self._editions, self._folder = engine, collection, editions, folder
        self._places = places  # of every passage, ascending

    def rank(
        self,
        vector: Vectors,
        *,
        limit: int,
        allowed: frozenset[PostId] | None = None,
        excluded: frozenset[PostId] = frozenset(),
        where: Where | None = None,
    ) -> Ranking:
        """Posts by the cosine of their closest passage to a (d,) float32 vector of norm 1, best first."""
        if allowed is not None:
            allowed -= excluded
        if allowed == frozenset():
            return Best(None, frozenset()).ranking(0)
        best, only = Best(allowed, excluded), milvus_conditions.only(where, allowed, excluded)
        if allowed is not None and len(allowed) <= FETCHED:
            best.take(self._passages(vector, allowed))
            return best.ranking(limit)
        fetch = min(MOST, limit * OVERFETCH)
        while True:
            found = self._engine.like_vector(self._collection, vector, limit=fetch, only=only, wide=allowed is not None)
            best.take(self._standing(found))
            if len(best.scores) >= limit or len(found) < fetch or fetch == MOST:
                return best.ranking(limit)
            fetch = min(MOST, fetch * 5)

    def cosines(self, vector: Vectors, post_ids: Iterable[PostId]) -> dict[PostId, float]:
        """The cosine of these posts' closest passages, for those that have a vector."""
        best = Best(None, frozenset())
        best.take(self._passages(vector, frozenset(post_ids)))
        return {PostId(post): score for post, score in best.scores.items()}

    def passage_cosines(self, vector: Vectors, post_ids: Iterable[PostId]) -> Vectors:
        """Cosines (n,) of every passage of these posts."""
        return np.array([score for _, score in self._passages(vector, frozenset(post_ids))], np.float32)

    def population(self, vector: Vectors) -> Vectors:
        """Cosines (n,) of passages taken at random: what "close" must be compared with."""
        found: Vectors = self._sample @ vector if len(self._sample) else np.zeros(0, np.float32)
        return found

    def post_ids(self) -> frozenset[PostId]:
        """The posts that have a vector in this index (for checks; reads the key of every row)."""
        keys = np.array([row["id"] for row in self._engine.rows(self._collection)], np.int64)
        places, standing = self._editions.standing(keys)
        return frozenset(map(PostId, (places[standing] // PLACES_A_POST).tolist()))

    def close(self) -> None:
        """Give the engine back; the index can't be used afterwards."""
        self._engine.close()

    def _passages(self, vector: Vectors, posts: frozenset[PostId]) -> list[tuple[int, float]]:
        """The post and the exact cosine of every passage of these posts: their vectors are fetched.

        By their keys: Milvus Lite reads every row for any other condition.
        """
        first = np.fromiter(posts, np.int64, len(posts)) * PLACES_A_POST
        spans = np.searchsorted(self._places, np.stack([first, first + PLACES_A_POST]))
        places = np.concatenate([self._places[:0], *(self._places[start:end] for start, end in spans.T)])
        if not len(places):
            return []
        keys = keys_of(places, self._editions.of(places)).tolist()
        rows = self._engine.named(self._collection, keys, give=("id", "vector"))
        if not rows:
            return []
        cosines = unit(np.array([row["vector"] for row in rows], np.float32)) @ vector
        return self._standing([(row["id"], score, row) for row, score in zip(rows, cosines.tolist(), strict=True)])

    def _standing(self, found: Sequence[Found]) -> list[tuple[int, float]]:
        places, standing = self._editions.standing(np.array([key for key, _, _ in found], np.int64))
        scores = np.array([score for _, score, _ in found], np.float64)
        posts = places // PLACES_A_POST
        return list(zip(posts[standing].tolist(), scores[standing].tolist(), strict=True))

    @cached_property
    def _sample(self) -> Vectors:
        return unit(np.load(self._folder / "sample.npy").astype(np.float32))
