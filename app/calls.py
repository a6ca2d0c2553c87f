"""Calls encoders to help with an indexing, over a queue of their own in Redis.

A call that is lost costs seconds: an encoder looks by itself every so often, in the store, which is the truth.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from typing import Final

from engine import Progress

from . import encoders
from .errors import QueueUnavailable
from .jobs import Jobs
from .settings import AppSettings
from .tasks import carrying, open_huey

STALE_S: Final = 30  # a call that nobody heard in that time is for nobody
STAGE: Final = "encode"
_log = logging.getLogger(__name__)


class Calls:
    """The open queue. `called` hears each call. Close it when done."""

    def __init__(self, jobs: Jobs, app: AppSettings, called: Callable[[], None] = lambda: None) -> None:
        self._url = app.queue_url
        with carrying(self._url):
            name, secret = jobs.meta("queue_name"), jobs.meta("queue_secret")
            self.huey = open_huey(jobs.data, f"{name}-encode", secret, self._url)

        def come_and_encode() -> None:
            called()

        self._come = self.huey.task(name="come_and_encode", expires=STALE_S)(come_and_encode)

    def call(self, count: int) -> None:
        """Call so many. Raises QueueUnavailable."""
        with carrying(self._url):
            for _ in range(count):
                self._come()

    def close(self) -> None:
        """Let go of the connection."""
        self.huey.storage.pool.disconnect()


def caller(jobs: Jobs, app: AppSettings) -> Callable[[Progress], None]:
    """What hears the progress of the jobs of a worker, and calls the encoders as soon as one has texts to encode."""
    if not app.queue_url:
        return lambda progress: None
    last = ""

    def hear(progress: Progress) -> None:
        nonlocal last
        if progress.stage == STAGE != last:
            try:
                with closing(Calls(jobs, app)) as calls:
                    calls.call(encoders.count(jobs.data))
            except QueueUnavailable as error:
                _log.info("encoders will come by themselves: %s", error)
        last = progress.stage

    return hear
