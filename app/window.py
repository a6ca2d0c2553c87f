"""The application's window: a process of its own, so that a fault of the system's browser engine ends nothing else.

It shows the pages of a server that runs already, and ends when that server does. Knows nothing about the pages.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from engine import ArchivisteError

from . import i18n, instance, logs
from .i18n import gettext as _
from .job_states import State
from .jobs import FILE, Jobs

ROLE: Final = "window"  # hidden subcommand of the program, see app/__main__.py
SHOWN: Final = b"shown\n"  # written to the parent once there is something to see
FAILED: Final = 3
LOG: Final = "window.log"
SIZE: Final = (1180, 720)  # within the smallest screen of a laptop, 1366 × 768, with its bars
_LOOK_S: Final = 0.3  # between two looks at whether the window is wanted in front
_log = logging.getLogger(__name__)


def main(arguments: Sequence[str]) -> int:
    """Show a window until it is closed: 0, or FAILED where none can be opened. Arguments: data, language, address."""
    data, language, address = Path(arguments[0]), arguments[1], arguments[2]
    i18n.use(language)
    logs.start(data, "warning", name=LOG)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    try:
        return _show(data, address)
    except Exception:  # noqa: BLE001 - the boundary of the process; GTK, WebView2 or a display may not be there
        _log.warning("no window on this machine", exc_info=True)
        return FAILED


def _show(data: Path, address: str) -> int:
    import webview

    webview.settings["ALLOW_DOWNLOADS"] = True  # exports
    window: Any = webview.create_window("Archiviste", address, width=SIZE[0], height=SIZE[1], min_size=(360, 480))
    closing_is_fine = threading.Event()

    def ask() -> None:
        question = _(
            "A task is under way. If you close Archiviste now, it stops and goes on the next time you open it. Close?"
        )
        if window.create_confirmation_dialog("Archiviste", question):  # GTK shows no title
            closing_is_fine.set()
            window.destroy()

    def on_closing() -> bool:
        """Whether to close. The question is asked from a thread: this one draws the window."""
        if closing_is_fine.is_set() or not _is_busy(data):
            return True
        threading.Thread(target=ask, name="closing", daemon=True).start()
        return False

    window.events.closing += on_closing
    window.events.shown += lambda: _tell_parent(SHOWN)
    kept = data / instance.SERVER_FOLDER / "window"
    words = {"global.ok": _("Close"), "global.cancel": _("Cancel")}
    webview.start(_come_to_front, (window, data), localization=words, private_mode=False, storage_path=str(kept))
    return 0


def _is_busy(data: Path) -> bool:
    """Whether a job runs that closing would interrupt."""
    if not (data / FILE).exists():
        return False
    try:
        with closing(Jobs(data)) as jobs:
            return any(job.state is State.RUNNING for job in jobs.recent(0))
    except ArchivisteError as error:
        _log.warning("%s", error)
        return False


def _come_to_front(window: Any, data: Path) -> None:
    seen = instance.asked_to_front(data)
    while not window.events.closed.is_set():
        asked = instance.asked_to_front(data)
        if asked != seen:
            seen = asked
            window.restore()
            # Some systems refuse to let a program put itself in front, but not above all for a moment.
            window.on_top = True
            window.on_top = False
        time.sleep(_LOOK_S)


def _tell_parent(line: bytes) -> None:
    try:
        os.write(1, line)
    except OSError:  # nobody listens: the window was opened by hand
        _log.info("no parent")


def _end_with_parent() -> None:
    """The parent holds the other end of standard input; the system closes it when the parent dies."""
    while os.read(0, 4096):
        pass
    os._exit(0)  # the loop of the window can't be left from another thread on every system
