"""Nearest vectors on disk: the only module that knows Chroma.

A collection holds numbers (places of passages) and vectors, nothing else; it is filled once and never changed. One
process holds a folder at a time (chroma #7040: a second opener hangs or reads stale vectors); within it all share one
collection.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from ..errors import DiskFull, IndexDamaged, IndexMissing
from ..seams import Vectors
from . import admission, blanks, seal

PART = admission.PART
COLLECTION = "posts"
SPACE = "cosine"
# A well-linked graph is cheaper than a wide search (docs/decisions/0021-links-of-the-graph.md).
HNSW = {"space": SPACE, "ef_construction": 200, "max_neighbors": 16, "ef_search": 600}
SYNCED_AT_A_TIME = 20_000  # vectors that Chroma queues before it writes its graph; small values rewrite it endlessly
BRUTE_FORCED = 1_000  # vectors that Chroma gathers before it links them
FULL_BYTES = 1 << 20  # a disk with less than this free is taken for full when Chroma fails
PROBED, PROBED_DEEP = 64, 100  # vectors that a probe looks for, and how many neighbours of each it asks for
NEAR_ITSELF = 0.999  # cosine of a vector and of the closest that is found

Batch = tuple[list[int], Vectors]  # places and their vectors, (n, d) float32


def build(
    folder: Path, count: int, batches: Iterable[Batch], *, on_vector: Callable[[int], None] = lambda done: None
) -> None:
    """Write a collection of `count` vectors into a new folder.

    `on_vector` hears the count after each batch and may raise to give up; the folder is then worthless.
    """
    with _full_disk_told(folder):
        client = _client(folder)
        try:
            _fill(client, count, batches, on_vector)
        finally:
            client.close()
        blanks.clear(folder)
    seal.write(folder)


def _fill(client: Any, count: int, batches: Iterable[Batch], on_vector: Callable[[int], None]) -> None:
    synced = _evenly(count)
    configuration = {"hnsw": {**HNSW, "sync_threshold": synced, "batch_size": min(BRUTE_FORCED, synced)}}
    collection = client.create_collection(COLLECTION, configuration=configuration, embedding_function=None)
    most = int(client.get_max_batch_size())
    done = 0
    for places, rows in _sliced(batches, synced, most):
        collection.add(ids=[str(place) for place in places], embeddings=rows)
        done += len(places)
        on_vector(done)
    if int(collection.count()) != count:
        raise IndexDamaged(part=PART, reason="count")


def _evenly(count: int) -> int:
    """How many vectors to sync at a time so that hardly any stay queued: those are linked again at each opening."""
    return max(2, count // max(1, round(count / SYNCED_AT_A_TIME)))


def _sliced(batches: Iterable[Batch], synced: int, most: int) -> Iterator[Batch]:
    """The same vectors, cut where Chroma should sync and where it takes no more."""
    done = 0
    for places, rows in batches:
        start = 0
        while start < len(places):
            end = min(len(places), start + most, start + synced - done % synced)
            yield places[start:end], rows[start:end]
            done += end - start
            start = end


class Collection:
    """An open collection, thread-safe. Whoever got it by `open_collection` closes it; the last releases the folder."""

    def __init__(self, folder: Path, lock: FileLock, *, tries: int) -> None:
        self._folder, self._lock, self._tries, self._client = folder, lock, tries, None
        self.users, self._answered = 0, False
        seal.opened(folder, tries=tries)
        try:
            with _damage_told(folder):
                self._client = _client(folder)
                self._collection = _collection(self._client)
        except IndexDamaged:
            self._release()
            raise

    @cached_property
    def count(self) -> int:
        """How many vectors it holds. Asking loads the graph: opening does not, so that a reader who changes to a new
        base has one in memory at a time."""
        with self._trying():
            found = int(self._collection.count())
        # A vector alone is never linked: its graph is made anew here, files and all.
        if not any(self._folder.glob(f"*/{seal.LINKED}")):
            with suppress(OSError):
                blanks.clear(self._folder)
        return found

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """The places of about the k nearest vectors to a (d,) float32 vector and their cosines, best first."""
        k = min(k, self.count)
        if not k:
            return []
        with self._trying(answers=True):
            return _nearest(self._collection, vector, k)

    def places(self) -> list[int]:
        """Every place it holds (for checks; reads the whole collection)."""
        with self._trying(answers=True):
            return [int(place) for place in self._collection.get(include=[])["ids"]]

    @contextmanager
    def _trying(self, *, answers: bool = False) -> Iterator[None]:
        """What reads the graph may end this process: until it has answered once, that it was tried is written."""
        if not self._answered:
            seal.opened(self._folder, tries=self._tries + 1)
        with _damage_told(self._folder):
            yield
        if answers and not self._answered:
            self._answered = True
            seal.opened(self._folder)

    def close(self) -> None:
        """Give it back; it can't be used by whoever closed it."""
        with _guard:
            self.users -= 1
            if not self.users:
                del _opened[self._folder]
                self._release()

    def _release(self) -> None:
        self._collection = None
        if self._client is not None:
            self._client.close()
        seal.closed(self._folder)
        self._lock.release()


_opened: dict[Path, Collection] = {}  # Chroma itself keeps one client a folder and process
_guard = threading.Lock()


def open_collection(folder: Path) -> Collection | None:
    """The collection of a folder, None where another process holds it. Raises IndexMissing and IndexDamaged.

    One that the last process left open, or whose files are not known, is tried in a child process first.
    """
    if not folder.is_dir():
        raise IndexMissing(part=PART)
    folder = folder.resolve()
    with _guard:
        if (reason := seal.marked(folder)) is not None:
            raise IndexDamaged(part=PART, reason=reason)
        held = _opened.get(folder)
        if held is None:
            lock = FileLock(lock_path(folder))
            try:
                lock.acquire(blocking=False)
            except (Timeout, OSError):  # held elsewhere, or in a folder that can't be written
                return None
            try:
                tries = admission.admitted(folder)
            except IndexDamaged:
                lock.release()
                raise
            held = _opened[folder] = Collection(folder, lock, tries=tries)
        held.users += 1
        return held


def check(folder: Path) -> int | None:
    """How many vectors a folder holds, after each of its files was compared and a child process searched it.

    None where a process holds it open: it works there. Raises IndexMissing, and IndexDamaged after having marked it.
    """
    if not folder.is_dir():
        raise IndexMissing(part=PART)
    folder = folder.resolve()
    try:
        with FileLock(lock_path(folder), blocking=False):
            return admission.tried(folder)
    except Timeout:
        return None


def inspect(folder: Path) -> int:
    """How many vectors a folder holds, once some from all over it were looked for. Raises IndexDamaged, or dies."""
    with _damage_told():
        client = _client(folder)
        collection = _collection(client)
        count = int(collection.count())
        for n in range(min(count, PROBED)):
            found = collection.get(limit=1, offset=n * count // min(count, PROBED), include=["embeddings"])
            vector = np.asarray(found["embeddings"][0], np.float32)
            best = _nearest(collection, vector, min(count, PROBED_DEEP))
            if np.any(vector) and best[0][1] < NEAR_ITSELF:
                raise IndexDamaged(part=PART, reason="lost")
        client.close()
    return count


def is_held(folder: Path) -> bool:
    """Whether a process has this folder open."""
    if not folder.is_dir():
        return False
    try:
        with FileLock(lock_path(folder), blocking=False):
            return False
    except Timeout:
        return True


def lock_path(folder: Path) -> str:
    """The lock file that says a process holds this Chroma folder."""
    return str(folder) + ".lock"


def _collection(client: Any) -> Any:
    collection = client.get_collection(COLLECTION, embedding_function=None)
    space = collection.configuration_json["hnsw"]["space"]
    if space != SPACE:
        raise IndexDamaged(part=PART, reason=f"space {space}")
    return collection


def _nearest(collection: Any, vector: Vectors, k: int) -> list[tuple[int, float]]:
    found = collection.query(query_embeddings=vector[np.newaxis, :], n_results=k, include=["distances"])
    if len(found["ids"][0]) < k:  # where a file of the graph is gone Chroma starts an empty one without a word
        raise IndexDamaged(part=PART, reason="short")
    return [(int(i), 1.0 - float(d)) for i, d in zip(found["ids"][0], found["distances"][0], strict=True)]


@contextmanager
def _damage_told(folder: Path | None = None) -> Iterator[None]:
    """Whatever Chroma raises on a folder that it can't read, as ours; the folder is marked, unless the disk is full."""
    try:
        yield
    except Exception as error:
        damage = error if isinstance(error, IndexDamaged) else IndexDamaged(part=PART, reason=repr(error))
        if folder is not None and shutil.disk_usage(folder.parent).free >= FULL_BYTES:
            seal.mark(folder, str(damage.details["reason"]))
        if damage is error:
            raise
        raise damage from error


@contextmanager
def _full_disk_told(folder: Path) -> Iterator[None]:
    """Chroma's own error for a full disk, whose only mark is its text, as ours."""
    from chromadb.errors import ChromaError

    try:
        yield
    except ChromaError as error:
        if shutil.disk_usage(folder.parent).free < FULL_BYTES or "full" in str(error).lower():
            raise DiskFull(path=str(folder)) from error
        raise IndexDamaged(part=PART, reason=str(error)) from error


def _client(folder: Path) -> Any:
    # Said twice because Chroma has read either, depending on its version.
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    import chromadb  # heavy: only when a vector index is opened

    return chromadb.PersistentClient(
        str(folder), settings=chromadb.config.Settings(anonymized_telemetry=False, allow_reset=False)
    )
