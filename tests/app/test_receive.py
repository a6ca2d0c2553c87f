"""Receiving a file: whole or not at all, whoever cuts it and however full the disk is; and by the server's own door."""

import shutil
from collections import namedtuple

import httpx
import nicegui
import pytest
from starlette.requests import ClientDisconnect

from app import receive, received
from app.access import guard
from app.access.roles import RECEIVE
from app.settings import AppSettings
from app.state import State
from engine import DiskFull, build_settings
from tests.app.visits import visiting

Usage = namedtuple("Usage", "total used free")


async def pieces(*parts, then=None):
    for part in parts:
        yield part
    if then is not None:
        raise then


def kept(data):
    folder = data / received.FOLDER
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


async def test_a_file_arrives_whole_whatever_its_pieces(tmp_path):
    parts = [bytes([n]) * 300_000 for n in range(9)]
    path = await receive.write(pieces(*parts), tmp_path, "a.tar.gz", 2_700_000)
    assert path == tmp_path / received.FOLDER / "a.tar.gz"
    assert path.read_bytes() == b"".join(parts)
    assert kept(tmp_path) == ["a.tar.gz"]


@pytest.mark.parametrize("length", [3, 5])
async def test_one_that_is_not_as_long_as_announced_leaves_nothing(tmp_path, length):
    assert await receive.write(pieces(b"abcd"), tmp_path, "a.sql", length) is None
    assert kept(tmp_path) == []


async def test_one_that_is_cut_leaves_nothing(tmp_path):
    with pytest.raises(ClientDisconnect):
        await receive.write(pieces(b"abc", then=ClientDisconnect()), tmp_path, "a.sql", 10)
    assert kept(tmp_path) == []


async def test_a_disk_that_fills_up_on_the_way_leaves_nothing(tmp_path, monkeypatch):
    room = iter([10**9, 10**6, 10**6])
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(0, 0, next(room)))
    monkeypatch.setattr(receive, "LOOKED_AT_EVERY", 1 << 20)
    receive.check_room(tmp_path, 4 << 20)
    with pytest.raises(DiskFull):
        await receive.write(pieces(*[bytes(1 << 20)] * 4), tmp_path, "a.sql", 4 << 20)
    assert kept(tmp_path) == []


# --- through the server -----------------------------------------------------------------------


@pytest.fixture
async def http(tmp_path):
    state = State(AppSettings(), build_settings(tmp_path))
    async with visiting(state):
        guard.install(state.access)
        transport = httpx.ASGITransport(nicegui.app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
            yield client
    vars(nicegui.app).pop("build_middleware_stack")
    state.close()


async def test_more_than_a_form_holds_passes_through_the_door(http, tmp_path):
    body = b"0123456789" * 30_000
    answer = await http.put(f"{RECEIVE}?nom=../mon%20forum.tar.gz", content=body)
    assert (answer.status_code, answer.json()) == (200, {"name": "mon forum.tar.gz"})
    assert (tmp_path / received.FOLDER / "mon forum.tar.gz").read_bytes() == body


async def test_an_empty_file_and_one_too_large_are_refused_in_words(http, tmp_path, monkeypatch):
    empty = await http.put(RECEIVE, content=b"")
    assert empty.status_code == 400 and empty.text
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(0, 0, 10**6))
    full = await http.put(f"{RECEIVE}?nom=a.sql", content=b"x")
    assert full.status_code == 507 and "1" in full.text
    assert kept(tmp_path) == []


async def test_a_page_of_another_site_sends_nothing(http, tmp_path):
    answer = await http.put(f"{RECEIVE}?nom=a.sql", content=b"x", headers={"Origin": "http://mechant.exemple"})
    assert answer.status_code == 403 and kept(tmp_path) == []


async def test_without_the_moderators_passphrase_nothing_is_received(http, tmp_path):
    from app.access import Role
    from app.access.keys import Keys

    keys = Keys(tmp_path)
    for role in (Role.READER, Role.MODERATOR):
        keys.set_passphrase(role, f"hash of {role.name}")
    keys.close()
    answer = await http.put(f"{RECEIVE}?nom=a.sql", content=b"x")
    assert answer.status_code in (401, 403) and kept(tmp_path) == []
