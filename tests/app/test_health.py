"""/sante and /pret: whether the server lives, and whether people should be led to it; neither begins a session."""

import asyncio
import logging
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import nicegui
import pytest
from nicegui import core
from nicegui.storage import Storage

from app import health
from app.access import Role, access_published
from app.i18n import gettext as _
from app.settings import AppSettings
from app.shared_secret import read
from app.state import State
from engine import build_index, build_settings
from tests.app.access import inside
from tests.app.access.inside import ask
from tests.factories import WORD_MODELS, forum, save

pytestmark = pytest.mark.several

SECRET = "s" * 64


@pytest.fixture(scope="module", autouse=True)
def storage():
    with tempfile.TemporaryDirectory() as folder:
        Storage.path = Path(folder)
        core.app.storage = Storage()
        yield


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Data folders of two topics: indexed, and not."""
    made = {}
    for indexed in (True, False):
        settings = build_settings(tmp_path_factory.mktemp("health"))
        save(settings.data, forum())
        if indexed:
            build_index(settings, WORD_MODELS)
        made[indexed] = settings.data
    return made


@pytest.fixture
def opened(archives, tmp_path):
    """A state over a copy of one of them; closed at the end."""
    states = []

    def open_state(app=None, *, indexed=True):
        shutil.copytree(archives[indexed], tmp_path / "data")
        settings = build_settings(tmp_path / "data")
        states.append(State(app or AppSettings(), settings, models=WORD_MODELS))
        return states[-1]

    yield open_state
    for state in states:
        state.close()


async def asked(state, *paths):
    """The status and the words of each address, once /pret no longer answers from its memory."""
    async with inside.served(state):
        health.register(state)
        answers = [await ask(path) for path in paths]
        for answer in answers:
            assert "set-cookie" not in answer.headers and answer.headers["cache-control"] == "no-store"
        assert not core.app.storage._users  # no poll begins a visit
        return [(answer.status_code, answer.text.strip()) for answer in answers]


async def until_ready(state, *, within_s=10):
    async with inside.served(state):
        health.register(state)
        deadline = time.monotonic() + within_s
        while (answer := await ask("/pret")).status_code != 200:
            assert time.monotonic() < deadline, answer.text
            await asyncio.sleep(0.1)
        return answer.text.strip()


async def test_a_server_lives_as_soon_as_it_serves_and_is_ready_once_its_index_is_open(opened):
    state = opened()
    state.access.keys.set_passphrase(Role.READER, "hash")  # nobody without a session sees a page
    assert await asked(state, "/sante", "/pret") == [(200, _("alive")), (503, _("The index is not open yet."))]
    assert await until_ready(state) == _("ready")  # nobody has searched: it was opened for it


async def test_without_an_index_it_lives_and_is_not_ready(opened):
    assert await asked(opened(indexed=False), "/sante", "/pret") == [
        (200, _("alive")), (503, _("The index is not open yet.")),
    ]  # fmt: skip


async def test_it_is_not_ready_from_the_moment_it_is_told_to_stop(opened):
    state = opened()
    await until_ready(state)
    state.leaving.set()
    assert await asked(state, "/pret", "/sante") == [(503, _("This server is stopping.")), (200, _("alive"))]


async def test_others_may_say_why_not_yet(opened):
    state, said = opened(), ["Aucun instantané."]
    state.ready_when.append(lambda: said[0])
    assert await asked(state, "/pret") == [(503, "Aucun instantané.")]
    said[0] = ""
    assert await until_ready(state) == _("ready")


async def test_a_damaged_archive_is_no_place_to_lead_people_to(opened):
    state = opened()
    state.archive.store.close()
    path = state.engine.data / "archive.db"
    for one in path.parent.glob("archive.db*"):
        one.write_bytes(b"no database" * 1000)
    assert await asked(state, "/pret") == [(503, _("The archive can’t be read."))]


async def test_a_replica_waits_for_the_passphrases_of_its_primary(opened, tmp_path):
    path = tmp_path / "secret"
    path.write_text(SECRET)
    state = opened(AppSettings(shared_secret=path, replica_of=str(tmp_path / "snapshots")))
    missing = _("The passphrases have not come from the main server yet.")
    assert await asked(state, "/pret") == [(503, missing)]
    async with inside.served(state):
        assert missing in (await ask("/entrer?essai=1")).text
    told = access_published.Published(1, "", {Role.READER: "hash"}, {})
    assert state.access.take(access_published.sealed(told, read(path)))
    assert state.access.waits() == ""


async def test_polls_leave_nothing_in_the_log_and_look_once_a_second(opened, caplog):
    state, looks = opened(), []
    await until_ready(state)
    state.ready_when.append(lambda: looks.append(1) or "")
    caplog.set_level(logging.DEBUG, "app")
    caplog.clear()
    assert await asked(state, *["/pret", "/sante"] * 20) == [(200, _("ready")), (200, _("alive"))] * 20
    assert len(looks) <= 3 and [record for record in caplog.records if record.name.startswith("app")] == []


async def test_only_asking_is_answered_and_only_under_our_names(opened):
    state = opened()
    state.access.keys.set_passphrase(Role.READER, "hash")
    async with inside.served(state):
        health.register(state)
        assert (await ask("/sante", "HEAD")).status_code == 200
        for method in ("POST", "PUT", "DELETE"):
            assert (await ask("/sante", method)).status_code in (404, 405)
        assert (await ask("/sante/x")).status_code != 200
        # A name that is not ours: DNS rebinding finds nothing here either.
        transport = httpx.ASGITransport(nicegui.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://evil.example") as http:
            assert (await http.get("/sante")).status_code == 403


def test_without_their_settings_nothing_more_is_loaded():
    code = (
        "import sys, app.beside, app.serve, app.access, app.access_command, app.pages;"
        "print({'cryptography.fernet', 'prometheus_client'} & set(sys.modules), 'app.draining' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set() False"
