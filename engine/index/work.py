"""What indexing works with, and how it says where it stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..seams import Models
from ..settings import Settings
from ..store.archive import ArchiveStore
from ..store.vectors import VectorStore
from ..values import OnProgress, PostId, Progress
from .company import Member
from .passages import IndexablePost

REPORT_S = 0.2
POSTS_AT_A_TIME = 900  # as many as the store finds at once


@dataclass(frozen=True, slots=True)
class Work:
    """The open stores, the models, and who hears. `check` is called several times a second and may raise Cancelled."""

    settings: Settings
    store: ArchiveStore
    vectors: VectorStore
    models: Models
    report: OnProgress
    check: Callable[[], None]
    member: Member | None = None  # None: no other process works on the archive

    def meter(self, stage: str, total: int) -> Meter:
        """A meter for a stage of so many items, announced at once."""
        return Meter(stage, total, self.report, self.check)


def indexable(work: Work, post_ids: Sequence[int]) -> Iterator[IndexablePost]:
    """These posts as the indexes see them, part by part in their order."""
    for start in range(0, len(post_ids), POSTS_AT_A_TIME):
        yield from work.store.indexable([PostId(i) for i in post_ids[start : start + POSTS_AT_A_TIME]])


class Meter:
    """Turns counts into progress reports, a few a second."""

    def __init__(self, stage: str, total: int, report: OnProgress, check: Callable[[], None]) -> None:
        self._stage, self._total, self._report, self._check = stage, total, report, check
        self._started = self._last = time.monotonic()
        report(Progress(stage, 0, total))

    def at(self, done: int, *, share: float | None = None) -> None:
        """So many items are done; `share` (0 to 1) says how much of the work that is where items differ in size."""
        now = time.monotonic()
        if now - self._last < REPORT_S and done < self._total:
            return
        self._last = now
        self._check()
        elapsed = now - self._started
        if share is None:
            share = done / self._total if self._total else 1.0
        left = elapsed * (1 - share) / share if share > 0 else None
        self._report(Progress(self._stage, done, self._total, rate=done / elapsed if elapsed > 0 else 0.0, left_s=left))
