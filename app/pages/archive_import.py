"""Reading a source into the archive, for moderators: /archive/importer recognises it, then starts a task."""

from __future__ import annotations

from nicegui import run, ui
from nicegui.events import GenericEventArguments

from .. import job_desk
from ..components.job_source import SourcePicker, offer_card
from ..components.markup import box, button, text
from ..i18n import gettext as _
from ..offered import Offer
from ..state import State
from .archive_frame import IMPORT, JOBS, archive_frame


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(IMPORT)
    def import_page() -> None:
        with archive_frame(state, _("Import"), here=IMPORT):
            _Import(state)


class _Import:
    """First the source, then what is about to be done with it."""

    def __init__(self, state: State) -> None:
        self._state, self._removals = state, False
        self._filled = state.facts().posts > 0
        self._place = box("div", "importing")
        self._choose()

    def _choose(self) -> None:
        self._place.clear()
        with self._place:
            said = _("What is read is added to the archive. Messages that have changed take the place of the old ones.")
            text(said, "p", "lead")
            SourcePicker(self._state, self._chosen, demo=not self._filled)

    def _chosen(self, offer: Offer) -> None:
        self._place.clear()
        self._removals = False
        with self._place, box("section", "offer", tabindex=-1) as section:
            offer_card(offer)
            if self._filled and offer.kind in ("dump", "forum"):
                with box("label", "choice"):
                    box("input", type="checkbox").on(
                        "change", self._allow, js_handler="(event) => emit(event.target.checked)"
                    )
                    text(_("Also remove the messages that it no longer holds, however many they are"))
            with box("div", "buttons"):
                button(_("Start the import"), lambda: self._start(offer))
                button(_("Choose something else"), self._choose, "button quiet")
            self._refused = text("", "p", "notice", role="alert")
            self._refused.set_visibility(False)
        with section:  # the button that was pressed is gone, and with it the focus
            ui.run_javascript(f"document.getElementById('{section.html_id}')?.focus()")

    def _allow(self, event: GenericEventArguments) -> None:
        self._removals = event.args is True

    async def _start(self, offer: Offer) -> None:
        state, work = self._state, offer.work(accept_removals=self._removals)
        if not state.may("moderate") or (offer.origin in ("path", "forum") and not state.sits_here()):
            return
        found = await run.io_bound(job_desk.tried, lambda: job_desk.start(state, work))
        if isinstance(found, str):
            self._refused.text = found
            self._refused.set_visibility(True)
        elif found is not None:
            ui.navigate.to(JOBS)
