"""What the pages ask of the jobs: to look at them, to start and to steer one. Each call opens the table and closes it.

Every function reads or writes app.db: call them in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from engine import ArchivisteError, encoding_for

from . import locks, tasks
from .job_states import Job, Work
from .jobs import Jobs, worker_lock
from .messages import message
from .settings import AppSettings
from .state import State

Action = Literal["pause", "resume", "cancel", "again"]


@dataclass(frozen=True, slots=True)
class Seen:
    """The jobs at one moment; `attended` says whether a worker is there to run those that wait."""

    jobs: tuple[Job, ...]
    attended: bool
    carried: bool = True  # whether Redis answers, where it carries them
    encoders: int = 0  # processes that have texts to encode, where there may be several

    def job(self, number: int) -> Job | None:
        """The job of that number."""
        return next((job for job in self.jobs if job.id == number), None)


def look(state: State, *, ended: int = 20) -> Seen:
    """The unfinished jobs and the last that ended; those whose process died are marked first. Raises StoreError."""
    data = state.engine.data
    with closing(Jobs(data)) as jobs:
        if jobs.dead():
            jobs.recover()
        found = jobs.recent(ended)
    attended, url = locks.is_held(worker_lock(data)), state.app.queue_url
    if not url:
        return Seen(found, attended)
    return Seen(found, attended, tasks.answers(url), encoding_for(state.engine)[1])


def get(state: State, number: int) -> Job:
    """One job. Raises JobUnknown."""
    with closing(Jobs(state.engine.data)) as jobs:
        return jobs.get(number)


def last(state: State, work: Work) -> Job | None:
    """The newest job of this very work."""
    with closing(Jobs(state.engine.data)) as jobs:
        return jobs.last(work)


def start(state: State, work: Work) -> Job:
    """A new job, handed to the worker. Raises JobUnderWay, QueueUnavailable, StoreError."""
    with closing(Jobs(state.engine.data)) as jobs:
        return tasks.start(jobs, state.app, work)


def steer(state: State, action: Action, number: int) -> Job:
    """Do what somebody asks of a job. Raises JobEnded, JobUnknown, JobUnderWay, QueueUnavailable, StoreError."""
    with closing(Jobs(state.engine.data)) as jobs:
        return _ACTIONS[action](jobs, state.app, number)


def tried(do: Callable[[], Job]) -> Job | str:
    """The job, or the sentence that says why there is none."""
    try:
        return do()
    except ArchivisteError as error:
        return message(error)


_ACTIONS: Final[Mapping[Action, Callable[[Jobs, AppSettings, int], Job]]] = MappingProxyType({
    "pause": lambda jobs, _app, number: jobs.pause(number),
    "resume": tasks.resume,
    "cancel": lambda jobs, _app, number: jobs.cancel(number),
    "again": lambda jobs, app, number: tasks.start(jobs, app, jobs.get(number).work),
})  # fmt: skip
