"""The end of a server that others stand beside: it says that it leaves, goes on while people are led elsewhere, ends.

Only where `drain_s` is set, and only for SIGTERM, which is how whatever starts servers stops them. A second one ends it
at once.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from types import FrameType
from typing import Final

from .state import State

ANSWERS_S: Final = 30.0  # for the answers under way to be written to their end
CUT_S: Final = 3.0  # for those that were not to stop…
TOLD_S: Final = 1.0  # …and for their pages to hear it: they look six times a second
log = logging.getLogger(__name__)


class Drain:
    """How this server ends. `listen` when it has started, in its loop and in the main thread."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._task: asyncio.Task[None] | None = None

    def listen(self) -> None:
        """Take SIGTERM over from whoever handles it, to whom it is given in the end."""
        loop, ends = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM)

        def end(number: int) -> None:
            if callable(ends):
                ends(number, None)

        def begin(number: int) -> None:
            self._task = loop.create_task(self._drain(number, end))

        def told(number: int, _frame: FrameType | None) -> None:
            if self._state.leaving.is_set():
                end(number)
            else:
                self._state.leaving.set()
                loop.call_soon_threadsafe(begin, number)

        signal.signal(signal.SIGTERM, told)

    async def _drain(self, number: int, end: Callable[[int], None]) -> None:
        state = self._state
        log.warning("told to stop: serving for %d s more", state.app.drain_s)
        try:
            await asyncio.sleep(state.app.drain_s)
            # Whatever is asked from now on comes from pages that are still open here: it has the time that is left.
            if not await asyncio.to_thread(state.under_way.wait_for_none, ANSWERS_S):
                log.warning("%d answers are cut", state.under_way.count)
                state.cutting.set()
                await asyncio.to_thread(state.under_way.wait_for_none, CUT_S)
            await asyncio.sleep(TOLD_S)
        finally:
            end(number)
