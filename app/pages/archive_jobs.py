"""The tasks of the archive, for moderators: /archive/travaux shows them live, pauses, resumes and cancels them."""

from __future__ import annotations

from nicegui import ui

from ..components.job_board import JobBoard
from ..components.markup import box, link, text
from ..i18n import gettext as _
from ..state import State
from .archive_frame import IMPORT, JOBS, archive_frame


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(JOBS)
    def jobs_page() -> None:
        with archive_frame(state, _("Tasks"), here=JOBS):
            said = _("They go on when this page is closed. One that is stopped keeps what it has done.")
            text(said, "p", "lead")
            with box("p", "buttons"):
                link(_("Import something"), IMPORT, "button quiet")
            JobBoard(state)
