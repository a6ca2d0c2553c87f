"""The page that closes the application: what it says before, and that a press of its button is the end."""

import asyncio
from contextlib import closing

import nicegui
import pytest

from app.i18n import gettext as _
from app.job_states import Event, Kind, Work
from app.jobs import Jobs
from app.settings import AppSettings
from app.state import State
from app.theme import QUIT
from engine import build_settings
from tests.app.looking import arrive, button, seen, trigger
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, save

DEADLINE_S = 10.0


@pytest.fixture
def state(tmp_path):
    save(tmp_path, forum())
    opened = State(AppSettings(), build_settings(tmp_path), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


def under_way():
    return _("A task is under way: it stops, and goes on the next time Archiviste opens.")


async def test_a_press_of_its_button_ends_the_server_once_the_browser_has_heard_of_it(user, monkeypatch):
    ended = asyncio.Event()
    monkeypatch.setattr(nicegui.app, "shutdown", ended.set)  # it would end this process
    await arrive(user, QUIT)
    assert under_way() not in seen(user)
    trigger(button(user, _("Quit Archiviste")), "click")
    assert not ended.is_set()
    assert _("Archiviste is closed") in seen(user)
    async with asyncio.timeout(DEADLINE_S):
        await ended.wait()


async def test_a_job_under_way_is_told_and_only_while_it_is(user, state):
    with closing(Jobs(state.engine.data)) as jobs:
        job = jobs.create(Work(Kind.INDEX))
        await arrive(user, QUIT)
        assert under_way() not in seen(user)  # it only waits: nothing of it can be lost
        with jobs.claim(job.id):
            await arrive(user, QUIT)
            assert under_way() in seen(user)
            jobs.happen(job.id, Event.COMPLETE)
        await arrive(user, QUIT)
        assert under_way() not in seen(user)


async def test_a_reader_is_not_let_to_it(user, state, monkeypatch):
    ended = asyncio.Event()
    monkeypatch.setattr(nicegui.app, "shutdown", ended.set)
    await arrive(user, QUIT)
    pressed = button(user, _("Quit Archiviste"))
    monkeypatch.setattr(state, "may", lambda action: False)  # sent away since the page was opened
    trigger(pressed, "click")
    await asyncio.sleep(0.7)
    assert not ended.is_set()
