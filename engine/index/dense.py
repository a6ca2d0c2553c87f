"""Vector search: the only module that knows Chroma.

Chroma holds ids and vectors, nothing else; ids are "post-window". A small set of allowed posts is scored exactly on
the stored vectors, a large one is over-fetched. Where another process holds the folder, every search is exact.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from ..errors import DiskFull, IndexDamaged, IndexMissing
from ..seams import Vectors
from ..store.vectors import VectorStore
from ..values import PostId, Ranking

NAME = "dense"
COLLECTION = "posts"
EXACT_POSTS = 3000  # below this many allowed posts, exact scoring is faster than asking Chroma for more and more
MAX_FETCH = 2000  # windows asked at the most; ef_search must be at least that large
FULL_BYTES = 1 << 20  # a disk with less than this free is taken for full when Chroma fails
OVERFETCH = 4  # windows asked for a wanted post: long posts have several
HNSW = {
    "space": "cosine",
    "ef_construction": 100,
    "max_neighbors": 16,
    "ef_search": MAX_FETCH,
    "sync_threshold": 20_000,
    "batch_size": 1_000,
}


def build(
    folder: Path,
    batches: Iterable[tuple[list[tuple[PostId, int]], Vectors]],
    *,
    on_vector: Callable[[int], None] = lambda done: None,
) -> int:
    """Write a new collection into an empty folder and return its number of vectors.

    `on_vector` hears the count after each batch and may raise to give up; the folder is then worthless.
    """
    with _full_disk_told(folder):
        client = _client(folder)
        try:
            return _fill(client, batches, on_vector)
        finally:
            client.close()


def _fill(
    client: Any, batches: Iterable[tuple[list[tuple[PostId, int]], Vectors]], on_vector: Callable[[int], None]
) -> int:
    collection = client.create_collection(COLLECTION, configuration={"hnsw": HNSW}, embedding_function=None)
    most = int(client.get_max_batch_size())
    done = 0
    for places, vectors in batches:
        ids = [f"{post_id}-{n}" for post_id, n in places]
        for start in range(0, len(ids), most):
            collection.add(ids=ids[start : start + most], embeddings=vectors[start : start + most])
        done += len(ids)
        on_vector(done)
    if int(collection.count()) != done:
        raise IndexDamaged(part=NAME, reason="count")
    return done


@contextmanager
def _full_disk_told(folder: Path) -> Iterator[None]:
    """Chroma's own error for a full disk, whose only mark is its text, as ours."""
    from chromadb.errors import ChromaError

    try:
        yield
    except ChromaError as error:
        if shutil.disk_usage(folder.parent).free < FULL_BYTES or "full" in str(error).lower():
            raise DiskFull(path=str(folder)) from error
        raise IndexDamaged(part=NAME, reason=str(error)) from error


class DenseIndex:
    """An open vector index of one model; safe to use from several threads. Close it before removing its folder."""

    def __init__(self, folder: Path, *, model: str, vectors: VectorStore) -> None:
        if not folder.is_dir():
            raise IndexMissing(part=NAME)
        self._model, self._vectors = model, vectors
        self._client: Any = None
        self._collection: Any = None
        # One process a Chroma folder: a second opener hangs or reads stale vectors (chroma #7040).
        self._lock = FileLock(lock_path(folder))
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return
        try:
            self._client = _client(folder)
            self._collection = self._client.get_collection(COLLECTION, embedding_function=None)
            space = self._collection.configuration_json["hnsw"]["space"]
        except Exception as error:
            self.close()
            raise IndexDamaged(part=NAME, reason=repr(error)) from error
        if space != HNSW["space"]:
            self.close()
            raise IndexDamaged(part=NAME, reason=f"space {space}")

    @property
    def shared(self) -> bool:
        """Whether another process holds the folder, so that searches here are exact and slower."""
        return self._collection is None

    def rank(
        self,
        vector: Vectors,
        *,
        limit: int,
        allowed: frozenset[PostId] | None = None,
        excluded: frozenset[PostId] = frozenset(),
    ) -> Ranking:
        """Posts by the cosine of their closest passage to a (d,) float32 vector of norm 1, best first."""
        if allowed is not None:
            allowed -= excluded
            if len(allowed) <= EXACT_POSTS:
                return self._exact([self._vectors.of_posts(self._model, allowed)], vector, limit)
        if self._collection is None:
            return self._exact(self._all_vectors(allowed, excluded), vector, limit)
        best: dict[PostId, float] = {}
        count = int(self._collection.count())
        fetch = min(count, limit * OVERFETCH, MAX_FETCH)
        while fetch:
            found = self._collection.query(
                query_embeddings=vector[np.newaxis, :], n_results=fetch, include=["distances"]
            )
            for place, distance in zip(found["ids"][0], found["distances"][0], strict=True):
                post_id = PostId(int(place.partition("-")[0]))
                if (allowed is None or post_id in allowed) and post_id not in excluded:
                    best[post_id] = max(best.get(post_id, -1.0), 1.0 - float(distance))
            if len(best) >= limit or fetch >= min(count, MAX_FETCH):
                break
            fetch = min(count, fetch * 4, MAX_FETCH)
        if allowed is not None and len(best) < limit and fetch < count:
            # The filter starves an over-fetched list: score what it allows instead.
            return self._exact(self._all_vectors(allowed, excluded), vector, limit)
        return _ranking(best, limit)

    def post_ids(self) -> frozenset[PostId]:
        """The posts that have a vector in this index (for checks; reads the whole collection)."""
        if self._collection is None:
            raise IndexDamaged(part=NAME, reason="held by another process")
        ids = self._collection.get(include=[])["ids"]
        return frozenset(PostId(int(place.partition("-")[0])) for place in ids)

    def close(self) -> None:
        """Release the folder; the index can't be used afterwards."""
        self._collection = None
        if self._client is not None:
            self._client.close()
            self._client = None
        self._lock.release()

    def _all_vectors(
        self, allowed: frozenset[PostId] | None, excluded: frozenset[PostId]
    ) -> Iterable[tuple[list[PostId], Vectors]]:
        for places, rows in self._vectors.passages_with_vectors(self._model):
            keep = [
                i
                for i, (post_id, _) in enumerate(places)
                if (allowed is None or post_id in allowed) and post_id not in excluded
            ]
            yield [places[i][0] for i in keep], rows[keep]

    def _exact(self, batches: Iterable[tuple[list[PostId], Vectors]], vector: Vectors, limit: int) -> Ranking:
        best: dict[PostId, float] = {}
        for owners, rows in batches:
            if not owners:
                continue
            norms = np.linalg.norm(rows, axis=1)
            scores = (rows @ vector) / np.where(norms > 0, norms, 1.0)
            for post_id, score in zip(owners, scores.tolist(), strict=True):
                if score > best.get(post_id, -2.0):
                    best[post_id] = score
            if len(best) > 50 * limit:
                best = dict(sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:limit])
        return _ranking(best, limit)


def lock_path(folder: Path) -> str:
    """The lock file that says a process holds this Chroma folder."""
    return str(folder) + ".lock"


def _ranking(best: dict[PostId, float], limit: int) -> Ranking:
    order = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    return Ranking(NAME, tuple(post for post, _ in order), tuple(score for _, score in order))


def _client(folder: Path) -> Any:
    # Said twice because Chroma has read either, depending on its version.
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    import chromadb  # heavy: only when a vector index is opened

    return chromadb.PersistentClient(
        str(folder), settings=chromadb.config.Settings(anonymized_telemetry=False, allow_reset=False)
    )
