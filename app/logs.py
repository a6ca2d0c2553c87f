"""The log files of a data folder. No text of a message or of a question goes there above DEBUG."""

from __future__ import annotations

import io
import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final, TextIO

FOLDER: Final = "logs"
FILE: Final = "archiviste.log"
WORKER_FILE: Final = "worker.log"
MAX_BYTES: Final = 1_000_000
KEPT: Final = 3


def path_of(data: Path, name: str = FILE) -> Path:
    """Where a log of this data folder is."""
    return data / FOLDER / name


def start(data: Path, level: str, *, name: str = FILE) -> None:
    """Send every later event of at least this level to a log of the data folder."""
    close()
    root = logging.getLogger()
    handler = _LogFile(path_of(data, name), maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
    root.setLevel(level.upper())


def close() -> None:
    """Let go of the log; later events are written nowhere."""
    root = logging.getLogger()
    for handler in [*root.handlers]:
        if isinstance(handler, _LogFile):
            root.removeHandler(handler)
            handler.close()


def repair_streams(data: Path) -> None:
    """Give the process the output streams that it needs: a windowed executable has none at all."""
    if sys.stdout is None or sys.stderr is None:
        log = path_of(data, "output.log")
        stream: TextIO
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            stream = log.open("a", encoding="utf-8", errors="replace", buffering=1)
        except OSError:
            stream = io.StringIO()
        sys.stdout = sys.stdout or stream
        sys.stderr = sys.stderr or stream
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            # A pipe on Windows speaks cp1252: « é » in JSON must be UTF-8, and no character may raise.
            output.reconfigure(encoding=None if output.isatty() else "utf-8", errors="replace")


class _LogFile(RotatingFileHandler):
    """A log whose folder appears with its first event, and whose failure stops nothing."""

    def _open(self) -> io.TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk or a read-only folder: the work goes on without a log."""
