"""A part of a page that is read from the archive once the page is there."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from nicegui import run, ui

from engine import ArchivisteError

from ..i18n import gettext as _
from ..messages import message
from .markup import box, text

log = logging.getLogger(__name__)
T = TypeVar("T")


def later(read: Callable[[], T], show: Callable[[T], object], *, waiting: str = "", classes: str = "") -> None:
    """Show what `read` finds, in a thread; until then `waiting`, and a sentence in its place when it fails."""
    part = box("div", f"part {classes}".strip(), aria_busy="true")
    with part:
        text(waiting or _("Reading the archive…"), "p", "note", role="status")

    def attempt() -> tuple[T | None, str]:
        try:
            return read(), ""
        except ArchivisteError as error:
            return None, message(error)
        except Exception:  # the page boundary
            log.exception("a part of a page could not be read")
            return None, message(ArchivisteError())

    async def fill() -> None:
        found = await run.io_bound(attempt)
        if found is None or part.is_deleted:  # the server is stopping, or the page was left
            return
        part.clear()
        part.props["aria-busy"] = "false"
        value, failure = found
        with part:
            if failure or value is None:
                text(failure, "p", "notice", role="alert")
            else:
                show(value)

    ui.timer(0, fill, once=True)
