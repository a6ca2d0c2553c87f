"""A place to drop a file, or to choose one: it goes to the disk of this application while a bar shows how far it is.

assets/js/receive.js sends it and draws the bar; app/pages/depot.py takes it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui.events import GenericEventArguments

from .. import i18n, received
from ..access.roles import RECEIVE
from ..i18n import gettext as _
from ..state import State
from .markup import box, text


def file_drop(state: State, arrived: Callable[[Path], Awaitable[None]]) -> None:
    """Show it; `arrived` is told where the file lies once it is whole."""

    async def heard(event: GenericEventArguments) -> None:
        path = received.find(state.engine.data, str(event.args)) if state.may("moderate") else None
        if path is not None:
            await arrived(path)

    said = {
        "progress": _("{name}: {share}, {done} of {total}"),
        "left": _("{time} left"),
        "stopped": _("Stopped. Nothing was kept of this file."),
        "failed": _("The file did not arrive: the connection was cut. Nothing was kept. Choose it again."),
        "arrived": _("{name} has arrived."),
        "units": units(),
    }
    with box("div", "drop", data_to=RECEIVE, data_words=json.dumps(said, ensure_ascii=False)) as place:
        with box("label", "drop-label"):
            text(_("Drop a backup here, or choose it"), "span", "drop-said")
            box("input", "visually-hidden", type="file", accept=".gz,.sql,.json,.tar,.tgz")
        box("progress", "drop-bar", max=1000, value=0, hidden=True, aria_label=_("Progress"))
        text("", "p", "note drop-line", role="status")
        text(_("Stop"), "button", "button quiet small drop-stop", type="button", hidden=True)
    place.on("received", heard, js_handler="(event) => emit(event.detail)")


def units() -> list[str]:
    """What a browser writes behind amounts of bytes, from the smallest."""
    return [i18n.size(10**power).split(i18n.NBSP)[-1] for power in (0, 3, 6, 9)]
