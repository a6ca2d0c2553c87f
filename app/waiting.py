"""What a replica answers before it has its first copy: one page that comes again by itself, and the archive's then."""

from __future__ import annotations

from typing import Final

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from .access import Access
from .access.plain import plain_page
from .access.roles import ENTER, LEAVE, is_under
from .i18n import gettext as _
from .replica import Replica
from .replica_words import waiting

AGAIN_S: Final = 3
_LET_THROUGH: Final = (ENTER, LEAVE, "/assets", "/favicon.ico", "/reglages/quitter", "/_nicegui", "/_nicegui_ws")


class Waiting:
    """Stands before the pages; once there is a copy it only lets them through."""

    def __init__(self, app: ASGIApp, replica: Replica, access: Access) -> None:
        self.app, self.replica, self.access = app, replica, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        waits = scope["type"] == "http" and self.replica.card is None
        if not waits or any(is_under(scope["path"], prefix) for prefix in _LET_THROUGH):
            await self.app(scope, receive, send)
            return
        body = plain_page(_("The archive is on its way"), waiting(self.replica, why=self.access.may("moderate")))
        again = {"Refresh": str(AGAIN_S), "Retry-After": str(AGAIN_S), "Cache-Control": "no-store"}
        await HTMLResponse(body, 503, headers=again)(scope, receive, send)
