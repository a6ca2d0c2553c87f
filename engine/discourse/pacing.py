"""How long to wait before the next request: our own rate, what a server asks for, growing waits after trouble.

Knows nothing of HTTP libraries. Time comes in through a Clock, so that a test doesn't wait.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

SLICE_S = 0.5  # between two looks at whether the work was cancelled
FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 60.0
SLOWEST_S = 10.0  # between two requests, however often a server complains
EASE_AFTER = 100  # good answers in a row after which a slowed pace quickens again
SLOW_DOWN = 1.5
_PLAIN = re.compile(rb"retry again in (\d{1,6}) seconds", re.IGNORECASE)  # Discourse's words outside JSON


@dataclass(frozen=True, slots=True)
class Clock:
    """Where time comes from: `monotonic` and `time` in seconds, the second since 1970."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    time: Callable[[], float] = time.time


class Pace:
    """At most one request each `interval_s` seconds, from start to start; slower for a while after complaints."""

    def __init__(self, interval_s: float, clock: Clock, check: Callable[[], None]) -> None:
        self._least = self._interval = interval_s
        self._clock, self._check = clock, check
        self._last = -math.inf
        self._good = 0
        self.waited_s = 0.0  # because a server asked for it or failed, not for our own rate

    def turn(self) -> None:
        """Wait until the next request may start. Raises what `check` raises."""
        self._check()
        self._sleep_until(self._last + self._interval)
        self._last = self._clock.monotonic()

    def wait(self, seconds: float) -> None:
        """Wait that long, looking every half second whether the work was cancelled."""
        self.waited_s += seconds
        self._sleep_until(self._clock.monotonic() + seconds)

    def complained(self) -> None:
        """The server found us too fast."""
        self._interval = max(self._least, min(self._interval * SLOW_DOWN, SLOWEST_S))
        self._good = 0

    def answered(self) -> None:
        """The server answered as it should."""
        self._good += 1
        if self._good % EASE_AFTER == 0:
            self._interval = max(self._least, self._interval / SLOW_DOWN)

    def _sleep_until(self, moment: float) -> None:
        while (left := moment - self._clock.monotonic()) > 0:
            self._clock.sleep(min(left, SLICE_S))
            self._check()


def growing(attempt: int) -> float:
    """Seconds before the attempt after this one, counted from 1: 2, 4, 8 … 60."""
    return min(FIRST_WAIT_S * 2.0 ** (attempt - 1), LONGEST_WAIT_S)


def wait_asked(retry_after: str | None, body: bytes, now: float) -> float | None:
    """Seconds that a refusal asks to wait, the longest of all it says; None when it says nothing.

    `retry_after` is the header (seconds, or a date to compare with `now`); `body` Discourse's JSON with
    `extras.wait_seconds`, or its plain words "retry again in 12 seconds".
    """
    told = [wait for wait in (_header(retry_after, now), _extras(body)) if wait is not None]
    told += [float(found[1]) for found in _PLAIN.finditer(body)]
    return max(told, default=None)


def _header(text: str | None, now: float) -> float | None:
    if not text:
        return None
    try:
        return _sound(float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _extras(body: bytes) -> float | None:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    extras = document.get("extras") if isinstance(document, dict) else None
    wait = extras.get("wait_seconds") if isinstance(extras, dict) else None
    return _sound(float(wait)) if isinstance(wait, int | float) and not isinstance(wait, bool) else None


def _sound(seconds: float) -> float | None:
    return max(0.0, seconds) if math.isfinite(seconds) else None
