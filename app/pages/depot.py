"""Where a moderator's browser sends a file of any size: /archive/depot, which is no page.

NiceGUI's own uploads go through forms, which are read whole before anybody is asked.
"""

from __future__ import annotations

import logging

import nicegui
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from engine import DiskFull

from .. import received
from ..access.roles import RECEIVE
from ..i18n import gettext as _
from ..receive import check_room, too_large, write
from ..state import State

log = logging.getLogger(__name__)


def register(state: State) -> None:
    """Make the route known to the server, and remove what earlier runs left half received."""
    received.sweep(state.engine.data)

    @nicegui.app.put(RECEIVE)
    async def take(request: Request, nom: str = "") -> Response:
        """The body is the file. Answers the name under which it lies, or a sentence for the reader."""
        if not state.may("moderate"):
            return Response(status_code=403)
        length = request.headers.get("content-length", "")
        if not length.isdigit() or not int(length):
            return PlainTextResponse(_("This file is empty. Nothing was kept. Choose another one."), 400)
        data = state.engine.data
        try:
            check_room(data, int(length))
            path = await write(request.stream(), data, nom, int(length))
        except DiskFull as full:
            return PlainTextResponse(too_large(full), 507)
        except OSError:
            log.exception("a file can't be received")
            said = _("The file could not be written to {path}. Nothing was kept. Check that the disk is writable.")
            return PlainTextResponse(said.format(path=data), 500)
        except ClientDisconnect:
            log.info("a file was cut on its way")
            return Response(status_code=400)  # nobody reads it any more
        if path is None:
            said = _("The file was cut on its way. Nothing was kept. Choose it again.")
            return PlainTextResponse(said, 400)
        return JSONResponse({"name": path.name})
