"""The one walk through the archive that every export makes: topic by topic, with its progress, within one moment.

Also the last look: what was exported must still be public when the export appears.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ..store import ArchiveStore, exporting
from ..store.exporting import StoredPost
from ..values import OnProgress, Progress, Topic

EVERY_S = 0.2  # between two words about the progress


@dataclass(slots=True)
class Walk:
    """Topics and posts in order; only `topics` and `posts` change it."""

    store: ArchiveStore
    stage: str
    on_progress: OnProgress
    check: Callable[[], None]
    total: int
    done: int = 0
    began: float = field(default_factory=time.monotonic)
    _told: float = 0.0

    def topics(self) -> Iterator[Topic]:
        """Every topic by its id."""
        for topic in exporting.topics(self.store):
            self.check()
            yield topic
        self._tell()

    def posts(self, topic: Topic) -> Iterator[StoredPost]:
        """The posts of a topic by their number."""
        for post in exporting.posts(self.store, topic.id):
            yield post
            self.done += 1
            if time.monotonic() - self._told >= EVERY_S:
                self.check()
                self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        elapsed = self._told - self.began
        rate = self.done / elapsed if elapsed > 0 else 0.0
        left = (self.total - self.done) / rate if rate and self.total else None
        self.on_progress(Progress(self.stage, self.done, self.total, rate=rate, left_s=left))


class Shown:
    """What an export shows of each post, as a fingerprint: 16 bytes a post."""

    def __init__(self, store: ArchiveStore, check: Callable[[], None]) -> None:
        """Reads every post; call it in the moment that is exported."""
        count = store.counts()[0]
        self._ids = np.zeros(count, np.int64)
        self._prints = np.zeros(count, np.uint64)
        self._count = 0
        for post_id, facts in exporting.shown(store):
            if self._count % 1000 == 0:
                check()
            self._ids[self._count], self._prints[self._count] = post_id, _print(facts)
            self._count += 1
        self._version = _version(store)

    def still_holds(self, store: ArchiveStore, check: Callable[[], None]) -> bool:
        """Whether every post of them is held now as it was then. Quick when nothing was written meanwhile."""
        if _version(store) == self._version:
            return True
        ids, seen = self._ids[: self._count], 0
        for n, (post_id, facts) in enumerate(exporting.shown(store)):
            if n % 1000 == 0:
                check()
            at = int(np.searchsorted(ids, post_id))
            if at < len(ids) and ids[at] == post_id:
                if self._prints[at] != _print(facts):
                    return False
                seen += 1
        return seen == self._count


def _print(facts: tuple[object, ...]) -> int:
    return int.from_bytes(hashlib.blake2b(repr(facts).encode("utf-8", "replace"), digest_size=8).digest())


def _version(store: ArchiveStore) -> int:
    """A number that changes for this connection when another one has written."""
    return int(store.rows("PRAGMA data_version")[0][0])
