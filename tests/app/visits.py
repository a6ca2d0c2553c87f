"""A visitor of the pages, without a browser: what NiceGUI's own fixture does, and all that a page says."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path
from uuid import uuid4

from httpx import Response
from nicegui import Client, core, ui
from nicegui.element import Element
from nicegui.nicegui import _on_handshake
from nicegui.storage import Storage
from nicegui.testing import User
from nicegui.testing.user_simulation import user_simulation

from app import i18n, pages
from app.state import State

# Attributes that are shown or read out, and those of ours whose sentence a script shows later.
SPOKEN = frozenset({
    "aria-label", "title", "placeholder", "alt", "label", "caption", "aria-valuetext", "aria-description",
    "data-said", "data-copied", "data-not-copied", "data-number",
})  # fmt: skip
LITERAL = frozenset({"code", "kbd", "pre", "samp"})  # what is typed as it stands
_UNSEEN = frozenset({"script", "style"})
_CLIENT = re.compile(r"'client_id': '([0-9a-f-]+)'")
DEADLINE_S = 20.0
STILL = 6  # turns of the loop without a change


@asynccontextmanager
async def visiting(state: State, language: str = "fr") -> AsyncIterator[User]:
    """Somebody to whom the pages of this archive are open."""
    i18n.use(language)
    with tempfile.TemporaryDirectory() as folder:  # else NiceGUI writes to the working directory
        Storage.path = Path(folder)
        core.app.storage = Storage()
        async with user_simulation() as user:
            pages.register(state)
            yield user
            # Otherwise NiceGUI takes our packages out of sys.modules, under the feet of the other tests.
            Client.page_routes.clear()
    i18n.use("fr")


async def all_said(user: User, address: str) -> list[tuple[str, str]]:
    """(where, what) of everything that the page at an address says once it has settled, hidden or not."""
    answer = await user.http_client.get(address, follow_redirects=True)
    assert answer.status_code in (200, 404), (address, answer.status_code)
    client = _client(answer)
    if client is None:  # a plain document
        return [(address, text) for text in Texts(answer.text).said if text.strip()]
    # As a browser does once the page is there; `User.open` does it too, but wants a 200.
    await _on_handshake(f"test-{uuid4()}", {"client_id": client.id, "tab_id": user.tab_id, "document_id": str(uuid4())})
    await _settled(client)
    said = [("the title", client.title or "")]
    for element in client.elements.values():
        if element.tag in LITERAL or _speaks_another_language(element):
            continue
        where = f"<{element.tag} class='{' '.join(element.classes)}'>"
        said.append((where, getattr(element, "text", None) or ""))
        if isinstance(element, ui.html):
            said += [(where, text) for text in Texts(element.content).said]
        said += [
            (f"{where} {name}", value)
            for name, value in element.props.items() if isinstance(value, str) and name in SPOKEN
        ]  # fmt: skip
    return [(where, text) for where, text in said if text.strip()]


class Texts(HTMLParser):
    """The texts of an HTML, and the attributes that are read out."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append(tag)
        self.said += [value for name, value in attrs if name in SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not (LITERAL | _UNSEEN).intersection(self._open):
            self.said.append(data)


def _speaks_another_language(element: Element) -> bool:
    """Whether it stands in a part that says so, as the changelog does."""
    return any("lang" in holder.props for holder in (element, *element.ancestors()))


def _client(answer: Response) -> Client | None:
    found = _CLIENT.search(answer.text)
    return Client.instances[found.group(1)] if found else None


async def _settled(client: Client) -> None:
    """Once what the page was waiting for has come: nothing has changed for some turns of the loop."""
    before, still = "", 0
    async with asyncio.timeout(DEADLINE_S):
        while still < STILL:
            now = repr([(id_, getattr(e, "text", ""), e.visible) for id_, e in client.elements.items()])
            busy = any(e.props.get("aria-busy") == "true" for e in client.elements.values())
            still = still + 1 if now == before and not busy else 0
            before = now
            await asyncio.sleep(0.02)
