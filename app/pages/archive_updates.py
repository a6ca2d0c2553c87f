"""Periodic updates, for moderators: /archive/mises-a-jour says from where and how often, and starts one at once."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Final

from nicegui import run, ui
from nicegui.events import GenericEventArguments

from engine import ArchivisteError

from .. import i18n, job_desk, offered, settings_file
from ..components.job_card import stood
from ..components.later import later
from ..components.markup import box, button, text
from ..i18n import N_
from ..i18n import gettext as _
from ..job_states import Job, Kind, Work
from ..messages import message
from ..offered import SOURCE_CHARS
from ..settings import AppSettings
from ..state import State
from .archive_frame import UPDATES, archive_frame

log = logging.getLogger(__name__)
HOURS: Final[Mapping[int, str]] = MappingProxyType({
    0: N_("never"), 6: N_("every 6 hours"), 12: N_("every 12 hours"), 24: N_("every day"), 168: N_("every week"),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Way:
    """One of the two kinds of updates: its words, and its settings."""

    title: str
    told: str
    label: str
    source: str  # names of the settings
    hours: str


WAYS: Final = (
    _Way(
        N_("From backups"),
        N_("A backup, or a folder where new ones arrive: the newest is read."),
        N_("Path of the file or of the folder"), "update_source", "update_every_hours",
    ),
    _Way(
        N_("From the forum"),
        N_("Its new messages are fetched, and those that have changed."),
        N_("Address of the forum"), "sync_url", "sync_every_hours",
    ),
)  # fmt: skip


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(UPDATES)
    def updates_page() -> None:
        with archive_frame(state, _("Updates"), here=UPDATES):
            said = _(
                "They are made while Archiviste is open. The hours count from the last one, so that a computer which"
                " was off catches up."
            )
            text(said, "p", "lead")
            here = state.sits_here()
            if not here:
                text(_("They can only be changed on the computer that runs Archiviste."), "p", "notice")
            later(lambda: _read(state), lambda found: _show(state, found, here=here))


def _read(state: State) -> tuple[AppSettings, tuple[Job | None, ...]]:
    """What the settings file asks for, and the last update of each kind."""
    filed = settings_file.filed(state.engine.data).app
    return filed, tuple(job_desk.last(state, _work(source)) if (source := _source(filed, way)) else None
                        for way in WAYS)  # fmt: skip


def _show(state: State, found: tuple[AppSettings, tuple[Job | None, ...]], *, here: bool) -> None:
    filed, jobs = found
    for way, job in zip(WAYS, jobs, strict=True):
        with box("section", "way-to-read"):
            _Form(state, way, filed, job, here=here)


class _Form:
    """The source and the hours of one kind of updates."""

    def __init__(self, state: State, way: _Way, filed: AppSettings, job: Job | None, *, here: bool) -> None:
        self._state, self._way = state, way
        self._source, self._hours = _source(filed, way), int(getattr(filed, way.hours))
        text(_(way.title), "h2")
        text(_(way.told), "p", "note")
        if not here:
            text(self._source or _("none"), "code", "job-item")
            text(_(HOURS.get(self._hours, "")) or _("every {n} hours").format(n=i18n.number(self._hours)), "p")
            return
        with box("div", "update-form"):
            field = box(
                "input", "field", maxlength=SOURCE_CHARS, placeholder=_(way.label), aria_label=_(way.label),
                autocomplete="off", spellcheck="false",
            )  # fmt: skip
            field.props["defaultValue"] = self._source
            field.on("change", self._typed, js_handler="(event) => emit(event.target.value)")
            with box("select", "field", aria_label=_("How often")) as hours:
                for n in sorted({*HOURS, self._hours}):
                    said = _(HOURS[n]) if n in HOURS else _("every {n} hours").format(n=i18n.number(n))
                    option = text(said, "option", value=n)
                    option.props["selected"] = n == self._hours
            hours.on("change", self._chose, js_handler="(event) => emit(Number(event.target.value))")
        with box("div", "buttons"):
            button(_("Save"), self._save)
            button(_("Update now"), self._now, "button quiet")
        self._said = text("", "p", "note", role="status")
        text(last_update(job, self._hours), "p", "note")

    def _typed(self, event: GenericEventArguments) -> None:
        self._source = str(event.args)[:SOURCE_CHARS].strip()

    def _chose(self, event: GenericEventArguments) -> None:
        self._hours = event.args if isinstance(event.args, int) else 0

    def _allowed(self) -> bool:
        return self._state.may("moderate") and self._state.sits_here()

    async def _save(self) -> None:
        if not self._allowed():
            return
        if self._hours and not self._source:
            self._tell(_("Name the source first."))
            return
        said = await run.io_bound(_saved, self._state, self._way, self._source, self._hours)
        if said is not None:
            self._tell(said or _("Saved. It counts from the next start of Archiviste."))

    async def _now(self) -> None:
        if not self._allowed():
            return
        if not self._source:
            self._tell(_("Name the source first."))
            return
        found = await run.io_bound(_started, self._state, self._way, self._source)
        if isinstance(found, Job):
            self._tell(_("Started: task {job}.").format(job=found.id))
        elif found:
            self._tell(found)

    def _tell(self, said: str) -> None:
        self._said.text = said


def last_update(job: Job | None, hours: int) -> str:
    """When the last one was, what came of it, and when the next is due."""
    if job is None:
        return _("None was made from this source yet.")
    said = _("The last one: {date}, {outcome}.").format(date=i18n.date_short(job.created_at), outcome=stood(job))
    if hours:
        due = job.created_at + timedelta(hours=hours)
        said = " ".join((said, _("The next one is due on {date}.").format(date=i18n.date_short(due))))
    return said


def _source(filed: AppSettings, way: _Way) -> str:
    return settings_file.typed(getattr(filed, way.source))


def _work(source: str) -> Work:
    return Work(Kind.UPDATE, (source,))


def _saved(state: State, way: _Way, source: str, hours: int) -> str:
    """The sentence that says why it was not saved, "" when it was. A source is recognised first."""
    try:
        if source:
            source = _recognised(way, source)
        settings_file.save(state.engine.data, f"app.{way.source}", source)
        settings_file.save(state.engine.data, f"app.{way.hours}", str(hours) if hours else "")
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("the updates could not be saved")
        return message(ArchivisteError())
    return ""


def _started(state: State, way: _Way, source: str) -> Job | str:
    try:
        return job_desk.start(state, _work(_recognised(way, source)))
    except ArchivisteError as error:
        return message(error)


def _recognised(way: _Way, source: str) -> str:
    """The source as a job names it; a folder may wait for its first backup. Raises ArchivisteError."""
    if way.source == "sync_url":
        return offered.forum(source).source
    folder = Path(source).expanduser().absolute()
    return str(folder) if folder.is_dir() else offered.look(source).source
