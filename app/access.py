"""Who may reach the server: only pages of this server, under a name that belongs to this machine.

A pure ASGI layer, so that it also sees the websocket. It stops DNS rebinding (a foreign name that resolves
to 127.0.0.1 sends its own name as Host) and pages of other sites that open our socket (their Origin).
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .i18n import gettext as _
from .settings import LOOPBACK

POLICY_VIOLATION = 1008  # RFC 6455 §7.4.1

# Vue compiles templates in the browser, hence the two "unsafe" of scripts. Nothing comes from elsewhere:
# should hostile HTML ever pass the allowlist, the browser still fetches nothing from the network.
_CONTENT_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' {socket}; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


class OnlyThisServer:
    """Refuses requests and websockets of another Host or Origin with 403; adds the security headers."""

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        self.app, self.port = app, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or not self._is_ours(hosts[0]) or not _same_place(origins, hosts[0]):
            await _refuse(scope, receive, send)
            return
        policy = _CONTENT_POLICY.format(socket=f"ws://{hosts[0]}")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer[name] = value
                answer["Content-Security-Policy"] = policy
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _is_ours(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port or parts.path or parts.username is not None:
            return False
        return name in LOOPBACK


def _same_place(origins: Iterable[str], host: str) -> bool:
    """Whether every Origin is this very server; browsers always send one with a websocket."""
    return all(origin.lower() == f"http://{host}".lower() for origin in origins)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()  # the connection request; closing before accepting answers 403
        await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        return
    response = PlainTextResponse(_("This address does not belong to this server."), status_code=403)
    await response(scope, receive, send)
