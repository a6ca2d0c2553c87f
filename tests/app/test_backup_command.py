"""The commands `backup` and `restore`: what they print, leave out and refuse, and the archive that comes back."""

import json
import shutil
import sqlite3
import time
from contextlib import closing
from datetime import timedelta

import pytest

from app import backups, cli, i18n, instance, locks
from app.access import keys
from app.job_states import Event, Kind, State, Work
from app.jobs import Jobs, worker_lock
from engine import keeping
from tests.factories import forum, save


@pytest.fixture(autouse=True)
def french_again():
    yield
    i18n.use("fr")


@pytest.fixture
def data(tmp_path):
    save(tmp_path / "archive", forum())
    return tmp_path / "archive"


@pytest.fixture
def run(data, capsys):
    """Runs a command: (status, stdout, stderr)."""

    def call(*argv, folder=data):
        status = cli.run(["--data", str(folder), "--lang", "en", *map(str, argv)], {})
        output = capsys.readouterr()
        assert "Traceback" not in output.out + output.err
        return status, output.out, output.err

    return call


def posts(folder):
    with closing(sqlite3.connect(folder / "archive.db")) as db:
        return db.execute("SELECT * FROM posts ORDER BY id").fetchall()


def test_there_and_back(run, data, tmp_path):
    before = posts(data)
    status, out, err = run("backup", tmp_path / "copie.gz")
    assert status == 0 and out.startswith(f"Backup made: {tmp_path / 'copie.gz'} (") and "12 messages" in out
    assert "same disk" not in err
    status, out, _ = run("restore", tmp_path / "copie.gz", folder=tmp_path / "neuf")
    assert status == 0 and out.startswith("The archive is restored: 12 messages, as on")
    assert "✓ Messages: 12" in out  # the doctor's quick look
    assert posts(tmp_path / "neuf") == before


def test_without_a_place_it_goes_to_a_folder_of_the_archive_that_no_backup_holds(run, data):
    for _ in range(2):
        status, _, err = run("backup")
        assert status == 0 and "copy it to another one" in err
        time.sleep(1.01 - time.time() % 1)  # their names tell the second
    newest, _older = backups.made(data)
    held = {kept.path for kept in keeping.check(backups.find(data, newest.name), schemas={})[1].files}
    assert held == {"archive.db"}
    backups.remove(data, newest.name)
    assert len(backups.made(data)) == 1
    assert backups.find(data, "../archive.db") is None and backups.find(data, newest.name) is None


def test_the_former_archive_is_kept_aside(run, data, tmp_path):
    run("backup", tmp_path / "copie.gz")
    with closing(sqlite3.connect(data / "archive.db")) as db:
        db.execute("DELETE FROM posts WHERE id = 44")
        db.commit()
    status, out, _ = run("restore", tmp_path / "copie.gz")
    (aside,) = tmp_path.glob("archive-avant-*")
    assert status == 0 and f"The former data folder is kept: {aside}." in out
    assert (len(posts(data)), len(posts(aside))) == (12, 11)


def test_json_is_one_document(run, data, tmp_path):
    saved = json.loads(run("backup", tmp_path / "copie.gz", "--json")[1])
    assert (saved["posts"], saved["topics"], saved["title"]) == (12, 4, "Forum d’essai")
    checked = json.loads(run("restore", "--check", tmp_path / "copie.gz", "--json")[1])
    assert {name: saved[name] for name in checked} == checked
    restored = json.loads(run("restore", tmp_path / "copie.gz", "--json")[1])
    assert restored["aside"] and restored["doctor"]["healthy"]


def test_sessions_the_key_of_the_queue_and_tasks_under_way_do_not_come_back(run, data, tmp_path):
    with closing(Jobs(data)) as jobs:
        waiting, done = (jobs.create(Work(kind, ("/s",))) for kind in (Kind.IMPORT, Kind.UPDATE))
        with jobs.claim(done.id):
            jobs.happen(done.id, Event.COMPLETE)
        secret = jobs.meta("queue_secret")
    with closing(keys.Keys(data)) as opened:
        opened.set_passphrase(keys.Role.READER, "empreinte")
        assert opened.open_session(keys.Role.READER, "empreinte", timedelta(days=1), address="127.0.0.1")
    run("backup", tmp_path / "copie.gz")
    run("restore", tmp_path / "copie.gz")
    with closing(Jobs(data)) as jobs:
        assert jobs.get(waiting.id).state is State.CANCELLED and jobs.get(done.id).state is State.DONE
        assert jobs.meta("queue_secret") != secret and len(jobs.meta("queue_secret")) == len(secret)
    with closing(sqlite3.connect(data / "app.db")) as db:
        assert db.execute("SELECT COUNT(*) FROM sessions").fetchone() == (0,)
        assert db.execute("SELECT COUNT(*) FROM passphrases").fetchone() == (1,)


@pytest.mark.parametrize("who", ["application", "worker", "writer"])
def test_nothing_is_restored_under_those_who_use_the_archive(run, data, tmp_path, who):
    run("backup", tmp_path / "copie.gz")
    held = {"worker": worker_lock(data), "writer": data / "writer.lock"}
    with instance.hold(data) if who == "application" else locks.hold(held[who]):
        assert run("backup", tmp_path / "autre.gz")[0] == 0  # that one may be made
        status, _, err = run("restore", tmp_path / "copie.gz")
    assert status == 1 and "The archive is in use" in err
    assert not [*tmp_path.glob("archive-avant-*")]


def test_what_is_damaged_is_refused_in_a_sentence_and_changes_nothing(run, data, tmp_path):
    run("backup", tmp_path / "copie.gz")
    before, whole = posts(data), (tmp_path / "copie.gz").read_bytes()
    for content, said in (
        (whole[: len(whole) // 2], "stops before its end"), (b"rien", "is not a backup of Archiviste"),
        (whole[:3000] + b"x" + whole[3001:], "is damaged"),
    ):  # fmt: skip
        (tmp_path / "copie.gz").write_bytes(content)
        for options in ((), ("--check",)):
            status, out, err = run("restore", tmp_path / "copie.gz", *options)
            assert (status, out) == (1, "") and said in err
    assert posts(data) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "copie.gz"]


def test_there_must_be_an_archive(run, tmp_path):
    status, _, err = run("backup", tmp_path / "copie.gz", folder=tmp_path / "rien")
    assert status == 1 and "There is no archive here" in err
    shutil.rmtree(tmp_path / "rien", ignore_errors=True)


def test_what_was_erased_since_is_not_brought_back(run, data, tmp_path):
    run("backup", tmp_path / "copie.gz")
    assert run("erase", "--post", 11, "--yes")[0] == 0
    assert len(posts(data)) == 11
    status, out, _ = run("restore", tmp_path / "copie.gz")
    assert status == 0 and "is erased again" in out
    assert {row[0] for row in posts(data)} == {12, 13, 21, 22, 23, 31, 32, 41, 42, 43, 44}
    assert b"grincent quand il pleut" not in (data / "archive.db").read_bytes()
    assert not (data / "indexes").exists()


def test_a_backup_made_after_an_erasure_needs_no_other(run, data, tmp_path):
    assert run("erase", "--post", 11, "--yes")[0] == 0
    run("backup", tmp_path / "copie.gz")
    assert "is erased again" not in run("restore", tmp_path / "copie.gz")[1]
    assert len(posts(data)) == 11


def test_erasing_tells_of_the_backups_that_lie_there(run, data):
    run("backup")
    assert "2 backups" not in run("erase", "--post", 11)[1]
    assert run("erase", "--post", 11, "--yes", "--delete-backups")[0] == 0
    assert backups.made(data) == ()
