"""What this archive and this computer can't do yet, in words, with what to do about it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from engine import Status

from . import i18n, jobs_command
from .access.roles import FIRST_RUN
from .i18n import gettext as _
from .job_states import State as JobState
from .state import State

log = logging.getLogger(__name__)

MODELS, ARCHIVE = "/reglages/modeles", "/archive"
WHOLE = 0.995  # what a moderator would call all of it: messages that arrived since don't count


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing that is missing, and the page where a moderator mends it, "" when it mends itself."""

    said: str
    mended_at: str = ""


def lacks(state: State) -> tuple[Lack, ...]:
    """What is missing now, the worst first. Reads the databases: call it in a thread. Raises ArchivisteError."""
    status = state.archive.status()
    working = any(job.state in (JobState.RUNNING, JobState.WAITING) for job in jobs_command.read(state.engine.data))
    return tuple(_lacks(status, state, working=working))


def _lacks(status: Status, state: State, *, working: bool) -> Iterator[Lack]:
    if not status.posts:
        yield Lack(_("The archive is empty. Import a backup of the forum, or fetch its messages."), FIRST_RUN)
        return
    if status.generation is None:
        if working:
            yield Lack(_("The search is being prepared. Words can be searched within minutes."))
        else:
            yield Lack(_("The search is not ready: nothing can be found before it has been prepared once."), ARCHIVE)
    elif status.dense_model is None or status.dense_coverage < WHOLE:
        yield _meaning(status, state, working=working)
    if state.models.generate is None and state.models.remote is None:
        yield Lack(_("No language model is installed: answers are made of extracts of the messages."), MODELS)


def _meaning(status: Status, state: State, *, working: bool) -> Lack:
    if state.models.embed is None:
        return Lack(_("This computer has no model to search by meaning: only exact words are searched."), MODELS)
    share = i18n.percent(status.dense_coverage if status.dense_model else 0.0)
    if working:
        said = _("Searching by meaning knows {share} of the messages so far and goes on learning; words find them all.")
        return Lack(said.format(share=share))
    said = _("Searching by meaning knows {share} of the messages; the others are found by their words only.")
    return Lack(said.format(share=share), ARCHIVE)
