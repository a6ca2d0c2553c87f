"""The queue between those who ask for a job and the worker: huey's, a task holding the number of a job and no more.

The table of jobs is the truth. A message that is lost or delivered twice changes nothing: the worker asks again for
what waits, and a job that no longer waits is left alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from huey import RedisHuey, SqliteHuey, crontab
from huey.exceptions import ConfigurationError
from huey.serializer import SignedSerializer

from engine import ArchivisteError
from engine.store.database import translated

from .errors import JobUnderWay, QueueUnavailable
from .job_states import Event, Job, Kind, Note, State, Work
from .jobs import Jobs
from .settings import AppSettings

FILE: Final = "queue.db"
BUSY_TIMEOUT_S: Final = 30
EVERY_MINUTES: Final = 5  # between two looks at what was forgotten and at what is due
ANSWER_S: Final = 1.0  # for Redis to answer somebody who looks whether it is there
CLOCK: Final = timedelta(days=1)  # what the clock of a machine may be put right by
_log = logging.getLogger(__name__)


def start(jobs: Jobs, app: AppSettings, work: Work) -> Job:
    """A job handed to the worker; it waits while there is none.

    Raises JobUnderWay when the same work is in hand, QueueUnavailable or StoreError when it can't be handed over.
    """
    job = jobs.create(work)
    try:
        with closing(Queue(jobs, app)) as queue:
            queue.put(job)
    except ArchivisteError as error:
        jobs.happen(job.id, Event.FAIL, [Note(error.code, error.details)])
        raise
    return job


def resume(jobs: Jobs, app: AppSettings, job_id: int) -> Job:
    """Let a paused or interrupted job go on, in its own process or in the worker. Raises JobEnded, QueueUnavailable."""
    job = jobs.resume(job_id)
    if job.state is State.WAITING:
        with closing(Queue(jobs, app)) as queue:
            queue.put(job)
    return job


def answers(url: str) -> bool:
    """Whether the Redis of this address answers, within a second or two."""
    try:
        with carrying(url):
            from redis import Redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry

            once = {"socket_connect_timeout": ANSWER_S, "socket_timeout": ANSWER_S, "retry": Retry(NoBackoff(), 0)}
            with closing(Redis.from_url(url, **once)) as server:
                return bool(server.ping())
    except QueueUnavailable:
        return False


def periodic_updates(app: AppSettings) -> tuple[tuple[Work, int], ...]:
    """The updates that the settings want every so often, from backups or from the forum, each with its hours."""
    wanted = ((app.update_source, app.update_every_hours), (app.sync_url or None, app.sync_every_hours))
    return tuple((Work(Kind.UPDATE, (str(source),)), hours) for source, hours in wanted if source is not None and hours)


def is_due(jobs: Jobs, work: Work, *, every_hours: int, now: datetime) -> bool:
    """Whether this work should begin again: hours count from the last time, since the machine may be off at any.

    A last time that is still to come was noted by a clock that has been put back since.
    """
    last = jobs.last(work)
    since = None if last is None else now - last.created_at
    return since is None or since >= timedelta(hours=every_hours) or since < -CLOCK


class Queue:
    """An open queue: in the data folder, or in Redis when a setting names one. Close it when done."""

    def __init__(self, jobs: Jobs, app: AppSettings, run: Callable[[int], None] | None = None) -> None:
        self._path, self._url = jobs.data / FILE, app.queue_url
        with self._translated():
            self.huey = open_huey(self._path, jobs.meta("queue_name"), jobs.meta("queue_secret"), self._url)

        def run_job(job_id: int) -> None:
            if run is None:
                raise RuntimeError("only a worker runs jobs")
            run(job_id)

        # A task is known by its name and by the module of its function, so both ends make it here.
        self._run_job = self.huey.task(name="run_job")(run_job)

    def put(self, job: Job) -> None:
        """Hand a job to the worker. Raises QueueUnavailable, or StoreError when the data folder can't be written."""
        with self._translated():
            self._run_job(job.id)

    def look_after(self, jobs: Jobs) -> None:
        """From now on and every few minutes, while no job runs: hand over what waits and lost its message."""
        self._put_all(jobs)

        def look_after() -> None:
            if not self.huey.pending_count():
                self._put_all(jobs)

        self._every_few_minutes(look_after)

    def update_when_due(self, jobs: Jobs, app: AppSettings) -> None:
        """Begin the periodic updates of the settings whenever their time has come; nothing without such a setting."""
        updates = periodic_updates(app)
        if not updates:
            return

        def update_when_due() -> None:
            for work, hours in updates:
                if is_due(jobs, work, every_hours=hours, now=datetime.now(UTC)):
                    try:
                        self.put(jobs.create(work))
                    except JobUnderWay:
                        _log.info("the last update is still under way")

        self._every_few_minutes(update_when_due)

    def close(self) -> None:
        """Let go of the file or of the connection."""
        if self._url:
            self.huey.storage.pool.disconnect()
        else:
            self.huey.storage.close()

    def _every_few_minutes(self, function: Callable[[], None]) -> None:
        # What comes due during a long job is not done several times after it.
        ripe, late = crontab(minute=f"*/{EVERY_MINUTES}"), timedelta(minutes=EVERY_MINUTES)
        self.huey.periodic_task(ripe, name=function.__name__, expires=late)(function)

    def _put_all(self, jobs: Jobs) -> None:
        for job in jobs.revive():
            self.put(job)

    def _translated(self) -> AbstractContextManager[None]:
        return carrying(self._url) if self._url else translated(self._path)


@contextmanager
def carrying(url: str) -> Iterator[None]:
    """What goes wrong with Redis, as QueueUnavailable."""
    try:
        from redis.exceptions import RedisError
    except ImportError as error:
        raise QueueUnavailable(reason="library") from error
    try:
        yield
    except ConfigurationError as error:
        raise QueueUnavailable(reason="library") from error
    except ValueError as error:
        raise QueueUnavailable(reason="address") from error
    except RedisError as error:
        raise QueueUnavailable(reason="refused") from error


def open_huey(path: Path, name: str, secret: str, url: str) -> Any:
    # Signed, because a message is unpickled: whoever can write to a shared Redis must not run code here.
    common = {"results": False, "serializer": SignedSerializer(secret)}
    if url:
        return RedisHuey(f"archiviste-{name}", url=url, **common)
    path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteHuey(f"archiviste-{name}", filename=str(path), timeout=BUSY_TIMEOUT_S, **common)
