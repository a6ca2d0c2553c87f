"""A value read from the whole of archive.db, kept while nobody writes to the file."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from ..errors import ArchivisteError
from .database import Connection, connect, translated
from .schema import ARCHIVE

T = TypeVar("T")
AT_MOST_EVERY_S = 20.0  # an import commits every second: what is counted may be so much behind it
_log = logging.getLogger(__name__)


class Remembered(Generic[T]):
    """What `read` finds in the file, read again once any process has changed it. Safe from several threads.

    With `behind`, whoever asks after a change gets what was known before it, and a thread reads it anew meanwhile.
    """

    def __init__(self, path: Path, read: Callable[[Connection], T], *, behind: bool = False) -> None:
        self._path, self._read, self._behind = path, read, behind
        self._lock = threading.Lock()
        self._watch: Connection | None = None
        self._kept: tuple[int, float, T] | None = None
        self._thread: threading.Thread | None = None
        self._reader: Connection | None = None  # the thread's
        self._closed = False

    def get(self, db: Connection) -> T:
        """The value, read through this connection when it must be; others wait meanwhile rather than read it too."""
        while True:
            with self._lock, translated(self._path):
                begun = self._thread
                if self._kept is not None or begun is None:
                    version = self._version()
                    if self._kept is None or (self._is_old(version) and not self._behind):
                        self._kept = (version, time.monotonic(), self._read(db))
                    elif self._is_old(version) and begun is None:
                        self._start(version)
                    return self._kept[2]
            begun.join()  # the first reading, which `begin` started

    def begin(self) -> None:
        """Read it in a thread unless it is known, so that whoever asks first finds it; closing gives it up."""
        with self._lock, translated(self._path):
            if self._kept is None and self._thread is None:
                self._start(self._version())

    def close(self) -> None:
        """Release the connection that watches the file; a reading under way is given up."""
        with self._lock:
            if self._watch is not None:
                self._watch.close()
            self._watch = self._kept = None
            self._closed = True
            thread = self._thread
            if self._reader is not None:
                self._reader.interrupt()
        if thread is not None:
            thread.join()

    def _is_old(self, version: int) -> bool:
        if self._kept is None:
            return True
        return version != self._kept[0] and time.monotonic() - self._kept[1] > AT_MOST_EVERY_S

    def _start(self, version: int) -> None:
        self._reader = connect(self._path, ARCHIVE)
        self._thread = threading.Thread(target=self._read_behind, args=(self._reader, version), daemon=True)
        self._thread.start()

    def _read_behind(self, db: Connection, version: int) -> None:
        try:
            with translated(self._path):
                found = self._read(db)
            with self._lock:
                if not self._closed:
                    self._kept = (version, time.monotonic(), found)
        except ArchivisteError:  # what was known stays; the next one who asks tries again
            _log.info("could not be read anew", exc_info=True)
        finally:
            with self._lock:
                self._thread = self._reader = None
            db.close()

    def _version(self) -> int:
        """A number that changes with every transaction of others; only a connection that never writes sees them all."""
        if self._watch is None:
            self._watch = connect(self._path, ARCHIVE)
        (version,) = self._watch.execute("PRAGMA data_version").fetchone()
        return int(version)
