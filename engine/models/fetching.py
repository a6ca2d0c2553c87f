"""What downloads and copies of models share: progress in bytes, room on the disk, one at a time."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import DiskFull, StoreBusy
from ..values import OnProgress, Progress
from . import shelf

SPARE_BYTES = 1 << 30  # left free on the disk: databases and indexes live there too
REPORT_S = 0.2


class Meter:
    """Reports a count of bytes a few times a second; the rate and the time left come from what came since it began."""

    def __init__(self, stage: str, total: int, on_progress: OnProgress, check: Callable[[], None]) -> None:
        self._stage, self._total, self._report, self._check = stage, total, on_progress, check
        self._began, self._first, self._last = time.monotonic(), -1, 0.0

    def at(self, done: int) -> None:
        """So many bytes are there. Raises what the check raises."""
        self._check()
        now = time.monotonic()
        if self._first < 0:
            self._began, self._first = now, done
        elif now - self._last < REPORT_S and done < self._total:
            return
        self._last = now
        elapsed, fresh = now - self._began, done - self._first
        rate = fresh / elapsed if elapsed > 0 else 0.0
        left = (self._total - done) / rate if rate > 0 else None
        self._report(Progress(self._stage, done, self._total, rate=rate, left_s=left))


@contextmanager
def workshop(data: Path, name: str) -> Iterator[Path]:
    """The folder in which a model is made, kept when that is interrupted. Raises StoreBusy when it is being made."""
    made = shelf.folder(data) / shelf.PARTIAL / name
    made.mkdir(parents=True, exist_ok=True)
    lock = FileLock(made.with_name(f"{name}.lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise StoreBusy(holder=str(made), reason="model") from error
    try:
        yield made
    finally:
        lock.release()


def room_for(needed: int, place: Path) -> None:
    """Return when the disk has room for so many bytes and some spare ones, else raise DiskFull."""
    free = shutil.disk_usage(place).free
    if needed + SPARE_BYTES > free:
        raise DiskFull(
            path=str(place), reason="model", needed_gb=math.ceil((needed + SPARE_BYTES) / 1e9), free_gb=int(free / 1e9)
        )
