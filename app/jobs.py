"""The table of jobs in app.db: what was asked for, how far it is, how it ended. Shared by every process.

A page or a command begins a job with `tasks.start`, reads `Jobs.recent` or `Jobs.get`, and steers with `Jobs.pause`,
`Jobs.cancel` and `tasks.resume`. The process that runs a job holds the job's lock: a job that is running by its row and
whose lock is free has lost its process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from engine import Progress
from engine.store.database import Connection, Connections, transaction, translated

from . import locks
from .errors import JobEnded, JobUnderWay, JobUnknown
from .job_states import UNFINISHED, Event, Job, Kind, Note, State, Wish, Work, after
from .schema import APP

FILE: Final = "app.db"
LOCKS: Final = "jobs"  # folder of the locks of jobs
MAX_CRASHES: Final = 5  # in a row; such a job kills its process, and would kill every worker
CLAIM_S: Final = 0.5  # somebody who looks at a lock holds it for a moment
RECENT: Final = 20

_COLUMNS: Final = (
    "id, arguments, state, wish, stage, done, total, rate, left_s, item, notes, crashes, created_at, started_at,"
    " ended_at, heartbeat_at"
)
_OPEN: Final = "state IN ('waiting', 'running', 'paused', 'interrupted')"


def worker_lock(data: Path) -> Path:
    """The lock that the worker of a data folder holds while it lives."""
    return data / "worker.lock"


class Jobs:
    """An open table of jobs. Safe to use from several threads; close it when done."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.path = data / FILE
        self._connections = Connections(self.path, APP)

    def close(self) -> None:
        """Close every thread's connection; the table can't be used afterwards."""
        self._connections.close()

    # --- for those who ask -------------------------------------------------------------------

    def create(self, work: Work) -> Job:
        """A job that waits. One that was interrupted at the same work, or that nobody attends to, is taken up again.

        Raises JobUnderWay when the same work waits for a living worker, runs or is paused.
        """
        with self._writing() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM jobs WHERE work = ? AND {_OPEN}", (work.key,)).fetchone()
            if row is None:
                (new,) = db.execute(
                    "INSERT INTO jobs (work, kind, arguments, state, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
                    (work.key, work.kind, json.dumps(asdict(work)), State.WAITING, _now()),
                ).fetchone()
                return _get(db, new)
            job = self._settled(db, _job(row))
            if self._attended(job):
                raise JobUnderWay(job=job.id, kind=job.work.kind.value, reason=job.state.value)
            db.execute("UPDATE jobs SET arguments = ?, crashes = 0 WHERE id = ?", (json.dumps(asdict(work)), job.id))
            return _happen(db, job, Event.REQUEUE)

    def get(self, job_id: int) -> Job:
        """One job. Raises JobUnknown."""
        with translated(self.path):
            return _get(self._connections.get(), job_id)

    def recent(self, ended: int = RECENT) -> tuple[Job, ...]:
        """The unfinished jobs by age, then those that ended last."""
        with translated(self.path):
            db = self._connections.get()
            rows = db.execute(f"SELECT {_COLUMNS} FROM jobs WHERE {_OPEN} ORDER BY id").fetchall()
            rows += db.execute(
                f"SELECT {_COLUMNS} FROM jobs WHERE NOT {_OPEN} ORDER BY ended_at DESC, id DESC LIMIT ?", (ended,)
            )
            return tuple(map(_job, rows))

    def last(self, work: Work) -> Job | None:
        """The newest job of this very work."""
        with translated(self.path):
            row = self._connections.get().execute(
                f"SELECT {_COLUMNS} FROM jobs WHERE work = ? ORDER BY id DESC LIMIT 1", (work.key,)
            )
            return next(map(_job, row), None)

    def pause(self, job_id: int) -> Job:
        """Ask a job to wait; it does within two seconds, or after the model call under way. Raises JobEnded."""
        return self._ask(job_id, Wish.PAUSE, Event.PAUSE)

    def cancel(self, job_id: int) -> Job:
        """Ask a job to end where it is; what it did is kept. Raises JobEnded."""
        return self._ask(job_id, Wish.CANCEL, Event.CANCEL)

    def resume(self, job_id: int) -> Job:
        """Let a paused or interrupted job go on; one that is now waiting needs a worker (`tasks.resume`)."""
        with self._writing() as db:
            job = self._unfinished(db, job_id)
            if self._has_process(job):
                db.execute("UPDATE jobs SET wish = '' WHERE id = ? AND wish = ?", (job_id, Wish.PAUSE))
                return _get(db, job_id)
            db.execute("UPDATE jobs SET crashes = 0 WHERE id = ?", (job_id,))
            return _happen(db, job, Event.REQUEUE)

    def recover(self) -> None:
        """Mark as interrupted every job whose process died; obey what was asked of it before."""
        with self._writing() as db:
            for row in db.execute(f"SELECT {_COLUMNS} FROM jobs WHERE state IN ('running', 'paused')").fetchall():
                self._settled(db, _job(row))

    def revive(self) -> tuple[Job, ...]:
        """Recover, then the jobs that a worker should run, the oldest first: those that wait or were interrupted."""
        self.recover()
        with self._writing() as db:
            for row in db.execute(
                f"SELECT {_COLUMNS} FROM jobs WHERE state = ? AND crashes < ?", (State.INTERRUPTED, MAX_CRASHES)
            ).fetchall():
                _happen(db, _job(row), Event.REQUEUE)
            rows = db.execute(f"SELECT {_COLUMNS} FROM jobs WHERE state = ? ORDER BY id", (State.WAITING,))
            return tuple(map(_job, rows))

    def dead(self) -> tuple[Job, ...]:
        """The jobs that are running by their rows and whose process is gone; `recover` takes them up again."""
        with translated(self.path):
            rows = self._connections.get().execute(f"SELECT {_COLUMNS} FROM jobs WHERE state = ?", (State.RUNNING,))
            return tuple(job for job in map(_job, rows) if not self._has_process(job))

    def meta(self, key: str) -> str:
        """A fact of this app.db, such as the name of its queue."""
        with translated(self.path):
            row = self._connections.get().execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            return str(row[0])

    # --- for the process that runs a job -----------------------------------------------------

    @contextmanager
    def claim(self, job_id: int) -> Iterator[Job | None]:
        """The job, running and locked until the end of the block; None when it does not wait (any more)."""
        lock = self._lock(job_id)
        with locks.hold(lock, wait_s=CLAIM_S) as mine:
            try:
                yield self._started(job_id) if mine else None
            finally:
                if mine and self.get(job_id).state not in UNFINISHED:
                    locks.forget(lock)  # nobody will ask for it again

    def beat(self, job_id: int, progress: Progress, item: str) -> Wish | None:
        """Say that the job lives and how far it is; what is asked of it."""
        with self._writing() as db:
            db.execute(
                """UPDATE jobs SET heartbeat_at = ?, stage = ?, done = ?, total = ?, rate = ?, left_s = ?, item = ?
                   WHERE id = ?""",
                (_now(), progress.stage, progress.done, progress.total, progress.rate, progress.left_s, item, job_id),
            )
            return _get(db, job_id).wish

    def happen(self, job_id: int, event: Event, notes: Iterable[Note] = ()) -> Job:
        """The job after an event, with these notes added. An event that can't happen in its state changes nothing."""
        with self._writing() as db:
            job = _get(db, job_id)
            if event is Event.INTERRUPT:
                return _stopped(db, job, notes)
            return _happen(db, job, event, notes)

    # --- inside a transaction ----------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that no other writer shares, so that two of them never look at a lock at once."""
        db = self._connections.get()
        with transaction(db, self.path):
            yield db

    def _lock(self, job_id: int) -> Path:
        return self.data / LOCKS / f"{job_id}.lock"

    def _ask(self, job_id: int, wish: Wish, event: Event) -> Job:
        with self._writing() as db:
            job = self._unfinished(db, job_id)
            if not self._has_process(job):
                return _happen(db, job, event)
            if job.wish is not Wish.CANCEL:
                db.execute("UPDATE jobs SET wish = ? WHERE id = ?", (wish, job_id))
            return _get(db, job_id)

    def _started(self, job_id: int) -> Job | None:
        with self._writing() as db:
            job = _get(db, job_id)
            if job.state is not State.WAITING:
                return None
            db.execute(
                """UPDATE jobs SET started_at = ?, heartbeat_at = ?, stage = '', done = 0, total = 0, rate = 0,
                       left_s = NULL, item = '', notes = '[]' WHERE id = ?""",
                (_now(), _now(), job_id),
            )
            return _happen(db, _get(db, job_id), Event.START)

    def _unfinished(self, db: Connection, job_id: int) -> Job:
        job = self._settled(db, _get(db, job_id))
        if job.state not in UNFINISHED:
            raise JobEnded(job=job_id)
        return job

    def _settled(self, db: Connection, job: Job) -> Job:
        """The job, after what the death of its process means for it if it died."""
        if job.state not in (State.RUNNING, State.PAUSED) or self._has_process(job):
            return job
        crashes = job.crashes + 1
        notes = [Note("crashed_often", {"count": crashes})] if crashes == MAX_CRASHES else []
        job = _stopped(db, job, notes)
        if job.state is State.INTERRUPTED:
            db.execute("UPDATE jobs SET crashes = ? WHERE id = ?", (crashes, job.id))
        return _get(db, job.id)

    def _has_process(self, job: Job) -> bool:
        return job.state in (State.RUNNING, State.PAUSED) and locks.is_held(self._lock(job.id))

    def _attended(self, job: Job) -> bool:
        """Whether a living process runs this job or will."""
        return self._has_process(job) or (job.state is State.WAITING and locks.is_held(worker_lock(self.data)))


def _stopped(db: Connection, job: Job, notes: Iterable[Note]) -> Job:
    """The job whose process is gone: what was asked of it before holds, else somebody will run it again."""
    if job.wish is Wish.CANCEL:
        return _happen(db, job, Event.CANCEL, notes)
    paused = job.wish is Wish.PAUSE and job.state is State.RUNNING
    job = _happen(db, job, Event.PAUSE if paused else Event.INTERRUPT, notes)
    db.execute("UPDATE jobs SET wish = '', crashes = 0 WHERE id = ?", (job.id,))
    return _get(db, job.id)


def _happen(db: Connection, job: Job, event: Event, notes: Iterable[Note] = ()) -> Job:
    state = after(job.state, event)
    if state is None:
        return job
    said = json.dumps([asdict(note) for note in (*job.notes, *notes)], ensure_ascii=False, default=str)
    ended = None if state in UNFINISHED else _now()
    # A wish stands while a process is there to obey it: one that pauses waits for it to be withdrawn.
    kept = job.wish if event in (Event.PAUSE, Event.RESUME) else None
    db.execute(
        "UPDATE jobs SET state = ?, ended_at = ?, notes = ?, wish = ? WHERE id = ?",
        (state, ended, said, kept or "", job.id),
    )
    return _get(db, job.id)


def _get(db: Connection, job_id: int) -> Job:
    row = db.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise JobUnknown(job=job_id)
    return _job(row)


def _job(row: Sequence[Any]) -> Job:
    arguments = json.loads(row[1])
    work = Work(**arguments)
    work = replace(work, kind=Kind(work.kind), sources=tuple(work.sources), measured=tuple(work.measured))
    return Job(
        id=row[0], work=work, state=State(row[2]),
        wish=Wish(row[3]) if row[3] else None, stage=row[4], done=row[5], total=row[6], rate=row[7], left_s=row[8],
        item=row[9], notes=tuple(Note(**note) for note in json.loads(row[10])), crashes=row[11],
        created_at=_moment(row[12]), started_at=_when(row[13]), ended_at=_when(row[14]), heartbeat_at=_when(row[15]),
    )  # fmt: skip


def _now() -> float:
    return datetime.now(UTC).timestamp()


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _when(seconds: float | None) -> datetime | None:
    return None if seconds is None else _moment(seconds)
