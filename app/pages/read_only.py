"""What stands on a replica in the place of the pages that change the archive: a word on where that is done."""

from __future__ import annotations

from typing import Final

from nicegui import ui

from ..access.roles import FIRST_RUN
from ..components.markup import box, link, text
from ..i18n import N_
from ..i18n import gettext as _
from ..replica import Replica
from ..replica_words import read_only
from ..state import State
from ..theme import BUILT_WITHIN_S, frame

PAGES: Final = (("/archive", N_("Archive")), ("/mesures", N_("Measures")), ("/reglages", N_("Settings")))


def register(state: State, replica: Replica) -> None:
    """One page for each part of the moderators, and for all that is below it elsewhere."""
    for path, name in PAGES:
        _register(state, replica, path, name)
        _register(state, replica, f"{path}/{{rest:path}}", name, here=path)
    _register(state, replica, FIRST_RUN, N_("Archive"))


def _register(state: State, replica: Replica, path: str, name: str, *, here: str = "") -> None:
    @ui.page(path, response_timeout=BUILT_WITHIN_S)
    async def page() -> None:
        with frame(state, _(name), here=here or path), box("section", "empty"):
            text(_("A copy to read"), "h1")
            for said in read_only(replica):
                text(said, "p")
            link(_("Back to the start"), "/", "button quiet")
