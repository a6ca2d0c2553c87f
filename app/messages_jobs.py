"""What the user reads when a job can't be started or steered: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, ModelUnavailable, PublisherReplaced, StoreBusy

from .errors import JobEnded, JobUnderWay, JobUnknown, QueueUnavailable, WorkerRunning
from .i18n import N_

JOB_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    JobUnderWay: N_("This work is already in hand (task {job}). Nothing was started a second time."),
    JobUnknown: N_("There is no task {job}. See the list: archiviste jobs."),
    JobEnded: N_("Task {job} is over: nothing can be asked of it any more. Start the work again if need be."),
    WorkerRunning: N_("A worker already serves this archive: {data}. One is enough; nothing was started."),
    PublisherReplaced: N_(
        "This indexing gave no sign of life for a minute, and another process has taken its place. This one published"
        " nothing more; the vectors that it computed and the index in service are kept. Start the indexing again if"
        " the other one does not end it."
    ),
    QueueUnavailable: N_("The task could not be handed over, and was not started. Check “queue_url” in your settings."),
})  # fmt: skip

JOB_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (JobUnderWay, "waiting"): N_(
        "This work already waits for its turn (task {job}). Nothing was started a second time."
    ),
    (JobUnderWay, "running"): N_("This work is already under way (task {job}). Nothing was started a second time."),
    (JobUnderWay, "paused"): N_(
        "This work is paused (task {job}). Nothing was started a second time. To go on: archiviste jobs resume {job}."
    ),
    (QueueUnavailable, "library"): N_(
        "“queue_url” needs one more part of the application. Nothing was started. Install it: pip install"
        " archiviste[redis]."
    ),
    (QueueUnavailable, "alone"): N_(
        "A worker that only encodes helps another one, over Redis: give “queue_url” in the settings of both. Nothing"
        " was started."
    ),
    (ModelUnavailable, "no_encoder"): N_(
        "This process has no model to compute vectors with. Nothing was started. See: archiviste models list."
    ),
    (StoreBusy, "publisher"): N_(
        "Another process prepares the search of this archive: {holder}. It counts as alive until {until} at least, and"
        " longer while it works. Nothing is lost. Try again when it is done."
    ),
    (QueueUnavailable, "refused"): N_(
        "The Redis server of “queue_url” does not answer. Nothing was started. Start it, then try again."
    ),
})  # fmt: skip
