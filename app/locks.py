"""Files whose lock says that a process is alive: the system lets go of it when the process dies, however it dies.

A heartbeat alone can't tell a dead process from a laptop that slept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from engine import StoreError

from .errors import unusable


def is_held(path: Path) -> bool:
    """Whether a living process holds this lock. On a disk that can't be written nobody can tell: False."""
    if not path.exists():
        return False
    try:
        with hold(path) as mine:
            return not mine
    except StoreError:
        return False


@contextmanager
def hold(path: Path, *, wait_s: float = 0.0) -> Iterator[bool]:
    """Whether the lock was free; it is then held until the end of the block. Raises StoreError, DiskFull."""
    lock = FileLock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=wait_s)
    except Timeout:
        yield False
        return
    except OSError as error:
        raise unusable(path.parent, error) from error
    try:
        yield True
    finally:
        lock.release()


def forget(path: Path) -> None:
    """Remove the file of a lock that nobody will ask for again."""
    with suppress(OSError):  # Windows keeps a file that somebody looks at; the next start removes it
        path.unlink(missing_ok=True)
