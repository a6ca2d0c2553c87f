"""A part of a page that is read from the archive: in the page itself when it comes soon, else a moment later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, TypeVar

from nicegui import run, ui

from engine import ArchivisteError

from ..i18n import gettext as _
from ..messages import message
from .markup import box, text

log = logging.getLogger(__name__)
T = TypeVar("T")
SOON_S: Final = 0.25  # what comes within it is worth waiting for: the page is whole at once, and nothing moves in it


def later(read: Callable[[], T], show: Callable[[T], object], *, waiting: str = "", classes: str = "") -> None:
    """Show what `read` finds, in a thread; until then `waiting`, and a sentence in its place when it fails."""
    part = _waiting(waiting, classes)

    async def fill() -> None:
        found = await run.io_bound(_attempt, read)
        if not part.is_deleted:
            _show(part, found, show)

    ui.timer(0, fill, once=True)


async def soon(read: Callable[[], T], show: Callable[[T], object], *, waiting: str = "", classes: str = "") -> None:
    """The same, but waited for as long as nobody would notice; for pages that are coroutines."""
    coming = asyncio.ensure_future(run.io_bound(_attempt, read))
    await asyncio.wait({coming}, timeout=SOON_S)
    part = _waiting(waiting, classes)
    if coming.done():
        _show(part, coming.result(), show)
        return

    async def fill() -> None:
        found = await coming
        if not part.is_deleted:
            _show(part, found, show)

    ui.timer(0, fill, once=True)


def _waiting(said: str, classes: str) -> ui.element:
    part = box("div", f"part {classes}".strip(), aria_busy="true")
    with part:
        text(said or _("Reading the archive…"), "p", "note", role="status")
    return part


def _attempt(read: Callable[[], T]) -> tuple[T | None, str]:
    """What is found, or the sentence that says why nothing is."""
    try:
        return read(), ""
    except ArchivisteError as error:
        return None, message(error)
    except Exception:  # the page boundary
        log.exception("a part of a page could not be read")
        return None, message(ArchivisteError())


def _show(part: ui.element, found: tuple[T | None, str] | None, show: Callable[[T], object]) -> None:
    if found is None:  # the server is stopping
        return
    part.clear()
    part.props["aria-busy"] = "false"
    value, failure = found
    with part:
        if failure or value is None:
            text(failure, "p", "notice", role="alert")
        else:
            show(value)
