"""Files that are sent to the application: their names, their place, and that they never stay too long."""

import os
import time
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import received
from app.job_states import Event, Kind, Work
from app.jobs import Jobs


@given(st.text(max_size=300))
def test_no_name_is_a_path_and_every_name_is_its_own_plain_form(said):
    name = received.plain_name(said)
    assert 0 < len(name) <= received.NAME_CHARS + 10
    assert not set(name) & set('/\\:*?"<>|\0') and not name.startswith(".") and not name.endswith((".", " ", ".part"))
    assert received.plain_name(name) == name


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("forum-2026.tar.gz", "forum-2026.tar.gz"),
        ("../../etc/passwd", "passwd"),
        ("C:\\fakepath\\dump.sql.gz", "dump.sql.gz"),
        ("..", "source"),
        ("NUL", "source_NUL"),
        ("Sauvegarde d’été.sql.gz", "Sauvegarde d_été.sql.gz"),
    ],
)
def test_a_name_keeps_what_it_can(said, name):
    assert received.plain_name(said) == name


def test_two_files_of_one_name_lie_side_by_side(tmp_path):
    first = _file(tmp_path, "a.tar.gz")
    assert received.free_place(tmp_path, "a.tar.gz").name == "a-2.tar.gz"
    assert received.find(tmp_path, "a.tar.gz") == first
    assert received.find(tmp_path, "../received/a.tar.gz") is None
    assert received.find(tmp_path, "b.tar.gz") is None


@pytest.mark.parametrize(
    ("event", "stays"),
    [(Event.COMPLETE, False), (Event.FALL_SHORT, False), (Event.FAIL, True), (Event.CANCEL, True)],
)
def test_what_a_job_has_read_goes_and_what_it_has_not_stays(tmp_path, event, stays):
    path, elsewhere = _file(tmp_path, "a.sql"), tmp_path / "b.sql"
    elsewhere.touch()
    with closing(Jobs(tmp_path)) as jobs:
        job = jobs.create(Work(Kind.UPDATE, (str(path), str(elsewhere))))
        jobs.happen(job.id, Event.START)
        received.forget_read(tmp_path, jobs.happen(job.id, event))
    assert path.exists() is stays and elsewhere.exists()


def test_the_start_sweeps_what_was_cut_read_or_forgotten_and_keeps_what_waits(tmp_path):
    read, waiting, fresh, old, cut = (_file(tmp_path, n) for n in ("read", "waiting", "fresh", "old", "cut.part"))
    long_ago = time.time() - received.KEPT_S - 60
    for path in (waiting, old):
        os.utime(path, (long_ago, long_ago))
    with closing(Jobs(tmp_path)) as jobs:
        done = jobs.create(Work(Kind.UPDATE, (str(read),)))
        jobs.happen(done.id, Event.START)
        jobs.happen(done.id, Event.COMPLETE)  # the worker was killed before it could remove the file
        jobs.create(Work(Kind.UPDATE, (str(waiting),)))
    received.sweep(tmp_path)
    assert [path.exists() for path in (read, waiting, fresh, old, cut)] == [False, True, True, False, False]
    assert received.remove_unused(tmp_path) == 1
    assert [path.exists() for path in (waiting, fresh)] == [True, False]


def test_a_folder_that_never_received_anything_is_left_alone(tmp_path):
    received.sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def _file(data, name):
    path = data / received.FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    return path
