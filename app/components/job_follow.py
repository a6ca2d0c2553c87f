"""One job, followed live to its end."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from nicegui import run, ui

from engine import ArchivisteError

from .. import job_desk
from ..i18n import gettext as _
from ..job_states import UNFINISHED, Job
from ..job_words import headline
from ..messages import message
from ..state import State
from .job_card import JobCard
from .markup import box, text

LOOK_S: Final = 0.5
log = logging.getLogger(__name__)


class JobFollow:
    """A card that fills itself. `seen` hears of each state, `ended` of the last."""

    def __init__(
        self, state: State, number: int, *, ended: Callable[[Job], Awaitable[None]], seen: Callable[[Job], None]
    ) -> None:
        self._state, self._number, self._ended, self._seen = state, number, ended, seen
        self._card: JobCard | None = None
        self._told = ""
        self._status = text("", "p", "visually-hidden", role="status")
        self._place = box("section", "jobs", aria_busy="true")
        with self._place:
            self._waiting = text(_("Reading the list of tasks…"), "p", "note")
        self._timer = ui.timer(LOOK_S, self._look)

    async def _look(self) -> None:
        found = await run.io_bound(_read, self._state, self._number)
        if found is None or self._place.is_deleted:
            return
        self._place.props.pop("aria-busy", None)
        if isinstance(found, str):
            self._waiting.text = found
            return
        if self._card is None:
            self._waiting.set_visibility(False)
            with self._place:
                self._card = JobCard(self._state, found)
        else:
            self._card.fill(found)
        if self._told and self._told != headline(found):
            self._status.text = headline(found)
        self._told = headline(found)
        self._seen(found)
        if found.state not in UNFINISHED:
            self._timer.deactivate()
            await self._ended(found)


def _read(state: State, number: int) -> Job | str:
    try:
        job_desk.look(state, ended=0)  # a job whose process died is marked
        return job_desk.get(state, number)
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("a job can't be read")
        return message(ArchivisteError())
