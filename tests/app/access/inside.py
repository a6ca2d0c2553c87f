"""The whole application as the server runs it, in this process and without a port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import nicegui
from nicegui import Client, core
from nicegui.testing.user_simulation import user_simulation
from starlette.types import ASGIApp

from app import i18n, pages
from app.access import guard
from app.state import State

HOST = "127.0.0.1:8080"


@asynccontextmanager
async def served(state: State, around: Callable[[ASGIApp], ASGIApp] = lambda app: app) -> AsyncIterator[State]:
    """The pages of a state behind the guard; NiceGUI is as before when the block ends."""
    i18n.use("fr")
    handlers = dict(core.sio.handlers["/"])
    async with user_simulation():
        pages.register(state)
        guard.install(state.access, around=around)
        yield state
        Client.page_routes.clear()
    core.sio.handlers["/"] = handlers
    vars(nicegui.app).pop("build_middleware_stack")


async def ask(path: str, method: str = "GET", *, cookie: str = "", **sent: object) -> httpx.Response:
    """What the application answers to one request."""
    transport = httpx.ASGITransport(nicegui.app, client=("192.0.2.9", 1), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as http:
        return await http.request(method, path, headers={"Cookie": cookie, "Accept": "text/html"}, **sent)
