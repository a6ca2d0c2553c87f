"""A Redis that does not answer: it is waited for and tried again and again, and the log tells it once in a while."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from . import i18n
from .errors import QueueUnavailable
from .i18n import N_, ngettext

AWAY: Final = N_(
    "The Redis server of “queue_url” does not answer. A task under way goes on; those that wait begin by themselves"
    " once it is back. Nothing is lost."
)
FIRST_S: Final = 0.5  # before the second try; doubled at each
LONGEST_S: Final = 15.0
TOLD_S: Final = 300.0  # between two entries of the log about the same absence
_LOGGERS: Final = ("huey.consumer.Worker", "huey.consumer.Scheduler")
_log = logging.getLogger(__name__)


def when_reached(
    do: Callable[[], None], *, away: Callable[[], None], sleep: Callable[[float], None] = time.sleep
) -> None:
    """Do what needs the queue, as soon as its server answers; `away` is called when it must be waited for."""
    delay = FIRST_S
    while True:
        try:
            return do()
        except QueueUnavailable as error:
            if error.details["reason"] != "refused":
                raise
            if delay == FIRST_S:
                _log.warning("the queue can't be reached yet: %s", error.__cause__)
                away()
        sleep(delay)
        delay = min(2 * delay, LONGEST_S)


def together(encoders: int) -> str:
    """How many processes encode, for a person."""
    said = ngettext("{n} process computes vectors.", "{n} processes compute vectors together.", encoders)
    return said.format(n=i18n.number(encoders))


def log_sparingly() -> None:
    """Have the consumer, which tries again by itself, log an absence once in a while and without its traceback."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_Sparing())


class _Sparing(logging.Filter):
    def __init__(self) -> None:
        super().__init__()
        self._told = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or not type(error).__module__.startswith("redis."):
            return True
        if time.monotonic() - self._told < TOLD_S:
            return False
        self._told = time.monotonic()
        record.msg, record.args = "the queue does not answer; tried again by itself: %s", (error,)
        record.exc_info = None
        return True
