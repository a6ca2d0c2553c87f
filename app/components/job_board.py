"""The list of jobs, live: a card for each that is not over, and a table of those that are."""

from __future__ import annotations

import logging
from typing import Final

from nicegui import run, ui

from engine import ArchivisteError

from .. import i18n, job_desk, reaching
from ..i18n import gettext as _
from ..job_desk import Seen
from ..job_states import UNFINISHED, Job
from ..job_words import headline, note_line
from ..messages import message
from ..state import State
from .job_card import JobCard, can_begin_again, line, stood, title
from .markup import box, button, text

LOOK_S: Final = 1.0  # between two looks
NOTES_SHOWN: Final = 3  # of a job that is over; the command line tells them all
log = logging.getLogger(__name__)


class JobBoard:
    """What is under way and what was, on one page. `current` alone leaves the table of the past out."""

    def __init__(self, state: State, *, history: bool = True) -> None:
        self._state, self._with_history = state, history
        self._cards: dict[int, JobCard] = {}
        self._told: dict[int, str] = {}
        self._past: tuple[tuple[int, str], ...] | None = None
        self._failure = text("", "p", "notice", role="alert")
        self._failure.set_visibility(False)
        self._status = text("", "p", "visually-hidden", role="status")
        self._now = box("section", "jobs", aria_busy="true")
        with self._now:
            self._idle = text(_("Reading the list of tasks…"), "p", "note")
        self._alone = text(
            _("Nothing runs the tasks for the moment: they begin by themselves within a minute."), "p", "notice"
        )
        self._alone.set_visibility(False)
        self._away = text(_(reaching.AWAY), "p", "notice")
        self._away.set_visibility(False)
        self._together = text("", "p", "note")
        self._together.set_visibility(False)
        self._history = box("section", "jobs-past")
        ui.timer(LOOK_S, self._look)

    async def _look(self) -> None:
        found = await run.io_bound(_read, self._state)
        if found is None or self._now.is_deleted:
            return
        self._now.props.pop("aria-busy", None)
        failed = isinstance(found, str)
        self._failure.set_visibility(failed)
        if isinstance(found, str):
            self._failure.text = found
            return
        self._show_now(found)
        if self._with_history:
            self._show_past([job for job in found.jobs if job.state not in UNFINISHED])

    def _show_now(self, found: Seen) -> None:
        unfinished = [job for job in found.jobs if job.state in UNFINISHED]
        for number in set(self._cards) - {job.id for job in unfinished}:
            self._cards.pop(number).element.delete()
        with self._now:
            for job in unfinished:
                if job.id in self._cards:
                    self._cards[job.id].fill(job)
                else:
                    self._cards[job.id] = JobCard(self._state, job)
        self._idle.set_visibility(not unfinished)
        self._idle.text = _("No task is under way.")
        self._alone.set_visibility(bool(unfinished) and not found.attended)
        self._away.set_visibility(not found.carried)
        self._together.set_visibility(found.encoders > 1)
        self._together.text = reaching.together(found.encoders)
        self._tell(found)

    def _tell(self, found: Seen) -> None:
        """For those who do not see the bars: a sentence when a job changes its state, and no more."""
        before, self._told = self._told, {job.id: stood(job) for job in found.jobs}
        news = [job for job in found.jobs if job.id in before and before[job.id] != self._told[job.id]]
        if news:
            self._status.text = " ".join(headline(job) for job in news)

    def _show_past(self, past: list[Job]) -> None:
        seen = tuple((job.id, job.state.value) for job in past)
        if seen == self._past:
            return
        self._past = seen
        self._history.clear()
        with self._history:
            text(_("Before"), "h2")
            if not past:
                text(_("No task is over yet."), "p", "note")
                return
            with box("div", "table"), box("table", "past"):
                with box("thead"), box("tr"):
                    for said in (_("Task"), _("Day"), _("Took"), _("What came of it")):
                        text(said, "th", scope="col")
                with box("tbody"):
                    for job in past:
                        self._line(job)

    def _line(self, job: Job) -> None:
        with box("tr"):
            text(title(job), "td", "past-title")
            text(i18n.date_short(job.ended_at or job.created_at), "td")
            took = (job.ended_at - job.started_at).total_seconds() if job.ended_at and job.started_at else None
            text(i18n.duration(max(0.0, took)) if took is not None else "–", "td")
            with box("td"):
                text(stood(job), "strong")
                if said := line(job):
                    text(said, "p", "note")
                for note in job.notes[:NOTES_SHOWN]:
                    text(note_line(note), "p", "note")
                if can_begin_again(job):
                    label = _("{action}: {job}").format(action=_("Start again"), job=title(job))
                    button(_("Start again"), lambda: self._again(job.id), "button quiet small", aria_label=label)

    async def _again(self, number: int) -> None:
        if not self._state.may("moderate"):
            return
        state = self._state
        found = await run.io_bound(job_desk.tried, lambda: job_desk.steer(state, "again", number))
        if isinstance(found, str):
            self._status.text = found
            ui.notify(found, multi_line=True, close_button=_("Close"), timeout=0)


def _read(state: State) -> Seen | str:
    try:
        return job_desk.look(state)
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("the jobs can't be read")
        return message(ArchivisteError())
