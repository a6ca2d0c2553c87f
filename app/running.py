"""Runs one job in this process: its heartbeat, its pauses, and its end written in the table whatever happens."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from engine import ArchivisteError, Cancelled, Models, Progress, Settings, load_models

from .flows import FLOWS, Heard, Steps
from .job_states import Event, Job, Note, Wish, Work
from .jobs import Jobs

BEAT_S: Final = 0.5  # between two looks at what is asked: a pause is obeyed well within two seconds
ALIVE_S: Final = 2.0  # between two heartbeats of a job that has nothing new to say
After = Callable[[Work, Steps, Event], Event]
_log = logging.getLogger(__name__)


def as_is(_work: Work, _steps: Steps, event: Event) -> Event:
    """Nothing more, once a work is done."""
    return event


def run(
    jobs: Jobs,
    job_id: int,
    engine: Settings,
    *,
    load: Callable[[Settings], Models] = load_models,
    heard: Heard = Heard(),  # noqa: B008 - frozen
    stopping: Callable[[], bool] = lambda: False,
    patient: bool = False,
    shared: bool = False,
    after: After = as_is,
) -> Job | None:
    """Run a job that waits; the job as it ended, None when it does not wait (any more).

    What ends it early is written in its row and raised again: Cancelled (asked for, or `stopping`, after which it
    can go on another time), KeyboardInterrupt, any error of the engine. Raises JobUnknown. `after` is given what came
    of the work, and may do something with it. `shared`: other processes may encode for it.
    """
    with jobs.claim(job_id) as job:
        if job is None:
            return None
        with _Pulse(jobs.data, job_id) as pulse:
            control = _Control(jobs, job_id, pulse, heard, stopping)
            steps = Steps(engine, load, control.progress, control.check, control.begin, heard, patient, shared)
            event = Event.INTERRUPT
            try:
                event = after(job.work, steps, FLOWS[job.work.kind](job.work, steps))
            except Cancelled:
                event = Event.INTERRUPT if control.stopped else Event.CANCEL
                raise
            except KeyboardInterrupt:  # in a terminal; whoever stops it there does not want it to go on elsewhere
                event = Event.CANCEL
                raise
            except ArchivisteError as error:
                event = Event.FAIL
                steps.notes.append(Note(error.code, error.details))
                raise
            except Exception:
                event = Event.FAIL
                steps.notes.append(Note("unexpected"))
                raise
            finally:
                pulse.end()
                jobs.happen(job_id, event, steps.notes)
        return jobs.get(job_id)


class _Pulse:
    """A thread that shows that the job lives and how far it is, even during a long call of a model."""

    def __init__(self, data: Path, job_id: int) -> None:
        self.wish: Wish | None = None
        self.progress = Progress("", 0, 0)
        self.item = ""
        self._data, self._job_id = data, job_id
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"job-{job_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.end()

    def end(self) -> None:
        """Show the last state, then nothing more. Once is enough."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        shown: tuple[Progress, str] | None = None
        last = float("-inf")
        # A connection of its own, closed with it: threads come and go in a worker that lives for months.
        with closing(Jobs(self._data)) as jobs:
            over = False
            while not over:
                over = self._over.wait(BEAT_S)
                state, now = (self.progress, self.item), time.monotonic()
                try:
                    if state != shown or now - last >= ALIVE_S:
                        self.wish = jobs.beat(self._job_id, *state)
                        shown, last = state, now
                    else:
                        self.wish = jobs.get(self._job_id).wish
                except ArchivisteError:  # a full disk, a busy file: the job is no worse for it
                    _log.warning("the state of job %s can't be written", self._job_id, exc_info=True)


class _Control:
    """What the engine calls while it works: how far it is, and whether it may go on."""

    def __init__(self, jobs: Jobs, job_id: int, pulse: _Pulse, heard: Heard, stopping: Callable[[], bool]) -> None:
        self.stopped = False  # by the end of this process rather than by somebody's wish
        self._jobs, self._job_id, self._pulse, self._heard, self._stopping = jobs, job_id, pulse, heard, stopping
        self._stage_began, self._paused_s = time.monotonic(), 0.0

    def begin(self, item: str) -> None:
        """From now on this source is read."""
        self._pulse.item = item
        self._pulse.progress = Progress("", 0, 0)

    def progress(self, progress: Progress) -> None:
        """Show this state; the time spent in a pause slows nothing down."""
        now = time.monotonic()
        if progress.stage != self._pulse.progress.stage:
            self._stage_began, self._paused_s = now, 0.0
        worked_s = now - self._stage_began - self._paused_s
        if self._paused_s and worked_s > 0:
            factor = (worked_s + self._paused_s) / worked_s
            left_s = None if progress.left_s is None else progress.left_s / factor
            progress = replace(progress, rate=progress.rate * factor, left_s=left_s)
        self._pulse.progress = progress
        self._heard.progress(progress)

    def check(self) -> None:
        """Return when the work may go on, which a pause delays. Raises Cancelled."""
        paused_at: float | None = None
        while True:
            if self._stopping():
                self.stopped = True
                raise Cancelled()
            if self._pulse.wish is Wish.CANCEL:
                raise Cancelled()
            if self._pulse.wish is not Wish.PAUSE:
                break
            if paused_at is None:
                paused_at = time.monotonic()
                self._jobs.happen(self._job_id, Event.PAUSE)
            time.sleep(0.1)
        if paused_at is not None:
            self._paused_s += time.monotonic() - paused_at
            self._jobs.happen(self._job_id, Event.RESUME)
