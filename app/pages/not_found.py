"""The pages for an address that leads nowhere, for an error of ours, and for one that takes too long."""

from __future__ import annotations

import importlib
import logging

import nicegui
from nicegui import ui
from starlette.requests import Request
from starlette.responses import Response

from engine import ArchivisteError

from ..components.markup import box, link, text
from ..i18n import gettext as _
from ..messages import message
from ..state import State
from ..theme import frame

log = logging.getLogger(__name__)


def register(state: State) -> None:
    """Replace NiceGUI's own pages, which are in English."""

    @nicegui.app.exception_handler(404)
    async def missing(request: Request, _exception: Exception) -> Response:
        with nicegui.Client(ui.page(""), request=request) as client:
            show(state, _("This page does not exist"), _("Check the address, or search the archive."))
        return client.build_response(request, 404)

    @nicegui.app.on_page_exception
    def failed(error: Exception) -> None:
        log.error("a page could not be built", exc_info=error)
        said = _("Something failed in the application. Your archive is intact. Details are in the log.")
        show(state, _("This page can’t be shown"), message(error) if isinstance(error, ArchivisteError) else said)

    def given_up(_status: int, _reason: object) -> None:
        show(state, _("This page can’t be shown"), _("It took too long to prepare. Try again in a moment."))

    # What NiceGUI shows in the place of a page that is not ready in time: no hook leads there.
    vars(importlib.import_module("nicegui.page"))["error_content"] = given_up


def show(state: State, title: str, advice: str, *, way: tuple[str, str] | None = None) -> None:
    """A whole page that says what is missing and what to do next; `way` is a link (words, address) elsewhere."""
    with frame(state, title), box("section", "empty"):
        text(title, "h1")
        text(advice, "p")
        if way is not None:
            link(*way, "button")
        link(_("Back to the start"), "/", "button quiet")
