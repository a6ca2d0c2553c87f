"""A value read from the whole of archive.db, kept while nobody writes to the file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from .database import Connection, connect, translated
from .schema import ARCHIVE

T = TypeVar("T")
AT_MOST_EVERY_S = 20.0  # an import commits every second: what is counted may be so much behind it


class Remembered(Generic[T]):
    """What `read` finds in the file, read again once any process has changed it. Safe from several threads."""

    def __init__(self, path: Path, read: Callable[[Connection], T]) -> None:
        self._path, self._read = path, read
        self._lock = threading.Lock()
        self._watch: Connection | None = None
        self._kept: tuple[int, float, T] | None = None

    def get(self, db: Connection) -> T:
        """The value, read through this connection when it must be; others wait meanwhile rather than read it too."""
        with self._lock, translated(self._path):
            now = time.monotonic()
            version = self._version()
            if self._kept is None or (version != self._kept[0] and now - self._kept[1] > AT_MOST_EVERY_S):
                self._kept = (version, time.monotonic(), self._read(db))
            return self._kept[2]

    def close(self) -> None:
        """Release the connection that watches the file."""
        with self._lock:
            if self._watch is not None:
                self._watch.close()
            self._watch = self._kept = None

    def _version(self) -> int:
        """A number that changes with every transaction of others; only a connection that never writes sees them all."""
        if self._watch is None:
            self._watch = connect(self._path, ARCHIVE)
        (version,) = self._watch.execute("PRAGMA data_version").fetchone()
        return int(version)
