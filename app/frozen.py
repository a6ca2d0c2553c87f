"""What the bundled program puts right in its own process before anything else runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

DESKTOP: Final = "archiviste-app"  # the program without a console, on Windows and macOS (packaging/archiviste.spec)
_LIBRARIES: Final = "LD_LIBRARY_PATH"


def is_frozen() -> bool:
    """Whether this is the bundled program rather than Python with our modules."""
    return bool(getattr(sys, "frozen", False))


def repair() -> None:
    """Give the programs that we start (the browser, the system's WebKit) the system's libraries, not the bundle's.

    The bundle's loader has pointed the variable at its own folder; this process has read it already.
    """
    if not is_frozen():
        return
    before = os.environ.pop(f"{_LIBRARIES}_ORIG", None)
    if before:
        os.environ[_LIBRARIES] = before
    else:
        os.environ.pop(_LIBRARIES, None)


def is_desktop() -> bool:
    """Whether this is the bundle's program without a console."""
    return is_frozen() and Path(sys.executable).stem == DESKTOP


def arguments() -> list[str]:
    """The command line; a double click gives none, and means the application in its window."""
    return ["serve", "--native"] if len(sys.argv) == 1 and is_desktop() else sys.argv[1:]
