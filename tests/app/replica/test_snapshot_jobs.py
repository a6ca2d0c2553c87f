"""Snapshots of the application: published after each job that changes what readers find, and by hand."""

import json
from contextlib import closing

import pytest

from app import cli, erasing, foreground, job_words, running, snapshots
from app.flows import Heard
from app.job_states import Kind, State, Work
from app.jobs import Jobs
from app.settings import AppSettings
from engine import snapshot
from engine.erase.request import Request
from engine.keeping import saving
from tests.app.job_sources import topics
from tests.factories import WORD_MODELS, settings

pytestmark = pytest.mark.several


@pytest.fixture
def engine(tmp_path):
    return settings(tmp_path / "data")


@pytest.fixture
def app(tmp_path):
    return AppSettings(snapshots=tmp_path / "snapshots")


def run(engine, app, work):
    return foreground.run(engine, work, heard=Heard(), models=WORD_MODELS, after=snapshots.after(app))


def update(engine, app, tmp_path, name="saved", posts=6, first_topic=1):
    folder = topics(tmp_path / name, posts=posts, first_topic=first_topic)
    return run(engine, app, Work(Kind.UPDATE, (str(folder),)))


def test_each_update_publishes_what_it_indexed(engine, app, tmp_path):
    assert update(engine, app, tmp_path).state is State.DONE
    first = snapshot.current(app.snapshots)
    assert first.posts == 6
    update(engine, app, tmp_path, "more", 3, first_topic=9)
    second = snapshot.current(app.snapshots)
    assert second.posts == 9 and second.serial > first.serial


def test_without_the_setting_nothing_is_published(engine, tmp_path):
    assert update(engine, AppSettings(), tmp_path).state is State.DONE
    assert not (tmp_path / "snapshots").exists()


def test_a_job_whose_snapshot_fails_is_done_in_part_and_says_so(engine, tmp_path):
    inside = AppSettings(snapshots=engine.data / "snapshots")
    job = update(engine, inside, tmp_path)
    assert job.state is State.PARTIAL
    codes = [note.code for note in job.notes]
    assert codes[-2:] == ["not_published", "settings"]
    assert all(job_words.note_line(note) for note in job.notes)
    with closing(Jobs(engine.data)) as jobs:
        assert jobs.get(job.id).state is State.PARTIAL


def test_a_job_that_changes_nothing_for_readers_publishes_nothing(engine, app, tmp_path):
    update(engine, app, tmp_path)
    before = snapshot.current(app.snapshots)
    run(engine, app, Work(Kind.BACKUP, (str(tmp_path / f"own{saving.ENDING}"),)))
    assert snapshot.current(app.snapshots) == before


def test_the_worker_publishes_too(engine, app, tmp_path):
    folder = topics(tmp_path / "saved", posts=6)
    with closing(Jobs(engine.data)) as jobs:
        job = jobs.create(Work(Kind.UPDATE, (str(folder),)))
        running.run(jobs, job.id, engine, load=lambda _: WORD_MODELS, patient=True, after=snapshots.after(app))
    assert snapshot.current(app.snapshots).posts == 6


def asked(capsys, data, *arguments):
    status = cli.run(["--data", str(data), "snapshot", *map(str, arguments)], {})
    return status, capsys.readouterr()


def test_by_hand(engine, app, tmp_path, capsys):
    update(engine, app, tmp_path)
    folder = tmp_path / "by hand"
    status, said = asked(capsys, engine.data, folder, "--json")
    card = snapshot.current(folder)
    told = json.loads(said.out)
    assert (status, told["name"], told["posts"], told["files"]) == (0, card.name, 6, len(card.files))
    status, said = asked(capsys, engine.data, folder)
    assert status == 0 and card.name in said.out


def test_by_hand_without_a_folder_or_an_index(engine, tmp_path, capsys):
    status, said = asked(capsys, engine.data)
    assert status == 1 and "snapshot" in said.err
    status, said = asked(capsys, engine.data, tmp_path / "there")
    assert status == 1 and "archiviste index" in said.err


def test_a_replica_publishes_nothing(engine, app, tmp_path):
    update(engine, AppSettings(snapshots=app.snapshots, replica_of="http://primary.example"), tmp_path)
    assert not app.snapshots.exists()


def test_what_is_erased_is_in_no_snapshot(engine, app, tmp_path):
    update(engine, app, tmp_path)
    before = snapshot.current(app.snapshots)
    files = app.snapshots / "files"
    assert any(b"alice" in path.read_bytes() for path in files.iterdir())
    update(engine, app, tmp_path, "more", 3, first_topic=9)  # so that there is an older one
    run(engine, app, erasing.confirmed(engine, erasing.look(engine, Request(users=("alice",)))))
    after = snapshot.current(app.snapshots)
    assert after.serial > before.serial and after.posts == 9 and after.erased
    assert [path.name for path in app.snapshots.glob("*.json")] == [f"{after.name}.json"]
    assert not [path for path in files.iterdir() if b"alice" in path.read_bytes().lower()]
