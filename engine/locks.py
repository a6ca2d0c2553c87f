"""The locks of a data folder: one writer at a time, whatever the process, and one sync."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from .errors import DiskFull, StoreBusy, StoreError
from .settings import Settings

WRITER_LOCK = "writer.lock"
SYNC_LOCK = "sync.lock"  # a sync lasts hours and writes to the archive only at its end


def writing(settings: Settings) -> AbstractContextManager[None]:
    """One writer a data folder, whatever the process. Raises StoreBusy, DiskFull, StoreError."""
    return locked(settings, WRITER_LOCK, reason="writing")


def is_locked(settings: Settings, name: str) -> bool:
    """Whether a process holds this lock of the data folder."""
    path = settings.data / name
    if not path.exists():
        return False
    try:
        with FileLock(path, blocking=False):
            return False
    except Timeout:
        return True


def discard(settings: Settings, name: str) -> bool:
    """Remove the file of a lock, whoever holds it: the next to ask gets another one. False where that can't be."""
    try:
        (settings.data / name).unlink(missing_ok=True)
    except OSError:  # Windows keeps a file that is open
        return False
    return True


def locked(settings: Settings, name: str, *, reason: str) -> AbstractContextManager[None]:
    """Hold a lock of the data folder, else StoreBusy with this reason; errors of the disk are told in our words."""
    return locked_at(settings.data / name, reason=reason)


@contextmanager
def locked_at(path: Path, *, reason: str) -> Iterator[None]:
    """The same for a lock anywhere."""
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise StoreBusy(holder=str(folder), reason=reason) from error
    try:
        yield
    except OSError as error:  # Whoosh writes its files itself; SQLite and Chroma report a full disk their own way
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=str(folder)) from error
        raise StoreError(path=str(folder), reason=error.strerror or str(error)) from error
    finally:
        lock.release()
