"""The moderators' page of erasures, without a browser."""

import asyncio
import time
from contextlib import closing

import pytest

from app import running
from app.i18n import gettext as _
from app.jobs import Jobs
from app.pages.archive_frame import ERASE
from app.settings import AppSettings
from app.state import State as Pages
from engine import build_settings
from engine.erase import certificate as certificates
from tests.app.looking import arrive, button, seen, shown, trigger
from tests.app.visits import visiting
from tests.engine.erase.conftest import NAME, fill
from tests.factories import WORD_MODELS

DEADLINE_S = 30.0


@pytest.fixture
def state(tmp_path):
    data = fill(tmp_path / "data")
    (data / "app.db").unlink()
    opened = Pages(AppSettings(), build_settings(data), models=WORD_MODELS)
    yield opened
    opened.close()


@pytest.fixture
async def user(state):
    async with visiting(state) as visitor:
        yield visitor


async def sees(user, said):
    ends = time.monotonic() + DEADLINE_S
    while not any(said in text for text in seen(user)):
        assert time.monotonic() < ends, (said, seen(user))
        await asyncio.sleep(0.05)


def field(user, label):
    (found,) = [e for e in shown(user) if e.tag == "input" and e.props.get("aria-label") == label]
    return found


async def test_look_confirm_and_read_the_certificate(user, state):
    await arrive(user, ERASE)
    await sees(user, _("None yet."))
    trigger(button(user, _("See what would be erased")), "click")
    await sees(
        user, _("Say what should be erased: a member’s name, the numbers of messages, or a text. Nothing was changed.")
    )
    trigger(field(user, _("Member’s name")), "change", NAME)
    trigger(field(user, _("Numbers of messages")), "change", "11, n° 31")
    trigger(button(user, _("See what would be erased")), "click")
    await sees(user, _("Messages that go whole"))
    label = _("There is no way back. Type “{word}” to go on:").format(word=_("erase"))
    trigger(button(user, _("Erase for good")), "click")
    await sees(user, _("Type the word first: nothing was erased."))
    assert not (state.engine.data / "erasures").exists()
    trigger(field(user, label), "input", _("erase").upper())
    trigger(button(user, _("Erase for good")), "click")
    await sees(user, _("Erasure"))
    data = state.engine.data
    with closing(Jobs(data)) as jobs:
        ends = time.monotonic() + DEADLINE_S
        while not jobs.recent():
            assert time.monotonic() < ends
            await asyncio.sleep(0.05)
        (job,) = jobs.recent()
        assert NAME not in repr(job)
        await asyncio.to_thread(running.run, jobs, job.id, state.engine, load=lambda _s: WORD_MODELS)
    await sees(user, _("Certificate of erasure"))
    (done,) = certificates.saved(data)
    assert done.clean and done.done["posts_erased"] == 2
    assert not any(NAME in text for text in seen(user))
    assert state.archive.store.posts([11, 22]).keys() == {22}


async def test_what_was_typed_since_is_not_what_goes(user, state):
    await arrive(user, ERASE)
    trigger(field(user, _("Member’s name")), "change", NAME)
    trigger(button(user, _("See what would be erased")), "click")
    await sees(user, _("This would be erased"))
    trigger(field(user, _("Member’s name")), "change", "alice")
    assert _("Erase for good") not in seen(user)


async def test_readers_erase_nothing(user, state, monkeypatch):
    await arrive(user, ERASE)
    monkeypatch.setattr(state, "may", lambda action: False)
    trigger(field(user, _("Member’s name")), "change", NAME)
    trigger(button(user, _("See what would be erased")), "click")
    await asyncio.sleep(0.3)
    assert _("This would be erased") not in seen(user)
