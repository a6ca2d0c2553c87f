"""What watches over the server and what leads people to it ask: /sante, whether it lives, and /pret, whether to come.

Answered before everything that NiceGUI does for a page (it would begin a session a poll), without a session, and never
logged. A reason is a short sentence without any fact of the archive.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from starlette.responses import PlainTextResponse, Response

from engine import ArchivisteError

from .access.roles import ALIVE, READY
from .i18n import gettext as _
from .state import State

FRESH_S: Final = 1.0  # polls come by the second, from each balancer: the look is shared
RETRY_S: Final = 5.0  # between two attempts to open what is not open
log = logging.getLogger(__name__)

Check = Callable[[], str]  # why nobody should be sent here now, "" when there is no reason


def register(state: State) -> None:
    """Make both addresses known to the guard; `state.ready_when` may gain checks until the server ends."""
    look = _Look(state)

    async def alive(_address: str) -> Response:
        return _said(_("alive"))

    async def ready(_address: str) -> Response:
        if state.leaving.is_set() or state.stopping.is_set():  # at once, whatever was seen before
            return _said(_("This server is stopping."), 503)
        reason = await look.reason()
        return _said(reason or _("ready"), 503 if reason else 200)

    state.access.direct[ALIVE] = alive
    state.access.direct[READY] = ready


class _Look:
    """The first reason that a check gives, looked for once a second at most."""

    def __init__(self, state: State) -> None:
        self._state, self._opener = state, _Opener(state)
        self._seen: tuple[float, str] = (float("-inf"), "")
        self._one = asyncio.Lock()

    async def reason(self) -> str:
        async with self._one:
            if time.monotonic() - self._seen[0] > FRESH_S:
                found = await asyncio.to_thread(self._first)
                if bool(found) != bool(self._seen[1]):
                    log.warning("not ready: %s", found) if found else log.info("ready")
                self._seen = (time.monotonic(), found)
            return self._seen[1]

    def _first(self) -> str:
        state = self._state
        checks: tuple[Check, ...] = (lambda: _store(state), state.access.waits, *state.ready_when, self._opener.reason)
        return next((reason for check in checks if (reason := check())), "")


class _Opener:
    """The index is opened by the first search; where nobody is sent before it is open, it is opened from here."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._tried, self._trying = float("-inf"), False

    def reason(self) -> str:
        if self._state.archive.is_open():
            return ""
        if not self._trying and time.monotonic() - self._tried > RETRY_S:
            self._trying = True
            self._state.questions.submit(self._open)  # it may take long: the answer does not wait for it
        return _("The index is not open yet.")

    def _open(self) -> None:
        try:
            with self._state.archive.reading():
                pass
        except ArchivisteError as error:
            log.info("the index can't be opened: %s", error)
        finally:
            self._tried, self._trying = time.monotonic(), False


def _store(state: State) -> str:
    try:
        state.archive.store.meta("title")
    except ArchivisteError as error:
        log.warning("the archive can't be read: %s", error)
        return _("The archive can’t be read.")
    return ""


def _said(sentence: str, status: int = 200) -> Response:
    return PlainTextResponse(f"{sentence}\n", status, headers={"Cache-Control": "no-store"})
