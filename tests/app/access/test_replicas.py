"""A replica as people see it: it follows its primary, and says in French when it can't."""

import html
import re
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from nicegui import core
from nicegui.storage import Storage

from app import health
from app.access import Access, Role, access_published, opened, passphrases
from app.access.access_published import FILE, Published
from app.access.roles import ENTER
from app.access.shared_keys import SharedKeys
from app.errors import AccessElsewhere, AccessFileRefused
from app.messages import message
from app.settings import AppSettings
from app.shared_secret import Secret
from app.state import State
from engine import build_settings
from tests.app.access import inside
from tests.app.access.inside import ask
from tests.app.access.visitor import MODERATOR, READER
from tests.app.job_sources import until
from tests.factories import WORD_MODELS

pytestmark = pytest.mark.several

TEXT = "s" * 64
SECRET, OTHER = Secret(TEXT.encode()), Secret(b"o" * 64)


@pytest.fixture(scope="module", autouse=True)
def storage():
    with tempfile.TemporaryDirectory() as folder:
        Storage.path = Path(folder)
        core.app.storage = Storage()
        yield


@pytest.fixture(scope="module")
def hashes():
    return {Role.READER: passphrases.hashed(READER), Role.MODERATOR: passphrases.hashed(MODERATOR)}


@pytest.fixture
def app(tmp_path):
    (tmp_path / "secret").write_text(TEXT)
    return AppSettings(shared_secret=tmp_path / "secret", replica_of=str(tmp_path / "snapshots"))


@pytest.fixture
def state(app, tmp_path):
    replica = State(app, build_settings(tmp_path / "data"), models=WORD_MODELS)
    yield replica
    replica.close()


def told(hashes, *, secret=SECRET, version=1, epoch="", ended=None):
    return access_published.sealed(Published(version, epoch, hashes, ended or {}), secret)


async def enter(phrase):
    return await ask(ENTER, "POST", data={"phrase": phrase, "vers": "/"})


async def test_once_it_heard_people_come_in_with_the_passphrases_of_the_primary(state, hashes):
    async with inside.served(state):
        assert (await enter(READER)).status_code == 403
        assert state.access.take(told(hashes)) and not state.access.notice()
        answer = await enter(READER)
        assert answer.status_code == 303
        token = answer.cookies["archiviste"]
        signed = SharedKeys(state.engine.data.parent / "primary", SECRET)
        with closing(signed):  # the primary, which never saw this session
            assert signed.known(token)
        assert (await ask("/a-propos", cookie=f"archiviste={token}")).status_code == 200
        assert state.access.take(told(hashes, version=2, epoch="all ended"))
        assert (await ask("/a-propos", cookie=f"archiviste={token}")).status_code == 303


async def test_with_another_secret_it_lets_nobody_in_and_says_why(state, hashes):
    said = message(AccessFileRefused(reason="secret"))
    assert not state.access.take(told(hashes, secret=OTHER))
    async with inside.served(state):
        health.register(state)
        ready = await ask("/pret")
        assert ready.status_code == 503 and said in ready.text
        assert said in _unescaped((await ask(f"{ENTER}?essai=1")).text)
        refused = await enter(READER)
        assert refused.status_code == 403 and said in _unescaped(refused.text)
    assert said in state.notices()


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "damaged"), (b'{"kind": "archiviste-acc', "damaged"), ("other", "secret"), ("older", "older")],
)
async def test_what_it_held_goes_on_when_the_next_cannot_be_taken(state, hashes, caplog, content, reason):
    assert state.access.take(told(hashes, version=5))
    content = {"other": told({}, secret=OTHER, version=9), "older": told({}, version=4)}.get(content, content)
    for _look in range(3):
        assert not state.access.take(content)
    assert len([record for record in caplog.records if "refused" in record.message]) == 1  # not at each look
    assert state.access.waits() == "" and state.access.notice() == message(AccessFileRefused(reason=reason))
    async with inside.served(state):
        assert (await enter(READER)).status_code == 303
    assert state.access.take(told(hashes, version=6)) and state.access.notice() == ""


async def test_the_theme_follows_a_browser_from_one_server_to_the_next(state, hashes):
    state.access.take(told(hashes))
    async with inside.served(state):
        cookie = f"archiviste={(await enter(READER)).cookies['archiviste']}"
        for chosen, seen in (("dark", "dark"), ("light", "light"), ("x';alert(1)", "auto")):
            page = (await ask("/a-propos", cookie=f"{cookie}; theme={chosen}")).text
            assert f"dataset.theme = '{seen}'" in _unescaped(page) and "alert(1)" not in page


async def test_its_page_of_access_says_where_that_is_seen_to(state, hashes):
    state.access.take(told(hashes))
    async with inside.served(state):
        cookie = f"archiviste={(await enter(MODERATOR)).cookies['archiviste']}"
        page = _unescaped((await ask("/reglages/acces", cookie=cookie)).text)
        assert message(AccessElsewhere()) in page and "reader_again" not in page
        form = {"reader": "a" * 12, "reader_again": "a" * 12}
        await ask("/reglages/acces/phrases", "POST", cookie=cookie, data=form)
        assert state.access.keys.passphrases() == hashes


def test_what_it_took_is_held_by_the_next_process(app, tmp_path, hashes):
    with closing(Access(app, tmp_path)) as access:
        access.take(told(hashes, version=7, ended={"x": 2**40}))
    with closing(Access(app, tmp_path)) as access:
        assert access.waits() == "" and access.keys.passphrases() == hashes
        assert not access.take(told({}, version=6)) and access.keys.passphrases() == hashes


def test_a_server_that_is_no_replica_takes_nothing(tmp_path, hashes):
    with closing(Access(AppSettings(), tmp_path)) as access:
        assert not access.take(told(hashes)) and access.keys.passphrases() == {}
        assert access.notice() == "" and not access.is_elsewhere and not access.is_guarded()


def test_a_primary_publishes_when_it_starts_and_puts_right_what_was_changed(app, tmp_path, hashes, monkeypatch):
    monkeypatch.setattr(opened, "LOOK_S", 0.05)
    folder = tmp_path / "snapshots"
    primary = AppSettings(shared_secret=app.shared_secret, snapshots=folder)
    with closing(Access(AppSettings(), tmp_path)) as alone:  # before the setting was made
        for role, kept in hashes.items():
            alone.keys.set_passphrase(role, kept)

    def lies():
        try:
            return access_published.read((folder / FILE).read_bytes(), SECRET).passphrases == hashes
        except (OSError, AccessFileRefused):
            return False

    with closing(Access(primary, tmp_path)) as access:
        access.keep_published()
        until(lies, within_s=5)
        (folder / FILE).write_bytes(b"{")
        until(lies, within_s=5)
    with closing(Access(app, tmp_path / "replica")) as replica:
        assert replica.take((folder / FILE).read_bytes()) and replica.keys.passphrases() == hashes


def _unescaped(page):
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), html.unescape(page))
