"""Whether a database is sound, told without touching it."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from engine.doctor import databases
from engine.doctor.findings import Level, Repair
from engine.store import integrity


@pytest.fixture
def path(tmp_path):
    """A database of many pages, with an index."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)")
        db.execute("CREATE INDEX t_text ON t (text)")
        db.executemany("INSERT INTO t (text) VALUES (?)", [(f"mandoline {n} " * 20,) for n in range(2000)])
    return path


def states(path):
    return [databases.check("x", path, quick=quick).state for quick in (True, False)]


def test_a_sound_one_an_absent_one_and_an_empty_one(path, tmp_path):
    assert states(path) == ["sound", "sound"]
    assert states(tmp_path / "none.db") == ["absent", "absent"]
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "empty.db").touch()
    assert states(tmp_path / "empty.db") == ["sound", "sound"]


def test_one_that_was_cut_is_found_quickly(path):
    os.truncate(path, path.stat().st_size // 2)
    found = databases.check("x", path, quick=True, repair=Repair.SET_ASIDE)
    assert (found.state, found.level, found.repair) == ("damaged", Level.ERROR, Repair.SET_ASIDE)
    assert "malformed" in found.figures["reason"]


@pytest.mark.parametrize("content", [b"rien" * 500, b"x", bytes(8192)])
def test_what_is_no_database_is_damaged(path, content):
    path.write_bytes(content)
    assert states(path) == ["damaged", "damaged"]


def test_a_page_in_the_middle_is_found_by_reading_it_all(path):
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    before = path.read_bytes()
    assert states(path) == ["sound", "damaged"]
    assert path.read_bytes() == before


def test_what_cannot_be_read_is_not_called_damaged(tmp_path):
    (tmp_path / "a.db").mkdir()
    assert states(tmp_path / "a.db") == ["unreadable", "unreadable"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_what_a_killed_writer_left_beside_it_is_no_damage(tmp_path):
    code = (
        "import os, signal, sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('PRAGMA journal_mode = WAL');"
        "db.execute('CREATE TABLE t (a)');"
        "db.executemany('INSERT INTO t VALUES (?)', [('x' * 3000,)] * 500); db.commit();"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.db")], check=False)
    assert ended.returncode == -signal.SIGKILL and (tmp_path / "a.db-wal").stat().st_size
    assert states(tmp_path / "a.db") == ["sound", "sound"]


def test_looking_at_a_database_takes_no_lock_away_from_those_who_have_it_open(path):
    """The journal would be removed under them by the next process that closes it."""
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('DELETE FROM t WHERE n = 1'); db.commit()"
    )
    with closing(sqlite3.connect(path)) as held:
        held.execute("PRAGMA journal_mode = WAL")
        held.execute("SELECT COUNT(*) FROM t").fetchone()
        assert states(path) == ["sound", "sound"]
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        assert path.with_name("a.db-wal").exists()
        assert held.execute("SELECT COUNT(*) FROM t").fetchone() == (1999,)


def test_the_sources_of_an_archive_are_read_even_from_a_damaged_one(tmp_path):
    from tests.factories import forum, save

    save(tmp_path, forum(), source="/sauvegardes/forum.tar.gz")
    path = tmp_path / "archive.db"
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'posts'").fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 4096)
    assert databases.check("archive", path, quick=False).state == "damaged"
    assert integrity.sources(path) == ("/sauvegardes/forum.tar.gz",)
    path.write_bytes(b"rien" * 100)
    assert integrity.sources(path) == ()
