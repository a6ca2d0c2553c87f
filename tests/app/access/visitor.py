"""Somebody on the network, byte by byte: pages over HTTP, events over the websocket, as a browser or as an attacker."""

from __future__ import annotations

import html
import json
import re
import ssl
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from app.access import Role, passphrases
from app.access.keys import Keys

_ANY_CERTIFICATE = ssl._create_unverified_context()  # one: making it takes longer than a request
READER, MODERATOR = "cadre selle guidon pompe", "éclair pédale vernis âtre"
SOCKET = "/_nicegui_ws/socket.io/"
HTML = {"Accept": "text/html"}
_CLIENT = re.compile(r"'client_id': '([0-9a-f-]{36})'")


def set_passphrases(data: Path) -> None:
    """Choose both passphrases, as `archiviste access set` does."""
    with closing(Keys(data)) as keys:
        for role, phrase in ((Role.READER, READER), (Role.MODERATOR, MODERATOR)):
            keys.set_passphrase(role, passphrases.hashed(phrase))


class Visitor:
    """One browser: its cookies, the address that it comes from, and the pages that it opened."""

    def __init__(self, server: str, *, source: str = "127.0.0.1", headers: dict[str, str] | None = None) -> None:
        self.server, self.source = server, source
        self.page = ""  # what was opened last
        self.context = _ANY_CERTIFICATE if server.startswith("https") else None
        # A connection a request, so that no visitor has to be sent away at the end.
        limits = httpx.Limits(max_keepalive_connections=0)
        transport = httpx.HTTPTransport(local_address=source, verify=_ANY_CERTIFICATE, limits=limits)
        self.http = httpx.Client(base_url=server, transport=transport, headers=headers, timeout=30)

    def enter(self, phrase: str, target: str = "/", **headers: str) -> httpx.Response:
        """Give a passphrase."""
        return self.http.post("/entrer", data={"phrase": phrase, "vers": target}, headers=headers)

    @property
    def token(self) -> str:
        """The session's token, "" without one."""
        return self.http.cookies.get("archiviste", "")

    def open(self, path: str) -> tuple[int, str]:
        """The status of a page, and the id that its events carry ("" when it is no page of NiceGUI)."""
        answer = self.http.get(path, headers=HTML, follow_redirects=True)
        self.page = answer.text
        found = _CLIENT.search(self.page)
        return answer.status_code, found[1] if found else ""

    def listeners(self, path: str) -> tuple[str, list[dict[str, Any]]]:
        """The id of a page, and one event for each of its listeners, as its buttons would send them."""
        text = self.http.get(path, headers=HTML).text
        written = re.search(r"String\.raw`(.*?)`", text, re.DOTALL)
        client = _CLIENT.search(text)
        assert written is not None and client is not None, f"{path} is no page"
        elements = json.loads(html.unescape(written[1]))
        return client[1], [
            {"id": int(number), "client_id": client[1], "listener_id": listener["listener_id"], "args": []}
            for number, element in elements.items()
            for listener in element.get("events", [])
        ]

    @contextmanager
    def socket(self, client_id: str = "", *, origin: str | None = None, **headers: str) -> Iterator[ClientConnection]:
        """The websocket of a page, past its handshake. Raises InvalidStatus when the server refuses it."""
        query = {"EIO": "4", "transport": "websocket", **(handshake(client_id) if client_id else {})}
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        host = urlsplit(self.server).netloc
        sent = {"Cookie": cookies, **headers} if cookies or headers else {}
        scheme = "wss" if self.context else "ws"
        with connect(
            f"{scheme}://{host}{SOCKET}?{urlencode(query)}", origin=origin or self.server, additional_headers=sent,
            source_address=(self.source, 0), ssl=self.context, proxy=None, max_size=None, close_timeout=1,
        ) as opened:  # fmt: skip
            opened.recv(timeout=10)  # Engine.IO's opening
            opened.send("40")
            opened.recv(timeout=10)
            yield opened


def handshake(client_id: str) -> dict[str, str]:
    """What a page says of itself when it opens its socket."""
    return {
        "client_id": client_id, "tab_id": str(uuid.uuid4()), "document_id": str(uuid.uuid4()),
        "next_message_id": "0", "implicit_handshake": "true",
    }  # fmt: skip


def event(name: str, payload: dict[str, Any]) -> str:
    """An event as Socket.IO writes it."""
    return f"42{json.dumps([name, payload])}"


def heard(opened: ClientConnection, *, within_s: float, patience_s: float = 60.0) -> Iterator[str]:
    """What the server says until it is silent for this long; answers its pings. Ends when it hangs up, or with patience."""
    until = time.monotonic() + patience_s  # pings come for ever
    try:
        while (left := until - time.monotonic()) > 0:
            said = opened.recv(timeout=min(within_s, left))
            if said == "2":
                opened.send("3")
            yield said if isinstance(said, str) else said.decode("utf-8", "replace")
    except (TimeoutError, ConnectionClosed):
        return
