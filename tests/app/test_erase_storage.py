"""What NiceGUI keeps for each browser, in the memory of the application, obeys an erasure too."""

import asyncio
from types import SimpleNamespace

import nicegui

from app.components import browser_storage
from engine.erase import erased
from engine.erase.redact import terms_of


class Pages:
    """As much of the state of the pages as is followed."""

    def __init__(self, data):
        from engine import build_settings

        self.archive = SimpleNamespace(settings=build_settings(data))
        self.stopping = asyncio.Event()


async def test_searches_kept_by_browsers_are_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(browser_storage, "LOOK_S", 0.02)
    kept = {"searches": [{"q": "auteur:plume frein"}], "theme": "dark"}
    monkeypatch.setitem(nicegui.app.storage._users, "x", kept)
    pages = Pages(tmp_path)
    following = asyncio.create_task(browser_storage.follow_erasures(pages))
    await asyncio.sleep(0.1)
    found = erased.Erased().keyed()
    terms = terms_of("plume", found, "anon1")
    erased.save(tmp_path, found.with_more(
        terms=terms, members={}, posts=(), places=(), topics=(), quotes=(), words=found.words,
    ))  # fmt: skip
    async with asyncio.timeout(10):
        while kept["searches"] != [{"q": "auteur:anon1 frein"}]:
            await asyncio.sleep(0.02)
    assert kept["theme"] == "dark"
    pages.stopping.set()
    await following
