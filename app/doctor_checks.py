"""What the doctor looks at beside the engine's checks: the tasks, their databases and locks, the server's secret."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from engine import ArchivisteError, Models, ModelUnavailable, Settings, doctor, load_models
from engine.doctor import databases
from engine.doctor.findings import Finding, Level, Repair, error, ok, warning

from . import instance, jobs, locks
from .job_states import State
from .serve import SECRET_FILE

PRIVATE: Final = 0o600
_log = logging.getLogger(__name__)


def examine(settings: Settings, *, quick: bool, models: Models | None = None) -> tuple[Finding, ...]:
    """Every check, the engine's first; the models are looked for when none are given."""
    found: list[Finding] = []
    if models is None:
        try:
            models = load_models(settings)
        except ModelUnavailable as unusable:
            models = Models()
            found = [error("models", "unusable", path=str(unusable.details.get("path", "")))]
    found[:0] = doctor.examine(settings, models, quick=quick)
    if settings.data.is_dir():
        found += _of_application(settings.data, quick=quick)
    return tuple(found)


def at_start(settings: Settings, models: Models) -> tuple[Finding, ...]:
    """What a quick look finds worth knowing when the application opens; it is written to the log."""
    found = tuple(f for f in examine(settings, quick=True, models=models) if f.level is not Level.OK)
    for finding in found:
        figures = ", ".join(f"{name}={value!r}" for name, value in finding.figures.items())
        _log.warning("doctor: %s %s (%s)", finding.check, finding.state, figures)
    return found


def stale_locks(data: Path) -> tuple[Path, ...]:
    """Lock files of jobs that are over, which nobody will ask for again."""
    found = sorted((data / jobs.LOCKS).glob("*.lock"))
    if not found or not (data / jobs.FILE).exists():
        return ()
    with closing(jobs.Jobs(data)) as table:
        unfinished = {str(job.id) for job in table.recent(0)}
    return tuple(path for path in found if path.stem not in unfinished and not locks.is_held(path))


def protect(data: Path) -> None:
    """Leave the secret to its owner."""
    path = _secret(data)
    if _is_open(path):
        path.chmod(PRIVATE)


def _of_application(data: Path, *, quick: bool) -> Iterator[Finding]:
    from . import tasks  # with the library of the queue: `status` and `search` do without

    table = databases.check("tasks", data / jobs.FILE, quick=quick)
    yield table
    yield databases.check("queue", data / tasks.FILE, quick=quick, repair=Repair.SET_ASIDE)
    if table.state == "sound":
        try:
            yield _jobs(data)
            stale = len(stale_locks(data))
            yield warning("locks", "stale", Repair.SWEEP, count=stale) if stale else ok("locks", "none")
        except ArchivisteError as damaged:  # sound for SQLite, and not ours
            yield error("tasks", "unreadable", path=str(table.figures["path"]), reason=str(damaged))
    path = _secret(data)
    if path.exists():
        open_to_all = _is_open(path)
        yield warning("secret", "open", Repair.PROTECT, path=str(path)) if open_to_all else ok("secret", "private")


def _jobs(data: Path) -> Finding:
    with closing(jobs.Jobs(data)) as table:
        dead = table.dead()
        if dead:
            return warning("jobs", "dead", Repair.RECOVER, count=len(dead), job=dead[0].id)
        unfinished = table.recent(0)
    for job in unfinished:
        if job.crashes >= jobs.MAX_CRASHES:
            return warning("jobs", "crashed", job=job.id, count=job.crashes)
    running = sum(job.state is State.RUNNING for job in unfinished)
    return ok("jobs", "running" if running else "none", count=running)


def _secret(data: Path) -> Path:
    return data / instance.SERVER_FOLDER / SECRET_FILE


def _is_open(path: Path) -> bool:
    return os.name == "posix" and path.exists() and bool(stat.S_IMODE(path.stat().st_mode) & ~PRIVATE)
