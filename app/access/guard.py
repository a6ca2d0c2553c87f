"""The door of the server, before everything else that answers: a pure ASGI layer, so that it also sees the websocket.

Each request and each message of a websocket, in both directions, is checked against what its session is at that moment.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine import ArchivisteError

from ..i18n import gettext as _
from . import sockets
from .headers import with_headers
from .keys import SEEN_EVERY
from .opened import Access, Visitor, caused_by
from .peers import without_forwarded
from .plain import plain_page
from .roles import ENTER, OTHER, RECEIVE, SOCKET, TRIED, UPLOADS, Role, is_under, needed

log = logging.getLogger(__name__)

COOKIE: Final = "archiviste"
POLICY_VIOLATION: Final = 1008  # RFC 6455 §7.4.1
FORM_BYTES: Final = 64 * 1024  # of a request: a passphrase, a question, a comment
MESSAGE_BYTES: Final = 1_000_000  # of the socket's: what Engine.IO takes by itself


class Guard:
    """Lets through what is meant for this server and what the role of its sender allows."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access
        self._forms = RequestBodyLimitMiddleware(app, FORM_BYTES)
        self._messages = RequestBodyLimitMiddleware(app, MESSAGE_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        peer = self.access.doors.peer(scope)
        if peer is None:
            await _answer(_("This address does not belong to this server."), 403, scope, receive, send)
            return
        direct = await self._direct(scope, peer.address)
        if direct is not None:
            await direct(scope, receive, with_headers(send, peer))
            return
        visitor = self.access.visitor(peer.address, _token(scope))
        scheme = "ws" if scope["type"] == "websocket" else "http"
        # In place: whoever measures from outside finds there which route was taken.
        scope["headers"] = without_forwarded(scope["headers"])
        scope["client"] = (peer.address, 0)
        scope["scheme"] = f"{scheme}s" if peer.secure else scheme
        scope[sockets.VISITOR] = visitor
        with caused_by(visitor):
            await self._serve(scope, receive, with_headers(send, peer), visitor)

    async def _direct(self, scope: Scope, address: str) -> Response | None:
        """What machines ask, which is no page: no session is begun for it."""
        answers = self.access.direct.get(scope["path"])
        if answers is None or scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        return await answers(address)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, visitor: Visitor) -> None:
        role = self.access.role(visitor)
        if role < needed(scope["path"]) or not _is_own(scope, visitor):
            await _refuse(role, scope, receive, send)
            return
        self._saw(visitor)
        if scope["type"] == "websocket":
            await self._converse(scope, receive, send, visitor)
        else:
            await self._limited(scope["path"])(scope, receive, self._while_allowed(scope, send, visitor))

    def _limited(self, path: str) -> ASGIApp:
        """The application, for requests to this address: only moderators' files are of any size."""
        if is_under(path, UPLOADS) or path == RECEIVE:
            return self.app
        return self._messages if is_under(path, SOCKET) else self._forms

    async def _converse(self, scope: Scope, receive: Receive, send: Send, visitor: Visitor) -> None:
        """A websocket that closes with the session: at the next message, ours (a ping at least) or theirs."""
        closed = False

        async def may_go_on() -> bool:
            nonlocal closed
            if not closed and self.access.role(visitor) < needed(scope["path"]):
                closed = True
                await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            return not closed

        async def receive_while_allowed() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and not await may_go_on():
                return {"type": "websocket.disconnect", "code": POLICY_VIOLATION}
            return message

        async def send_while_allowed(message: Message) -> None:
            if await may_go_on():
                await send(message)
            elif message["type"] == "websocket.send":
                raise OSError("the session ended")  # what ASGI wants from a send after the end

        await self.app(scope, receive_while_allowed, send_while_allowed)

    def _while_allowed(self, scope: Scope, send: Send, visitor: Visitor) -> Send:
        """For polling, where an answer may wait for long after its request was let in."""
        if not is_under(scope["path"], SOCKET):
            return send
        refused = False

        async def send_while_allowed(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and self.access.role(visitor) < needed(scope["path"]):
                refused = True
                await _refuse(Role.NOBODY, scope, _nothing, send)
            if not refused:
                await send(message)

        return send_while_allowed

    def _saw(self, visitor: Visitor) -> None:
        token = visitor.token
        session = self.access.keys.find(token) if token else None
        if token is None or session is None or datetime.now(UTC) - session.seen_at < SEEN_EVERY:
            return

        def write() -> None:  # in a thread: another process may be writing to app.db
            try:
                self.access.keys.saw(session, token, address=visitor.address)
            except ArchivisteError as error:
                log.info("when a session was last used can't be kept: %s", error)

        asyncio.get_running_loop().run_in_executor(None, write)


def install(access: Access, *, around: Callable[[ASGIApp], ASGIApp] = lambda guard: guard) -> None:
    """Put the guard before everything that NiceGUI answers, its own layers included; before the server starts.

    `around` puts a layer around the guard itself.
    """
    import nicegui

    build = type(nicegui.app).build_middleware_stack

    def guarded() -> ASGIApp:
        return around(Guard(build(nicegui.app), access))

    # `add_middleware` would put it behind the layers that `ui.run` adds later, which already keep things for whoever
    # asks.
    vars(nicegui.app)["build_middleware_stack"] = guarded
    nicegui.app.middleware_stack = None  # built at the first request
    sockets.bind(access)


def _token(scope: Scope) -> str | None:
    """The session's token; of two that claim to be it, none is."""
    pairs = [pair.strip() for value in Headers(scope=scope).getlist("cookie") for pair in value.split(";")]
    found = [value for name, equals, value in (pair.partition("=") for pair in pairs) if name == COOKIE and equals]
    return found[0] if len(found) == 1 else None


def _is_own(scope: Scope, visitor: Visitor) -> bool:
    """Whether what a request says of itself belongs to its sender: a page that takes files, a connection that polls."""
    path: str = scope["path"]
    if is_under(path, UPLOADS):
        return sockets.is_owner(path.removeprefix(f"{UPLOADS}/").partition("/")[0], visitor)
    return not is_under(path, SOCKET) or sockets.is_own_socket(scope["query_string"], visitor)


async def _refuse(role: Role, scope: Scope, receive: Receive, send: Send) -> None:
    """Nobody is sent to the page of the passphrase, a reader is told that this is for moderators."""
    accepted = Headers(scope=scope).get("accept", "")
    if scope["type"] != "http" or scope["method"] != "GET" or "text/html" not in accepted:
        said = _("Open a page of Archiviste and give your passphrase first.")
        await _answer(said, 401 if role is Role.NOBODY else 403, scope, receive, send)
        return
    query = scope["query_string"].decode("latin-1")
    target = {"vers": scope["path"] + (f"?{query}" if query else "")}
    response: Response = RedirectResponse(f"{ENTER}?{urlencode(target)}", status_code=303)
    if role is not Role.NOBODY:
        enter = f"{ENTER}?{urlencode({**target, TRIED: OTHER})}"
        body = plain_page(
            _("For moderators"),
            _("This page is for the moderators of the archive."),
            links=((_("Give the moderators’ passphrase"), enter), (_("Back to the start"), "/")),
        )
        response = HTMLResponse(body, status_code=403)
    response.headers["Cache-Control"] = "no-store"
    await response(scope, receive, send)


async def _answer(said: str, status: int, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()  # the connection request; closing before accepting answers 403
        await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        return
    await PlainTextResponse(said, status, headers={"Cache-Control": "no-store"})(scope, receive, send)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
