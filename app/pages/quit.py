"""The page that closes the application, for whoever uses it in a browser and has no window to close."""

from __future__ import annotations

import logging
from contextlib import closing

import nicegui
from nicegui import run, ui

from ..components.markup import box, button, link, text
from ..i18n import gettext as _
from ..job_states import State as JobState
from ..jobs import Jobs
from ..state import State
from ..theme import BUILT_WITHIN_S, QUIT, frame

_log = logging.getLogger(__name__)


def register(state: State) -> None:
    """The page, below those of the settings: moderators only."""

    @ui.page(QUIT, response_timeout=BUILT_WITHIN_S)
    async def page() -> None:
        busy = bool(await run.io_bound(_is_busy, state))
        with frame(state, _("Quit"), here=QUIT), box("section", "empty") as section:
            text(_("Quit Archiviste?"), "h1")
            if busy:
                text(_("A task is under way: it stops, and goes on the next time Archiviste opens."), "p")
            text(_("Nobody can search or ask until it is opened again. The archive stays as it is."), "p")

            def quit_now() -> None:
                if not state.may("moderate"):
                    return
                _log.warning("closed from a page")
                section.clear()
                with section:
                    text(_("Archiviste is closed"), "h1")
                    text(_("You can close this tab."), "p")
                # Once the browser has heard it.
                ui.timer(0.5, nicegui.app.shutdown, once=True)

            button(_("Quit Archiviste"), quit_now, "button")
            link(_("Back to the start"), "/", "button quiet")


def _is_busy(state: State) -> bool:
    with closing(Jobs(state.engine.data)) as jobs:
        return any(job.state is JobState.RUNNING for job in jobs.recent(0))
