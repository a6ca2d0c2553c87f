"""The page of access: choosing the passphrases on this machine, changing them later, and who is shown to be in."""

import tempfile
from pathlib import Path

import pytest
from nicegui import core
from nicegui.storage import Storage

from app.access import Role
from app.access.passphrases import owner
from app.settings import AppSettings
from app.state import State
from engine import build_settings
from tests.app.access import inside
from tests.app.access.inside import ask
from tests.app.access.visitor import MODERATOR, READER
from tests.factories import SITE, save

PHRASES = "/reglages/acces/phrases"


@pytest.fixture(scope="module", autouse=True)
def storage():
    """NiceGUI's files go to a temporary folder, not to the working directory."""
    with tempfile.TemporaryDirectory() as folder:
        Storage.path = Path(folder)
        core.app.storage = Storage()
        yield


@pytest.fixture
async def access(tmp_path):
    save(tmp_path, [SITE])
    state = State(AppSettings(), build_settings(tmp_path))
    async with inside.served(state):
        yield state.access
    state.close()


def typed(reader="", moderator="", **others):
    return {"reader": reader, "reader_again": reader, "moderator": moderator, "moderator_again": moderator, **others}


def cookie_of(answer):
    return next(one for one in answer.headers.get_list("set-cookie") if one.startswith("archiviste=")).partition(";")[0]


async def test_whoever_sits_at_the_machine_chooses_and_stays_in(access):
    assert not access.is_guarded()
    chosen = await ask(PHRASES, "POST", data=typed(READER, MODERATOR))
    assert chosen.headers["location"].endswith("dit=fait") and access.is_guarded()
    page = await ask("/reglages/acces?dit=fait", cookie=cookie_of(chosen))
    assert page.status_code == 200 and "192.0.2.9" in page.text
    assert (await ask("/reglages/acces")).status_code == 303
    assert READER not in page.text and MODERATOR not in page.text


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        (typed(READER), "both"),
        (typed(READER, READER), "same"),
        (typed("court", MODERATOR), "short"),
        (typed(READER, "x" * 201), "long"),
        (typed(READER, MODERATOR, moderator_again="autre chose"), "differs"),
        (typed(), "both"),
        ({}, "both"),
    ],
)
async def test_what_can_not_be_is_said_and_changes_nothing(access, form, reason):
    answer = await ask(PHRASES, "POST", data=form)
    assert answer.headers["location"] == f"/reglages/acces?dit={reason}"
    assert access.keys.passphrases() == {} and "archiviste=" not in str(answer.headers)
    assert (await ask(answer.headers["location"])).status_code == 200


async def test_one_is_changed_alone_and_its_sessions_end(access):
    moderator = cookie_of(await ask(PHRASES, "POST", data=typed(READER, MODERATOR)))
    reader = cookie_of(await ask("/entrer", "POST", data={"phrase": READER}))
    new = "une toute autre phrase"
    await ask(PHRASES, "POST", cookie=moderator, data=typed(new))
    assert owner(new, access.keys.passphrases()) is Role.READER
    assert owner(MODERATOR, access.keys.passphrases()) is Role.MODERATOR
    assert (await ask("/", cookie=reader)).status_code == 303
    assert (await ask("/reglages/acces", cookie=moderator)).status_code == 200


async def test_another_session_takes_the_place_of_the_one_before(access):
    await ask(PHRASES, "POST", data=typed(READER, MODERATOR))
    reader = cookie_of(await ask("/entrer", "POST", data={"phrase": READER}))
    moderator = cookie_of(await ask("/entrer", "POST", cookie=reader, data={"phrase": MODERATOR}))
    assert (await ask("/", cookie=reader)).status_code == 303
    assert (await ask("/archive", cookie=moderator)).status_code != 303
