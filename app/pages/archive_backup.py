"""Backups of the archive, for moderators: /archive/sauvegarde makes one as a task, and lists those that were made."""

from __future__ import annotations

import logging
from typing import Final

import nicegui
from nicegui import run, ui
from starlette.responses import FileResponse, Response

from engine import ArchivisteError

from .. import backups, i18n, job_desk
from ..backups import Made
from ..components.job_board import JobBoard
from ..components.markup import box, button, link, text
from ..i18n import gettext as _
from ..job_states import Kind, Work
from ..messages import message
from ..state import State
from .archive_frame import BACKUPS, archive_frame

LOOK_S: Final = 2.0  # between two looks at the folder
log = logging.getLogger(__name__)


def register(state: State) -> None:
    """Make the page and its files known to the server."""

    @ui.page(BACKUPS)
    def backup_page() -> None:
        with archive_frame(state, _("Backup"), here=BACKUPS):
            said = _(
                "A backup holds the whole archive: messages, images, vectors, index, settings, questions asked. It can"
                " be made while people search, and during an import."
            )
            text(said, "p", "lead")
            _Backups(state)

    @nicegui.app.get(BACKUPS + "/{name}")
    def backup_file(name: str) -> Response:
        path = backups.find(state.engine.data, name) if state.may("moderate") else None
        if path is None:
            return Response(status_code=404)
        return FileResponse(path, media_type="application/gzip", filename=name, headers={"Cache-Control": "no-store"})


class _Backups:
    """The button, the task under way, and the list, which follows what is on the disk."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._shown: tuple[Made, ...] | None = None
        with box("div", "buttons"):
            button(_("Make a backup now"), self._start)
        self._refused = text("", "p", "notice", role="alert")
        self._refused.set_visibility(False)
        JobBoard(state, history=False)
        with box("section"):
            text(_("Backups in the data folder"), "h2")
            said = _("A disk that fails takes them along: copy them to another one.")
            text(said, "p", "note")
            self._list = box("div", aria_busy="true")
        with box("section"):
            text(_("To bring one back"), "h2")
            said = _(
                "Close Archiviste, then type this command. The backup is verified first; the present archive is kept"
                " under another name. Models are not in a backup, and open sessions do not come back."
            )
            text(said, "p", "lead")
            place = f'--data "{state.engine.data}" ' if state.sits_here() else ""  # no path of it for the network
            file = _("FILE")
            text(f"archiviste {place}restore {file}", "code", "job-item")
        ui.timer(LOOK_S, self._look)

    async def _start(self) -> None:
        state = self._state
        if not state.may("moderate"):
            return
        work = Work(Kind.BACKUP, (str(state.engine.data / backups.FOLDER),))
        found = await run.io_bound(job_desk.tried, lambda: job_desk.start(state, work))
        self._tell(found if isinstance(found, str) else "")

    async def _look(self) -> None:
        found = await run.io_bound(_read, self._state)
        if found is None or self._list.is_deleted or found == self._shown:
            return
        self._list.clear()
        self._list.props["aria-busy"] = "false"
        with self._list:
            if isinstance(found, str):
                text(found, "p", "notice", role="alert")
                return
            self._shown = found
            if not found:
                text(_("No backup was made yet."), "p", "note")
                return
            with box("ul", "imports"):
                for one in found:
                    with box("li"):
                        self._line(one)

    def _line(self, one: Made) -> None:
        date, size = i18n.date_short(one.made_at), i18n.size(one.size)
        text(_("{date}: {outcome}").format(date=date, outcome=size), "strong")
        text(one.name, "code", "job-item note")
        with box("div", "job-actions") as actions:
            # The browser asks for the file with its own session.
            link(_("Save a copy"), f"{BACKUPS}/{one.name}", "button quiet small", download=one.name)
            label = _("{action}: {job}").format(action=_("Delete"), job=one.name)

            def ask() -> None:
                asked.delete()
                with actions:
                    button(_("Delete it for good"), lambda: self._remove(one.name), "button small")

            asked = button(_("Delete"), ask, "button quiet small", aria_label=label)

    async def _remove(self, name: str) -> None:
        if not self._state.may("moderate"):
            return
        self._tell(await run.io_bound(_remove, self._state, name) or "")
        await self._look()

    def _tell(self, said: str) -> None:
        self._refused.text = said
        self._refused.set_visibility(bool(said))


def _read(state: State) -> tuple[Made, ...] | str:
    try:
        return backups.made(state.engine.data)
    except Exception:  # the page boundary
        log.exception("the backups can't be listed")
        return message(ArchivisteError())


def _remove(state: State, name: str) -> str:
    try:
        backups.remove(state.engine.data, name)
    except ArchivisteError as error:
        return message(error)
    except OSError:
        log.exception("a backup can't be removed")
        return message(ArchivisteError())
    return ""
