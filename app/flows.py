"""What each kind of job does: the engine's flows in their order, one bad source never stopping the others.

Every flow can be run again from its start: what the first run kept costs the second nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from engine import (
    ArchiveFormatError,
    ArchivisteError,
    ImportReport,
    Models,
    OtherForum,
    Progress,
    Settings,
    StoreBusy,
    SyncReport,
    build_index,
    import_archive,
    sync_archive,
)

from .forum_key import forum_key
from .job_states import Event, Kind, Note, Work

T = TypeVar("T")
FLAWS_NOTED: Final = 20
ADDRESSES: Final = ("https://", "http://")  # how the source of an update begins that is a forum, not a path
TURN_S: Final = 1.0  # between two tries while another process writes


@dataclass(frozen=True, slots=True)
class Heard:
    """Who else hears of a job in the process that runs it: the command line. The table hears in any case."""

    progress: Callable[[Progress], None] = lambda progress: None
    report: Callable[[str, ImportReport], None] = lambda source, report: None
    refused: Callable[[str, ArchivisteError], None] = lambda source, error: None
    synced: Callable[[SyncReport], None] = lambda report: None


@dataclass(frozen=True, slots=True)
class Steps:
    """What a flow works with. `check` raises Cancelled; `patient` waits while another process writes; `shared`: others
    may encode along."""

    engine: Settings
    load: Callable[[Settings], Models]
    progress: Callable[[Progress], None]
    check: Callable[[], None]
    begin: Callable[[str], None]  # names the source that is read from now on
    heard: Heard
    patient: bool
    shared: bool = False
    notes: list[Note] = field(default_factory=list)

    def when_free(self, step: Callable[[], T]) -> T:
        """What the step returns, once no other process writes to the archive. Raises StoreBusy when not patient."""
        while True:
            try:
                return step()
            except StoreBusy:
                if not self.patient:
                    raise
            self.progress(Progress("turn", 0, 0))
            ends = time.monotonic() + TURN_S
            while time.monotonic() < ends:
                self.check()
                time.sleep(0.1)


def _import(work: Work, steps: Steps) -> Event:
    """Read every source; COMPLETE, FALL_SHORT when one could not be read whole, FAIL when none could."""
    refused = flawed = 0
    for source in work.sources:
        steps.begin(source)
        try:
            report = steps.when_free(lambda source=source: import_archive(  # type: ignore[misc]
                steps.engine, Path(source), accept_removals=work.accept_removals, on_progress=steps.progress,
                check=steps.check,
            ))  # fmt: skip
        except (ArchiveFormatError, OtherForum) as error:
            refused += 1
            steps.notes.append(Note(error.code, {"source": source, **error.details}))
            steps.heard.refused(source, error)
            continue
        flawed += not report.complete
        steps.notes.extend(_notes(source, report))
        steps.heard.report(source, report)
    if refused == len(work.sources):
        return Event.FAIL
    return Event.FALL_SHORT if refused or flawed else Event.COMPLETE


def _index(work: Work, steps: Steps) -> Event:
    models = steps.load(steps.engine)
    try:
        steps.when_free(
            lambda: build_index(
                steps.engine,
                models,
                vectors=work.vectors,
                shared=steps.shared,
                on_progress=steps.progress,
                check=steps.check,
            )
        )
    finally:
        models.close()
    return Event.COMPLETE


def _update(work: Work, steps: Steps) -> Event:
    """The newest state of the source, then the index of it; nothing is indexed when nothing could be read.

    The address of a forum is read from the forum itself.
    """
    if work.sources[0].startswith(ADDRESSES):
        outcome = _sync(work, steps)
    else:
        newest = Work(Kind.IMPORT, tuple(map(newest_backup, work.sources)), accept_removals=work.accept_removals)
        outcome = _import(newest, steps)
    if outcome is not Event.FAIL:
        steps.begin("")
        _index(work, steps)
    return outcome


def _demo(_work: Work, steps: Steps) -> Event:
    """The demo forum into an archive that is empty, or that holds it already."""
    from .demo import backup  # with the libraries that write it

    with backup(steps.engine.data) as source:
        outcome = _import(Work(Kind.IMPORT, (str(source),)), steps)
    if outcome is not Event.FAIL:
        steps.begin("")
        _index(Work(Kind.INDEX), steps)
    return outcome


def _sync(work: Work, steps: Steps) -> Event:
    """What the forum shows now; FALL_SHORT when part of it could not be read or waits for a word of the user."""
    (url,) = work.sources
    steps.begin(url)
    report = sync_archive(
        steps.engine, url, key=forum_key(os.environ), accept_removals=work.accept_removals,
        on_progress=steps.progress, check=steps.check, when_free=steps.when_free,
    )  # fmt: skip
    counts = {"held": report.held, "holes": report.holes, "departed": report.departed, "kept": report.kept_topics}
    steps.notes.extend([*_notes(url, report.imported), Note("synced", {"source": url, **counts})])
    steps.heard.synced(report)
    whole = report.imported.complete and not report.troubled and not report.kept_topics
    return Event.COMPLETE if whole else Event.FALL_SHORT


def _evaluate(work: Work, steps: Steps) -> Event:
    """Every question of a file, then the reports. Answers go on after a stop; a search is measured again."""
    from . import evaluating  # with the rooms that measure

    measured = evaluating.search if work.measured[:1] != (evaluating.ANSWERS,) else evaluating.answers
    run, questions = measured(
        steps.engine, steps.load, Path(work.sources[0]), work.measured, on_progress=steps.progress, check=steps.check
    )
    steps.notes.append(Note("evaluated", {"run": run, "questions": questions}))
    return Event.COMPLETE


def _backup(work: Work, steps: Steps) -> Event:
    """The data folder in one file, which anybody may go on changing meanwhile."""
    from . import backups  # with what reads the folder

    saved = backups.make(steps.engine, Path(work.sources[0]), on_progress=steps.progress, check=steps.check)
    steps.notes.append(Note("backed_up", {"path": str(saved.path), "posts": saved.manifest.posts}))
    return Event.COMPLETE


def _export(work: Work, steps: Steps) -> Event:
    """The public archive in a folder of its own, as saved JSON or as pages; the format is `measured`."""
    from . import exports  # with what sanitises posts

    made = exports.make(
        steps.engine, Path(work.sources[0]), work.measured[0], on_progress=steps.progress, check=steps.check
    )
    steps.notes.append(Note("exported", {"path": str(made.folder), "posts": made.posts}))
    return Event.COMPLETE


def _erase(work: Work, steps: Steps) -> Event:
    """What was confirmed under a token; FALL_SHORT when the check found something left."""
    from . import erasing  # with what rewrites the data folder

    models = steps.load(steps.engine)
    try:
        done = steps.when_free(
            lambda: erasing.perform(
                steps.engine, work.sources[0], models, on_progress=steps.progress, check=steps.check
            )
        )
    finally:
        models.close()
    if done is not None:
        steps.notes.append(Note("erased" if done.clean else "erased_in_part", {"certificate": done.token}))
    return Event.COMPLETE if done is None or done.clean else Event.FALL_SHORT


FLOWS: Final[Mapping[Kind, Callable[[Work, Steps], Event]]] = {
    Kind.IMPORT: _import,
    Kind.INDEX: _index,
    Kind.UPDATE: _update,
    Kind.SYNC: _sync,
    Kind.DEMO: _demo,
    Kind.EVALUATE: _evaluate,
    Kind.EXPORT: _export,
    Kind.BACKUP: _backup,
    Kind.ERASE: _erase,
}


def newest_backup(source: str) -> str:
    """The last backup of a folder that holds several, as Discourse leaves them; any other source is itself."""
    backups = [path for path in Path(source).glob("*.tar.gz") if path.is_file()]
    if len(backups) < 2:
        return source
    return str(max(backups, key=lambda path: (path.stat().st_mtime, path.name)))


def _notes(source: str, report: ImportReport) -> list[Note]:
    counts = {"added": report.added, "changed": report.changed, "removed": report.removed}
    code = "imported" if report.complete else "imported_in_part"
    flaws = [Note("flaw", {"code": flaw.code, "where": flaw.where}) for flaw in report.flaws[:FLAWS_NOTED]]
    return [Note(code, {"source": source, **counts}), *flaws]
