"""Backups of the data folder as the application makes them: what they leave out, where they lie, which are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from engine import BackupUnusable, Progress, Settings, keeping
from engine.keeping import Choice, Saved
from engine.store.archive import FILE as ARCHIVE
from engine.store.database import Connection
from engine.store.schema import ARCHIVE as ARCHIVE_SCHEMA
from engine.store.schema import VECTORS as VECTORS_SCHEMA
from engine.store.vectors import FILE as VECTORS

from . import exports, instance, jobs, logs, received, versions
from .job_states import UNFINISHED, State
from .schema import APP

FOLDER: Final = keeping.BACKUPS  # of the data folder, where the application puts them
# Beside those: the queue, whose tasks the table of jobs knows, and what belongs to one machine or to passing visitors.
LEFT_OUT: Final = frozenset({
    exports.FOLDER, "queue.db", logs.FOLDER, received.FOLDER, jobs.LOCKS, instance.SERVER_FOLDER,
})  # fmt: skip
# What does not make a folder a data folder: a command that only looks leaves a log.
PASSING: Final = frozenset({logs.FOLDER})
SCHEMAS: Final = {ARCHIVE: len(ARCHIVE_SCHEMA), VECTORS: len(VECTORS_SCHEMA), jobs.FILE: len(APP)}


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that lies in the data folder."""

    name: str
    made_at: datetime
    size: int


def make(
    settings: Settings,
    place: Path,
    *,
    models: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Saved:
    """Make a backup: this file, or a new one in this folder. Raises what `engine.keeping.save` raises."""
    now = datetime.now(UTC)
    target = place / _name(settings.data, now) if place.is_dir() or place == settings.data / FOLDER else place
    choice = Choice(versions.own(), LEFT_OUT, {jobs.FILE: _without_visitors}, SCHEMAS, models)
    return keeping.save(settings, target, choice, on_progress=on_progress, check=check, now=now)


def made(data: Path) -> tuple[Made, ...]:
    """The backups of the data folder, the newest first."""
    found = []
    for path in (data / FOLDER).glob(f"*{keeping.ENDING}"):
        stat = path.stat()
        found.append(Made(path.name, datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size))
    return tuple(sorted(found, key=lambda one: one.made_at, reverse=True))


def find(data: Path, name: str) -> Path | None:
    """The backup of that name, None when there is none: the name comes from a browser."""
    return data / FOLDER / name if name in {one.name for one in made(data)} else None


def remove(data: Path, name: str) -> None:
    """Remove a backup of the data folder. Raises BackupUnusable when it is not there."""
    path = find(data, name)
    if path is None:
        raise BackupUnusable(path=name, reason="unreadable")
    path.unlink(missing_ok=True)


def _name(data: Path, now: datetime) -> str:
    local = now.astimezone()
    return f"{data.name or 'archive'}-{local:%Y-%m-%d-%Hh%Mm%S}{keeping.ENDING}"


def _without_visitors(db: Connection) -> None:
    """Take from a copy of app.db what must not come back: sessions, the key of the queue, tasks that were under way."""
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if "sessions" in tables:
        db.execute("DELETE FROM sessions")
    db.execute("UPDATE meta SET value = lower(hex(randomblob(32))) WHERE key = 'queue_secret'")
    db.execute("UPDATE meta SET value = lower(hex(randomblob(8))) WHERE key = 'queue_name'")
    marks = ", ".join("?" * len(UNFINISHED))
    db.execute(
        f"UPDATE jobs SET state = ?, wish = '', ended_at = created_at WHERE state IN ({marks})",
        (State.CANCELLED, *UNFINISHED),
    )
