"""Vector search: the posts whose passages are closest to a question, whatever conditions hold.

A base that was built once (`chroma.py`) and a patch: the passages of it that no longer stand, and the vectors that came
since. A set of posts that a condition leaves is scored exactly on the stored vectors when it is small, the base is
over-fetched when it is large. Where another process holds the base, or where it is damaged, every search is exact.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import IndexDamaged
from ..seams import Vectors
from ..store.vectors import PLACES_A_POST, VectorStore
from ..store.where import Where
from ..values import PostId, Ranking
from . import chroma
from .digests import Ids

logger = logging.getLogger(__name__)

NAME = "dense"
EXACT_POSTS = 10_000  # allowed posts that are scored exactly in the time that MAX_FETCH neighbours take to find
MAX_FETCH = 10_000  # passages asked of the base at the most; a tenth of a second
OVERFETCH = 4  # passages asked for a wanted post: long posts have several
SAMPLE = 512  # passages that stand for all of them
MOST_COMPARED = 80_000  # vectors that are all compared in about a second where the base is damaged (384 dimensions)


@dataclass(frozen=True, slots=True)
class Patch:
    """What differs from the base: its places that no longer count, and (m,) places with (m, d) float32 vectors."""

    hidden: frozenset[int]
    places: Ids
    rows: Vectors

    @classmethod
    def load(cls, path: Path) -> Patch:
        """What `save` wrote; an empty one where there is no file. Raises IndexDamaged."""
        if not path.is_file():
            return cls(frozenset(), np.zeros(0, np.int64), np.zeros((0, 0), np.float32))
        try:
            with np.load(path) as held:
                return cls(frozenset(held["hidden"].tolist()), held["places"], unit(held["rows"].astype(np.float32)))
        except (OSError, EOFError, ValueError, KeyError) as error:
            raise IndexDamaged(part=NAME, reason=repr(error)) from error

    @staticmethod
    def save(path: Path, *, hidden: Ids, places: Ids, rows: Vectors) -> None:
        """Write a .npz file, the vectors in half precision."""
        np.savez(path, hidden=hidden, places=places, rows=rows.astype(np.float16))


class DenseIndex:
    """An open vector index of one model; safe to use from several threads. Close it before removing its folder.

    Without a base every vector is compared. `failed` says that the base was found damaged since it was opened.
    """

    def __init__(self, base: Path | None, patch: Patch, *, model: str, vectors: VectorStore) -> None:
        self._patch, self._model, self._vectors = patch, model, vectors
        self._sample: Vectors | None = None
        self.failed = False
        self._base = None if base is None else chroma.open_collection(base)
        self._has_base = base is not None

    @property
    def shared(self) -> bool:
        """Whether another process holds the base, so that searches here are exact and slower."""
        return self._has_base and self._base is None

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
        if self._base is not None and not self.failed and (allowed is None or len(allowed) > EXACT_POSTS):
            try:
                best = self._nearest(self._base, vector, limit, allowed, excluded)
            except IndexDamaged:
                self.failed = True
                logger.warning("the index of vectors fails, every vector is compared instead", exc_info=True)
            else:
                if best is not None:
                    return best.ranking(limit)
        return self._exact(vector, limit, allowed, excluded)

    def cosines(self, vector: Vectors, post_ids: Iterable[PostId]) -> dict[PostId, float]:
        """The exact cosine of these posts' closest passages, for those that have a vector."""
        wanted = frozenset(post_ids)
        exact = self._exact(vector, len(wanted), wanted, frozenset())
        return dict(zip(exact.post_ids, exact.scores, strict=True))

    def passage_cosines(self, vector: Vectors, post_ids: Iterable[PostId]) -> Vectors:
        """Cosines (n,) of every passage of these posts."""
        rows = unit(self._vectors.of_posts(self._model, post_ids)[1])
        found: Vectors = rows @ vector if len(rows) else np.zeros(0, np.float32)
        return found

    def population(self, vector: Vectors) -> Vectors:
        """Cosines (n,) of passages taken at random: what "close" must be compared with."""
        if self._sample is None:
            self._sample = unit(self._vectors.sample(self._model, SAMPLE))
        found: Vectors = self._sample @ vector if len(self._sample) else np.zeros(0, np.float32)
        return found

    def post_ids(self) -> frozenset[PostId]:
        """The posts that have a vector in this index (for checks; reads the whole base). Raises IndexDamaged."""
        if self._base is None:
            raise IndexDamaged(part=NAME, reason="not open here")
        places = {place for place in self._base.places() if place not in self._patch.hidden}
        return frozenset(PostId(place // PLACES_A_POST) for place in places.union(self._patch.places.tolist()))

    def close(self) -> None:
        """Release the base; the index can't be used afterwards."""
        if self._base is not None:
            self._base.close()
            self._base = None

    def _nearest(
        self,
        base: chroma.Collection,
        vector: Vectors,
        limit: int,
        allowed: frozenset[PostId] | None,
        excluded: frozenset[PostId],
    ) -> Best | None:
        """The best posts of patch and base; None where the condition leaves too few of those that can be fetched."""
        best = Best(allowed, excluded)
        if len(self._patch.places):
            posts = (self._patch.places // PLACES_A_POST).tolist()
            best.take(zip(posts, (self._patch.rows @ vector).tolist(), strict=True))
        patched, most = len(best.scores), min(base.count, MAX_FETCH)
        fetch = min(limit * OVERFETCH, most)
        while fetch:
            found = base.nearest(vector, fetch)
            best.take((place // PLACES_A_POST, score) for place, score in found if place not in self._patch.hidden)
            if len(best.scores) - patched >= limit or fetch == most:
                break
            fetch = min(fetch * 5, most)
        starved = allowed is not None and len(best.scores) < limit and fetch < base.count
        return None if starved else best

    def _exact(
        self, vector: Vectors, limit: int, allowed: frozenset[PostId] | None, excluded: frozenset[PostId]
    ) -> Ranking:
        best = Best(None, excluded)
        for places, rows in self._vectors.passages_with_vectors(self._model, allowed):
            if places:
                best.take(zip((post for post, _ in places), (unit(rows) @ vector).tolist(), strict=True))
        return best.ranking(limit)


class Best:
    """The best cosine of each post that the conditions allow, as passages go by."""

    def __init__(self, allowed: frozenset[PostId] | None, excluded: frozenset[PostId]) -> None:
        self._allowed, self._excluded = allowed, excluded
        self.scores: dict[int, float] = {}

    def take(self, passages: Iterable[tuple[int, float]]) -> None:
        """The post and the cosine of passages, in any order."""
        allowed, excluded, scores = self._allowed, self._excluded, self.scores
        for post, score in passages:
            if score > scores.get(post, -2.0) and post not in excluded and (allowed is None or post in allowed):
                scores[post] = score

    def ranking(self, limit: int) -> Ranking:
        """The best posts first, ties by post id."""
        order = sorted(self.scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
        return Ranking(NAME, tuple(PostId(post) for post, _ in order), tuple(score for _, score in order))


def unit(rows: Vectors) -> Vectors:
    """The same rows with norm 1; a row of zeros stays."""
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    result: Vectors = (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
    return result
