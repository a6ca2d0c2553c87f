"""/instantane/…: the snapshots for who knows the secret, and no other file; nobody else sees that they are there."""

import httpx
import nicegui
import pytest

from app import shared_secret, snapshots
from app.access import Role
from app.settings import AppSettings
from app.state import State
from engine import build_index, build_settings, snapshot
from tests.app.access.inside import HOST, served
from tests.factories import WORD_MODELS, forum, save

pytestmark = pytest.mark.several


@pytest.fixture
async def primary(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef" * 4)
    save(tmp_path / "data", forum())
    engine = build_settings(tmp_path / "data")
    build_index(engine, WORD_MODELS)
    app = AppSettings(snapshots=tmp_path / "snapshots", shared_secret=secret)
    state = State(app, engine, models=WORD_MODELS)
    state.access.keys.set_passphrase(Role.READER, "a hash")
    snapshots.publish(app, engine, app.snapshots)
    (tmp_path / "snapshots" / "notes.json").write_text("{}")
    async with served(state):
        yield state
    state.close()


async def ask(primary, path, token=None, **headers):
    good = shared_secret.read(primary.app.shared_secret).bearer(snapshots.PURPOSE)
    transport = httpx.ASGITransport(nicegui.app, client=("192.0.2.9", 1), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as http:
        sent = {"Authorization": f"Bearer {good if token is None else token}", "Accept-Encoding": "identity", **headers}
        return await http.get(f"/instantane/{path}", headers=sent)


async def test_whoever_knows_the_secret_has_them(primary):
    card, answer = snapshot.current(primary.app.snapshots), await ask(primary, "CURRENT")
    assert answer.status_code == 200 and answer.text.strip() == card.name
    assert (await ask(primary, "CURRENT", **{"If-None-Match": answer.headers["etag"]})).status_code == 304
    assert (await ask(primary, f"{card.name}.json")).json()["generation"] == card.generation
    assert (await ask(primary, "access.json")).status_code == 200
    for file in card.files:
        answer = await ask(primary, f"files/{file.sha256}")
        assert (answer.status_code, len(answer.content)) == (200, file.size)
    part = await ask(primary, f"files/{card.files[0].sha256}", Range="bytes=10-19")
    assert part.status_code == 206 and len(part.content) == 10


@pytest.mark.parametrize("token", ["", "x", "é", "a" * 5000])
async def test_nobody_else_sees_that_they_are_there(primary, token):
    card, encoded = snapshot.current(primary.app.snapshots), token.encode()
    for path in (
        "CURRENT",
        f"{card.name}.json",
        "access.json",
        "nothing",
        f"files/{card.files[0].sha256}",
    ):
        answer = await ask(primary, path, "", Authorization=b"Bearer " + encoded)
        assert (answer.status_code, answer.content) == (404, b"")


async def test_nothing_but_snapshots_is_given(primary):
    for path in (
        *(
            "",
            "files",
            "files/",
            "notes.json",
            "publish.lock",
            "%2e%2e/data/archive.db",
            "/etc/passwd",
            "files//etc/passwd",
        ),
        *("files/..%2f..%2fdata%2farchive.db", "files/" + "a" * 64, "files/%2e%2e/CURRENT"),
    ):
        assert (await ask(primary, path)).status_code == 404, path
