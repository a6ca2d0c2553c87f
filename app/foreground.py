"""Import and index as a person types them: the same jobs as the worker's, run here with a progress bar."""

from __future__ import annotations

import subprocess
from argparse import Namespace
from contextlib import closing
from pathlib import Path

from engine import (
    ArchiveFormatError,
    ArchivisteError,
    ImportReport,
    Models,
    Progress,
    Settings,
    load_models,
    open_archive,
)

from . import locks, logs, printed, process, running, snapshots
from .errors import JobUnderWay
from .flows import Heard
from .i18n import gettext as _
from .job_states import Job, Kind, State, Work
from .jobs import Jobs, worker_lock
from .messages import message
from .output import DONE, FAILED, print_lines, say
from .progress import ProgressLine
from .settings import Choices


def import_sources(given: Namespace, choices: Choices) -> int:
    """The command `import`: each source in turn, with its report."""
    names = {_told(source.absolute()): str(source) for source in given.sources}
    work = Work(Kind.IMPORT, tuple(names), accept_removals=given.allow_removals)
    with Screen(names) as screen:
        job = run(choices.engine, work, heard=screen.heard, after=snapshots.after(choices.app))
    if job.state is State.DONE:
        print_lines("", _("Next: archiviste index"))
        return DONE
    say(_("Part of this could not be imported. What was read is kept."))
    return FAILED


def _told(source: Path) -> str:
    """The path as text; raises ArchiveFormatError when it holds bytes that are none, which no report could name."""
    said = str(source).encode("utf-8", "replace").decode()
    if said != str(source):
        raise ArchiveFormatError(path=said, reason="odd_name")
    return said


def index(given: Namespace, choices: Choices) -> int:
    """The command `index`: by the application's worker when there is one and nobody waits, else here."""
    data = choices.engine.data
    if not given.wait and locks.is_held(worker_lock(data)):
        from . import tasks

        with closing(Jobs(data)) as jobs:
            job = tasks.start(jobs, choices.app, Work(Kind.INDEX))
        print_lines(_("The application does this (task {job}): follow it with archiviste jobs.").format(job=job.id))
        return DONE
    models = load_models(choices.engine)
    with Screen() as screen:
        work = Work(Kind.INDEX, vectors=given.wait)
        run(
            choices.engine, work, models=models, heard=screen.heard, shared=bool(choices.app.queue_url),
            after=snapshots.after(choices.app),
        )  # fmt: skip
    if models.embed is None:
        print_lines(_("The archive is ready for searching by word. This machine can’t search by meaning."))
    elif given.wait:
        with open_archive(choices.engine, models) as archive:
            indexed = archive.status().dense_model
        if indexed is None or models.compares(indexed):
            print_lines(_("The archive is ready for searching by word and by meaning."))
        else:
            print_lines(_("The archive is ready for searching by word."))
            print_lines(message("encoder_differs"))
    else:
        log = _index_later(data)
        print_lines(_("The archive is ready for searching by word."))
        print_lines(_("Searching by meaning is being prepared in the background: see {log}.").format(log=log))
    return DONE


def run(
    engine: Settings, work: Work, *, heard: Heard, models: Models | None = None, shared: bool = False,
    after: running.After = running.as_is,
) -> Job:  # fmt: skip
    """The job of this work, run here to its end. Raises what stops it, and JobUnderWay when it is in hand elsewhere."""
    with closing(Jobs(engine.data)) as jobs:
        jobs.recover()
        job = jobs.create(work)
        load = load_models if models is None else lambda _: models
        ended = running.run(jobs, job.id, engine, load=load, heard=heard, shared=shared, after=after)
        if ended is None:  # a worker was faster
            raise JobUnderWay(job=job.id, kind=work.kind.value, reason=State.RUNNING.value)
        return ended


class Screen:
    """The progress bar of a job, out of the way while something is printed."""

    def __init__(self, names: dict[str, str] | None = None) -> None:
        self._names = names or {}  # of the sources, as they were typed
        self._line: ProgressLine | None = None
        self.heard = Heard(self._progress, self._report, self._refused)

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._clear()

    def _progress(self, progress: Progress) -> None:
        self._line = self._line or ProgressLine()
        self._line(progress)

    def _report(self, source: str, report: ImportReport) -> None:
        self._clear()
        print_lines(*printed.report_lines(report, source=self._names.get(source, source)))

    def _refused(self, _source: str, error: ArchivisteError) -> None:
        self._clear()
        say(message(error))

    def _clear(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


def _index_later(data: Path) -> Path:
    """Start this program again for the vectors, so that it outlives the terminal; the path of its log."""
    log = logs.path_of(data, "index.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        subprocess.Popen(
            process.command(data, "index", "--wait"), cwd=process.folder(), stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, **process.detached(),
        )  # fmt: skip
    return log
