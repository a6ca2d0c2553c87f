"""Every route and every event handler of the application, asked by a moderator, a reader, and nobody.

Made from what is registered: a page that is added tomorrow is asked too.
"""

import asyncio
import json
import re
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import nicegui
import pytest
from nicegui import Client, core
from nicegui.storage import Storage
from starlette.routing import Mount, Route

from app.access import Role
from app.access.keys import digest
from app.access.roles import SOCKET, needed
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from tests.app.access import inside
from tests.app.access.inside import HOST, ask
from tests.app.access.visitor import handshake

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "ODD")
SAMPLES = {"topic": "101", "first": "101", "second": "1", "topic_id": "101", "key": "x", "path": "x"}


@pytest.fixture(scope="module", autouse=True)
def storage():
    """NiceGUI's files go to a temporary folder, not to the working directory."""
    with tempfile.TemporaryDirectory() as folder:
        Storage.path = Path(folder)
        core.app.storage = Storage()
        yield


@pytest.fixture(scope="module")
def state(demo_data):
    opened = State(AppSettings(), build_settings(demo_data))
    for role in (Role.READER, Role.MODERATOR):
        opened.access.keys.set_passphrase(role, f"hash of {role.name}")
    yield opened
    opened.access.keys.clear()  # the demo is other tests' too
    opened.close()


@pytest.fixture
async def served(state):
    async with inside.served(state) as opened:
        yield opened


def session(state, role):
    """The cookie of a session of its own, since some routes end the one that asks."""
    if role is Role.NOBODY:
        return ""
    token = state.access.keys.open_session(role, f"hash of {role.name}", timedelta(hours=1), address="192.0.2.9")
    return f"archiviste={token}"


def addresses():
    """An address of each route."""
    for route in nicegui.app.routes:
        if isinstance(route, Mount):
            yield f"{route.path}/x"
        elif isinstance(route, Route):
            yield re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: SAMPLES.get(found[1], "1"), route.path)


def is_refused(answer):
    return answer.status_code in (401, 403) or (
        answer.status_code == 303 and answer.headers["location"].startswith("/entrer")
    )


async def test_each_route_is_for_those_that_were_decided(served):
    """Said a second time here, in other words: a slip in roles.py must not move both."""
    moderators = re.compile(r"/(archive|mesures|reglages|bienvenue)(/|$)|/_nicegui/(client|auto)/")
    for path in addresses():
        if moderators.match(path):
            assert needed(path) is Role.MODERATOR, path
        elif path in ("/entrer", "/sortir", "/favicon.ico") or path.startswith(("/assets/css/", "/assets/icons/")):
            assert needed(path) is Role.NOBODY, path
        else:
            assert needed(path) is Role.READER, path


async def test_no_route_answers_whom_it_should_not(served):
    asked, cookies = 0, {role: session(served, role) for role in Role}
    for path in addresses():
        for role in Role:
            if role >= needed(path):
                continue
            for method in METHODS:
                answer = await ask(path, method, cookie=cookies[role])
                assert is_refused(answer), (path, role, method, answer.status_code)
                assert "session" not in answer.headers.get("set-cookie", ""), path  # nothing of ours is begun for them
                asked += 1
    assert asked > 200


async def test_every_route_answers_whom_it_should(served):
    for path in addresses():
        if path.startswith(SOCKET):
            continue
        for role in Role:
            if role >= needed(path) and path != "/sortir":
                answer = await ask(path, cookie=session(served, role))
                refused = is_refused(answer) and not (path == "/entrer" and role is Role.NOBODY)
                assert not refused and answer.status_code < 500, (path, role, answer.status_code)
                assert answer.headers["x-content-type-options"] == "nosniff", path
                assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], path


async def test_a_route_that_nobody_thought_of_is_not_for_all(served):
    nicegui.app.add_api_route("/nouvelle-route", lambda: "secret")
    try:
        assert is_refused(await ask("/nouvelle-route"))
        assert (await ask("/nouvelle-route", cookie=session(served, Role.READER))).text == '"secret"'
    finally:
        nicegui.app.remove_route("/nouvelle-route")


# --- events -----------------------------------------------------------------------------------


class Line:
    """A websocket of the application, byte by byte."""

    def __init__(self, cookie, client_id=""):
        self.said, self.heard, self.asked = asyncio.Queue(), [], 0
        query = {"EIO": "4", "transport": "websocket", **(handshake(client_id) if client_id else {})}
        self.scope = {
            "type": "websocket", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "ws", "root_path": "",
            "path": f"{SOCKET}/socket.io/", "raw_path": f"{SOCKET}/socket.io/".encode(), "subprotocols": [],
            "query_string": urlencode(query).encode(), "client": ("192.0.2.9", 1), "server": ("127.0.0.1", 8080),
            "headers": [
                (b"host", HOST.encode()), (b"origin", f"http://{HOST}".encode()), (b"cookie", cookie.encode()),
                (b"connection", b"Upgrade"), (b"upgrade", b"websocket"),
            ],
        }  # fmt: skip

    async def __aenter__(self):
        self.said.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(nicegui.app(self.scope, self.said.get, self._hear))
        await self._until(lambda: self.texts("0{") or self.is_closed)
        if not self.is_closed:
            self.say("40")
            await self._until(lambda: self.texts("40{") or self.is_closed)
        return self

    async def __aexit__(self, *_exc):
        self.said.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(self.task, 5)

    async def _hear(self, message):
        self.heard.append(message)

    def say(self, text):
        self.said.put_nowait({"type": "websocket.receive", "text": text})

    async def all_done(self):
        """What was said has been obeyed, or not: the server answers to an event that comes after it."""
        self.asked += 1
        nothing = {"client_id": "", "level": "debug", "message": ""}
        self.say(f"42{self.asked}{json.dumps(['log', nothing])}")
        await self._until(lambda: self.texts(f"43{self.asked}[") or self.is_closed)

    async def _until(self, true):
        deadline = time.monotonic() + 10
        while not true():
            assert time.monotonic() < deadline, "too late"
            await asyncio.sleep(0.002)

    def texts(self, start):
        return [one["text"] for one in self.heard if (one.get("text") or "").startswith(start)]

    @property
    def is_closed(self):
        return any(message["type"] == "websocket.close" for message in self.heard)

    @property
    def code(self):
        return next((message.get("code") for message in self.heard if message["type"] == "websocket.close"), None)


@pytest.fixture
def reached(monkeypatch):
    """The events that NiceGUI was about to give to a handler: they are counted, not obeyed."""
    found = []
    monkeypatch.setattr(Client, "handle_event", lambda client, message: found.append(message))
    return found


def events_of(client_id):
    """An event for each listener of a page."""
    for element in list(Client.instances[client_id].elements.values()):
        for listener in element._event_listeners.values():
            yield {"id": element.id, "client_id": client_id, "listener_id": listener.id, "args": []}


async def test_no_handler_of_any_page_obeys_whom_it_should_not(served, reached):
    handlers = 0
    for path in addresses():
        role = needed(path)
        mine = session(served, max(role, Role.READER))
        answer = await ask(path, cookie=mine)
        found = re.search(r"'client_id': '([0-9a-f-]{36})'", answer.text)
        if not found or answer.status_code != 200:
            continue  # no page of NiceGUI, or that of what is not there, of which one is enough
        events = list(events_of(found[1]))
        async with Line("", found[1]) as line:
            assert line.code == 1008, path
        for stranger in (session(served, Role.READER), session(served, Role.MODERATOR)):
            async with Line(stranger) as line:
                line.say(f"42{json.dumps(['handshake', handshake(found[1])])}")
                await _all(line, events)
                assert not line.is_closed and not line.texts('42["update"'), path
            assert not reached, (path, reached)
        async with Line(mine, found[1]) as line:
            await _all(line, events)
            assert len(reached) == len(events), (path, len(reached))
            reached.clear()
            served.access.keys.end(_number(served, mine))
            await _all(line, events)
            assert line.code == 1008
        assert not reached, (path, reached)
        handlers += len(events)
    assert handlers >= 15


async def _all(line, events):
    for one in events:
        line.say(f"42{json.dumps(['event', one])}")
    await line.all_done()


def _number(state, cookie):
    return state.access.keys.find(digest(cookie.partition("=")[2])).id


async def test_every_event_of_the_socket_is_bound_to_its_page(served):
    """Whatever its name: an event that a later NiceGUI adds is checked as well."""
    unchecked = [
        name for name, handler in core.sio.handlers["/"].items()
        if name != "disconnect" and not hasattr(handler, "unchecked")
    ]  # fmt: skip
    assert unchecked == [] and {"event", "handshake", "javascript_response", "ack", "log"} <= set(
        core.sio.handlers["/"]
    )


async def test_what_the_server_says_by_itself_stops_with_the_session(served, reached):
    mine = session(served, Role.READER)
    client_id = re.search(r"'client_id': '([0-9a-f-]{36})'", (await ask("/", cookie=mine)).text)[1]
    async with Line(mine, client_id) as line:
        served.access.keys.end(_number(served, mine))
        before = len(line.heard)
        with Client.instances[client_id]:
            nicegui.ui.label("un message de l’archive")
        deadline = time.monotonic() + 5  # the server looks at what it has to say now and then
        while not line.code and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        assert line.code == 1008
        assert not any("un message" in str(message) for message in line.heard[before:])
