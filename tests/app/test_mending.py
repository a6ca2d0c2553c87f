"""What the start puts right by itself: only what can be made again, kept under another name, and nobody's open files."""

import sqlite3
from contextlib import closing

import pytest

from app import i18n, locks, mending
from app.access.keys import Keys
from app.access.roles import Role
from app.jobs import Jobs, worker_lock
from tests.factories import forum, save
from tests.faults.ground import posts_hash, spoil_pages


@pytest.fixture
def data(tmp_path):
    i18n.use("en")
    save(tmp_path, forum())
    Jobs(tmp_path).close()
    yield tmp_path
    i18n.use("fr")


def test_nothing_is_touched_where_all_is_sound(data):
    before = sorted(data.iterdir())
    assert mending.at_start(data) == ()
    assert sorted(data.iterdir()) == before


def test_a_damaged_table_of_tasks_is_kept_aside_and_another_begins(data):
    spoil_pages(data / "app.db")
    spoilt = (data / "app.db").read_bytes()
    (said,) = mending.at_start(data)
    (aside,) = data.glob("app.db.*.damaged")
    assert aside.name in said and aside.read_bytes() == spoilt
    with closing(Jobs(data)) as jobs:
        assert jobs.recent() == ()


def test_passphrases_that_can_still_be_read_hold_on(data):
    with closing(Keys(data)) as keys:
        keys.set_passphrase(Role.MODERATOR, "empreinte")
    with closing(sqlite3.connect(data / "app.db")) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'questions'").fetchone()
    with (data / "app.db").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 4096)
    assert len(mending.at_start(data)) == 1
    with closing(Keys(data)) as keys:
        assert keys.passphrases() == {Role.MODERATOR: "empreinte"}


def test_whoever_works_with_the_files_keeps_them(data):
    (data / "queue.db").write_bytes(b"rien" * 5000)
    with locks.hold(worker_lock(data)):
        assert mending.at_start(data) == ()
    assert (data / "queue.db").read_bytes() == b"rien" * 5000
    assert len(mending.at_start(data)) == 1


def test_the_messages_are_never_put_aside(data):
    before = posts_hash(data)
    spoil_pages(data / "archive.db", after=6)
    spoilt = (data / "archive.db").read_bytes()
    assert mending.at_start(data) == ()
    assert (data / "archive.db").read_bytes() == spoilt and len(before) == 64
