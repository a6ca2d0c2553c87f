"""The application on a desktop: its window, or the default browser where there can be none."""

from __future__ import annotations

import html
import logging
import subprocess
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Final

from . import frozen, i18n, process, window

END_S: Final = 5.0  # for a window to go away
_PAGE: Final = "message.html"
_log = logging.getLogger(__name__)


class Window:
    """The window's process. `closed` is called when somebody closes it, `failed` when none could be shown."""

    def __init__(self, data: Path, address: str, *, closed: Callable[[], None], failed: Callable[[], None]) -> None:
        self._command = process.role(window.ROLE, str(data), i18n.language(), address)
        self._closed, self._failed = closed, failed
        self._child: subprocess.Popen[bytes] | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="window", daemon=True)

    @property
    def pid(self) -> int | None:
        """The window's process, None while there is none."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def open(self) -> None:
        """Show the window; what becomes of it is told later, from another thread."""
        self._thread.start()

    def end(self) -> None:
        """Take the window away without calling anybody. Once is enough."""
        self._ending.set()
        child = self._child
        if child is None or child.stdin is None:
            return
        child.stdin.close()  # what the window takes for the death of its parent
        try:
            child.wait(END_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _watch(self) -> None:
        try:
            self._child = child = subprocess.Popen(
                self._command, cwd=process.folder(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, **process.detached(),
            )  # fmt: skip
        except OSError:
            _log.exception("the window can't be started")
            self._failed()
            return
        assert child.stdout is not None
        shown = False
        for line in child.stdout:  # to the end of the process
            shown = shown or line == window.SHOWN
        status = child.wait()
        child.stdout.close()
        if self._ending.is_set():
            return
        if status:
            _log.warning("the window ended with status %s, %s", status, "shown" if shown else "never shown")
        # A window that was seen and is gone, closed or killed, means the end: an application without any would stay
        # behind unseen.
        (self._closed if shown or not status else self._failed)()


def show_in_browser(address: str) -> None:
    """Open the default browser; a machine that has none is left alone."""
    try:
        webbrowser.open(address)
    except webbrowser.Error:
        _log.warning("no browser on this machine")


def tell(folder: Path, sentence: str) -> None:
    """Say why the application does not open, to somebody who started it by a double click and has no terminal."""
    if not frozen.is_desktop():
        return
    page = folder / _PAGE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><title>Archiviste</title>'
            f'<body style="font: 18px/1.5 sans-serif; max-width: 34em; margin: 4em auto">{html.escape(sentence)}',
            "utf-8",
        )
    except OSError:
        _log.exception("nothing can be shown")
        return
    show_in_browser(page.as_uri())
