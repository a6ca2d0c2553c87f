"""What the user reads of the jobs: their kinds, states, notes and progress, in a line or two each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, Flaw, Progress

from . import i18n
from .flows import ADDRESSES
from .i18n import N_
from .i18n import gettext as _
from .job_states import UNFINISHED, Job, Kind, Note, State, Work
from .messages import ERRORS, message
from .progress import describe

KINDS: Final[Mapping[Kind, str]] = MappingProxyType({
    Kind.IMPORT: N_("Import"),
    Kind.INDEX: N_("Preparation of the search"),
    Kind.UPDATE: N_("Import and preparation of the search"),
    Kind.SYNC: N_("Update from the forum"),
    Kind.DEMO: N_("Demo forum"),
    Kind.EVALUATE: N_("Evaluation"),
    Kind.EXPORT: N_("Export of the archive"),
    Kind.ERASE: N_("Erasure"),
    Kind.BACKUP: N_("Backup"),
})  # fmt: skip

STATES: Final[Mapping[State, str]] = MappingProxyType({
    State.WAITING: N_("waiting for its turn"),
    State.RUNNING: N_("under way"),
    State.PAUSED: N_("paused"),
    State.INTERRUPTED: N_("interrupted; it goes on when the application is open"),
    State.DONE: N_("done"),
    State.PARTIAL: N_("done in part"),
    State.FAILED: N_("failed"),
    State.CANCELLED: N_("cancelled"),
})  # fmt: skip

NOTES: Final[Mapping[str, str]] = MappingProxyType({
    "imported": N_("{source}: messages added {added}, changed {changed}, removed {removed}"),
    "imported_in_part": N_("{source}, read in part: messages added {added}, changed {changed}, removed {removed}"),
    "synced": N_("{source}: {held} messages in the archive, {holes} missing; {departed} topics gone, {kept} kept"),
    "evaluated": N_("{questions} questions measured: {run}"),
    "backed_up": N_("{posts} messages are kept in {path}"),
    "exported": N_("{posts} messages are in the folder {path}"),
    "erased": N_("Erased and checked: nothing is left. Certificate {certificate}"),
    "erased_in_part": N_("Erased, but the check found something left. Certificate {certificate}"),
    "not_published": N_("No snapshot was published for the servers that read a copy; they go on with the one before."),
    "crashed_often": N_("It stopped {count} times without a word. It waits until you resume or cancel it."),
    "unexpected": N_("Something unexpected happened. What was done is kept. Details are in the log."),
})  # fmt: skip

_ERRORS: Final = {kind.code: kind for kind in ERRORS}


def kind_name(work: Work) -> str:
    """What a job does; the first reading of a source and a later one are the same work."""
    if work.kind is Kind.UPDATE and any(source.startswith(ADDRESSES) for source in work.sources):
        return _("Reading of the forum and preparation of the search")
    return _(KINDS[work.kind])


def headline(job: Job) -> str:
    """« Importation (tâche 12) : en cours »."""
    return _("{kind} (task {job}): {state}").format(kind=kind_name(job.work), job=job.id, state=_(STATES[job.state]))


def progress_line(job: Job) -> str:
    """« Index des mots : 37,4 % — 12 300 sur 32 900 — … », "" before there is anything to tell."""
    if job.state not in UNFINISHED or not job.stage:
        return ""
    progress = Progress(job.stage, job.done, job.total, rate=job.rate, left_s=job.left_s)
    if not job.total:
        return message(progress)
    return _("{stage}: {state}").format(stage=message(progress), state=describe(progress))


def note_line(note: Note) -> str:
    """The sentence of a note; an error is told as it would have been on the spot. Total, like `message`."""
    values = dict(note.values)
    if note.code == "flaw":
        return message(Flaw(str(values.get("code")), str(values.get("where"))))
    if note.code in _ERRORS:
        return message(_ERRORS[note.code](**values))
    counts = {name: i18n.number(value) if isinstance(value, int) else value for name, value in values.items()}
    return _(NOTES[note.code]).format_map(counts) if note.code in NOTES else message(ArchivisteError())


def job_lines(job: Job) -> Iterator[str]:
    """Everything that a person wants to know of a job."""
    yield headline(job)
    if job.state in UNFINISHED and job.item:
        yield "  " + job.item
    yield from ("  " + line for line in (progress_line(job), *map(note_line, job.notes)) if line)


def unfinished_lines(jobs: Iterable[Job]) -> Iterator[str]:
    """The jobs that are not over, for the end of a status."""
    for job in jobs:
        if job.state in UNFINISHED:
            yield from job_lines(job)
