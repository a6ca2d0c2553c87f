"""What a job does and the states it goes through: values and one pure table, no storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Kind(StrEnum):
    """What a job does; `flows.FLOWS` holds what that means."""

    IMPORT = "import"
    INDEX = "index"
    UPDATE = "update"  # an import or a sync, then an index
    SYNC = "sync"  # with a live forum
    DEMO = "demo"  # the forum that comes with the application, with its index
    EXPORT = "export"  # of the public archive, as saved JSON or as pages
    EVALUATE = "evaluate"  # a question file, asked of the published index
    ERASE = "erase"  # what a moderator confirmed, by its token
    BACKUP = "backup"  # of the data folder, into a folder


class State(StrEnum):
    """Where a job stands. The last four are ends: nothing comes after them."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"  # its process ended before it did; it goes on from what is kept
    DONE = "done"
    PARTIAL = "partial"  # done but for what its notes list
    FAILED = "failed"
    CANCELLED = "cancelled"


class Event(StrEnum):
    """What can happen to a job."""

    START = "start"
    PAUSE = "pause"
    RESUME = "resume"  # by the process that runs it
    REQUEUE = "requeue"  # for another process to run it from what is kept
    INTERRUPT = "interrupt"
    COMPLETE = "complete"
    FALL_SHORT = "fall_short"
    FAIL = "fail"
    CANCEL = "cancel"


class Wish(StrEnum):
    """What somebody asks of a job that another process runs; that process obeys between two batches."""

    PAUSE = "pause"
    CANCEL = "cancel"


UNFINISHED: Final = frozenset({State.WAITING, State.RUNNING, State.PAUSED, State.INTERRUPTED})

_TABLE: Final[Mapping[State, Mapping[Event, State]]] = MappingProxyType({
    State.WAITING: {
        Event.START: State.RUNNING, Event.PAUSE: State.PAUSED, Event.REQUEUE: State.WAITING,
        Event.FAIL: State.FAILED, Event.CANCEL: State.CANCELLED,
    },
    State.RUNNING: {
        Event.PAUSE: State.PAUSED, Event.INTERRUPT: State.INTERRUPTED, Event.COMPLETE: State.DONE,
        Event.FALL_SHORT: State.PARTIAL, Event.FAIL: State.FAILED, Event.CANCEL: State.CANCELLED,
    },
    State.PAUSED: {
        # A pause outlives the process: the job does not go on before somebody says so.
        Event.RESUME: State.RUNNING, Event.REQUEUE: State.WAITING, Event.INTERRUPT: State.PAUSED,
        Event.FAIL: State.FAILED, Event.CANCEL: State.CANCELLED,
    },
    State.INTERRUPTED: {
        Event.PAUSE: State.PAUSED, Event.REQUEUE: State.WAITING, Event.CANCEL: State.CANCELLED,
    },
})  # fmt: skip


def after(state: State, event: Event) -> State | None:
    """The state that follows, None when this can't happen in that state."""
    return _TABLE.get(state, {}).get(event)


@dataclass(frozen=True, slots=True)
class Work:
    """What a job is to do: paths and choices, nothing that was read."""

    kind: Kind
    sources: tuple[str, ...] = ()  # absolute paths; the address of the forum for SYNC, and for UPDATE from it
    accept_removals: bool = False
    vectors: bool = True  # False: the keyword index alone
    measured: tuple[str, ...] = ()  # of EVALUATE: configurations, or "answers" and who; of EXPORT: format

    @property
    def key(self) -> str:
        """What names the work: two jobs with the same key never wait or run at once."""
        return "\n".join((self.kind, *self.sources, *self.measured))


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to say about a job: a code of `job_words` or of an error, and the facts for its sentence."""

    code: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the table of jobs, as it was read. `done` of `total` and `rate` count what `stage` counts."""

    id: int
    work: Work
    state: State
    wish: Wish | None
    stage: str
    done: int
    total: int
    rate: float
    left_s: float | None
    item: str  # the source being read, "" elsewhere
    notes: tuple[Note, ...]
    crashes: int  # how many times in a row its process died
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    heartbeat_at: datetime | None
