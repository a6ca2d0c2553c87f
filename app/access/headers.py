"""What every answer tells the browser: what a page may load, and that no other site may hold it."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

from .peers import Peer

# Vue compiles templates in the browser, hence the two "unsafe" of scripts. Nothing comes from elsewhere:
# should hostile HTML ever pass the allowlist, the browser still fetches nothing from the network.
_PAGE: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' {socket}; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# For the pages that we write whole, without any script.
PLAIN: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": with it browsers send `Origin: null` with our own forms (Fetch, "append a request Origin").
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def with_headers(send: Send, peer: Peer) -> Send:
    """The same, with the headers added; over HTTPS cookies never go back over HTTP."""
    socket = f"{'wss' if peer.secure else 'ws'}://{peer.host}"

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer = MutableHeaders(scope=message)
            for name, value in _ALWAYS.items():
                answer[name] = value
            answer.setdefault("Content-Security-Policy", _PAGE.format(socket=socket))
            if peer.secure:
                message["headers"] = [_secured(name, value) for name, value in message["headers"]]
        await send(message)

    return send_with_headers


def _secured(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    if name.lower() == b"set-cookie" and b"; secure" not in value.lower():
        return name, value + b"; Secure"
    return name, value
