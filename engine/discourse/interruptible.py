"""Runs something that blocks, such as waiting for a server, so that it can be given up within a moment."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

LOOK_S = 0.5  # between two looks at whether the work was cancelled
Result = TypeVar("Result")


def interruptible(work: Callable[[], Result], check: Callable[[], None]) -> Result:
    """What `work` returns or raises; when `check` raises first, that, and `work` ends unheard in its thread."""
    ended: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            ended.put((work(), None))
        except BaseException as error:  # noqa: BLE001 - raised again by the one who waits
            ended.put((None, error))

    threading.Thread(target=run, name="request", daemon=True).start()
    while True:
        try:
            result, error = ended.get(timeout=LOOK_S)
        except queue.Empty:
            check()
            continue
        if error is not None:
            raise error
        return result  # type: ignore[return-value]
