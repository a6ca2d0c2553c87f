"""What NiceGUI keeps for each browser lives in this process too: an erasure by the worker must reach it there."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

import nicegui
from nicegui import run

from engine import ArchivisteError
from engine.erase import erased
from engine.erase.items import Eraser, eraser
from engine.erase.redact import each_string

from ..state import State

LOOK_S: Final = 5.0
log = logging.getLogger(__name__)


async def follow_erasures(state: State) -> None:
    """Take out of the searches kept by browsers whatever is erased from now on; ends with the server."""
    seen = erased.stamp(state.archive.settings.data)
    while not state.stopping.is_set():
        await asyncio.sleep(LOOK_S)
        data = state.archive.settings.data  # a replica goes from one copy to the next
        if (now := erased.stamp(data)) == seen:
            continue
        try:
            found = await run.io_bound(eraser, data)
        except ArchivisteError as error:  # tried again the next time
            log.warning("the erase list can't be read: %s", error)
            continue
        seen = now
        if found is not None:
            forget(found)


def forget(found: Eraser) -> int:
    """Take what the list names out of what is kept for every browser; how many values changed."""
    changed = 0
    for kept in [*nicegui.app.storage._users.values()]:
        for key, value in [*kept.items()]:
            fresh = each_string(value, found.text)
            if fresh != value:
                kept[key] = fresh
                changed += 1
    return changed
