"""What the disk says to backups, in our words, and how far one is."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import DiskFull, StoreError
from ..progress import OnProgress, Progress

SPARE_BYTES = 16 << 20
PIECE = 1 << 20  # read at once
BETWEEN_S = 0.2  # two reports of progress


def check_room(folder: Path, needed: int, *, reason: str) -> None:
    """Raises DiskFull when so many bytes would not fit."""
    free = shutil.disk_usage(folder).free
    if needed + SPARE_BYTES > free:
        needed_mb, free_mb = (round(size / 1e6) for size in (needed + SPARE_BYTES, free))
        raise DiskFull(path=str(folder), reason=reason, needed_mb=needed_mb, free_mb=free_mb)


@contextmanager
def told(target: Path, *, full: str) -> Iterator[None]:
    """Errors of the disk while `target` is written; `full` is the reason of DiskFull."""
    try:
        yield
    except DiskFull as error:  # SQLite's
        if "reason" in error.details:
            raise
        raise DiskFull(path=str(target), reason=full) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=str(target), reason=full) from error
        if error.errno == errno.EFBIG:  # FAT32 stops at 4 GB
            raise DiskFull(path=str(target), reason="file_size") from error
        raise StoreError(path=str(error.filename or target), reason=error.strerror or str(error)) from error


class Meter:
    """How much is done of so many bytes; asks at each step whether to go on."""

    def __init__(self, stage: str, total: int, on_progress: OnProgress, check: Callable[[], None]) -> None:
        self._stage, self._total, self._on_progress, self._check = stage, total, on_progress, check
        self._done, self._began, self._told = 0, time.monotonic(), float("-inf")

    def add(self, count: int) -> None:
        """So many bytes more are done."""
        self._check()
        self._done += count
        now = time.monotonic()
        if now - self._told >= BETWEEN_S:
            self._told = now
            rate = self._done / max(now - self._began, 1e-3)
            left_s = max(0, self._total - self._done) / rate if rate else None
            self._on_progress(Progress(self._stage, min(self._done, self._total), self._total, rate, left_s))

    def part(self, size: int) -> Callable[[int], None]:
        """Hears how much of a part of so many bytes is done."""
        before = 0

        def hear(done: int) -> None:
            nonlocal before
            self.add(min(done, size) - before)
            before = min(done, size)

        return hear
