"""Exports of the archive, for moderators: /archive/export makes one as a task, and lists those of the data folder."""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from nicegui import run, ui

from engine import ArchivisteError

from .. import exports, i18n, job_desk
from ..components.job_board import JobBoard
from ..components.markup import box, button, text
from ..exports import Kept
from ..i18n import N_
from ..i18n import gettext as _
from ..messages import message
from ..state import State
from .archive_frame import EXPORT, archive_frame

LOOK_S: Final = 2.0  # between two looks at the folder
log = logging.getLogger(__name__)
# format → its title, what it is for, its button
CARDS: Final = (
    (
        "html",
        N_("Pages to read"),
        N_(
            "A folder of pages that any browser opens from a disk or a USB key, with a search, without Archiviste and"
            " without a connection. To hand the archive to the members."
        ),
        N_("Export as pages"),
    ),
    (
        "json",
        N_("JSON of the topics"),
        N_(
            "The topics as Discourse gives them. Imported into an empty archive, this folder gives the same archive. To"
            " keep, or for another program."
        ),
        N_("Export as JSON"),
    ),
)


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(EXPORT)
    def export_page() -> None:
        with archive_frame(state, _("Export"), here=EXPORT):
            said = _(
                "An export holds the public messages as they are now, with the images that are kept, and nothing else."
            )
            text(said, "p", "lead")
            _Exports(state)


class _Exports:
    """A card a format, the task under way, and the list, which follows what is on the disk."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._shown: tuple[Kept, ...] | None = None
        with box("div", "two-columns"):
            for format_, title, told, said in CARDS:
                with box("section"):
                    text(_(title), "h2")
                    text(_(told), "p")
                    with box("div", "buttons"):
                        button(_(said), partial(self._start, format_))
        self._refused = text("", "p", "notice", role="alert")
        self._refused.set_visibility(False)
        JobBoard(state, history=False)
        with box("section"):
            text(_("Exports in the data folder"), "h2")
            text(_("Copy the whole folder where you want it, then delete it here."), "p", "note")
            self._list = box("div", aria_busy="true")
        ui.timer(LOOK_S, self._look)

    async def _start(self, format_: str) -> None:
        state = self._state
        if not state.may("moderate"):
            return
        work = exports.work(exports.new_folder(state.engine.data, format_), format_)
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
                text(_("No export was made yet."), "p", "note")
                return
            with box("ul", "imports"):
                for one in found:
                    with box("li"):
                        self._line(one)

    def _line(self, one: Kept) -> None:
        name = one.path.name
        text(i18n.date_short(one.made_at), "strong")
        # Where folders of this machine are is told to nobody else.
        text(str(one.path) if self._state.sits_here() else name, "code", "job-item note")
        with box("div", "job-actions") as actions:

            def ask() -> None:
                asked.delete()
                with actions:
                    button(_("Delete it for good"), lambda: self._remove(name), "button small")

            label = _("{action}: {job}").format(action=_("Delete"), job=name)
            asked = button(_("Delete"), ask, "button quiet small", aria_label=label)

    async def _remove(self, name: str) -> None:
        if not self._state.may("moderate"):
            return
        self._tell(await run.io_bound(_remove, self._state, name) or "")
        await self._look()

    def _tell(self, said: str) -> None:
        self._refused.text = said
        self._refused.set_visibility(bool(said))


def _read(state: State) -> tuple[Kept, ...] | str:
    try:
        return exports.kept(state.engine.data)
    except OSError:
        log.exception("the exports can't be listed")
        return message(ArchivisteError())


def _remove(state: State, name: str) -> str:
    try:
        exports.remove(state.engine.data, name)
    except OSError:
        log.exception("an export can't be removed")
        return message(ArchivisteError())
    return ""
