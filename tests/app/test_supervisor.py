"""The supervisor: a worker that dies is started again, one that always dies is given up, the end ends it."""

import sys
from contextlib import contextmanager

import psutil
import pytest

from app import locks, logs, supervisor
from app.jobs import worker_lock
from app.supervisor import MAX_DEATHS, Supervisor
from tests.app.job_sources import until

LIVES = [sys.executable, "-c", "import sys; sys.stdin.read()"]
HANGS = [sys.executable, "-c", "import time; time.sleep(600)"]
DIES = [sys.executable, "-c", "import sys; sys.stderr.write('mort\\n'); sys.exit(3)"]


@contextmanager
def supervised(data, command):
    told = []
    supervisor = Supervisor(data, command, first_delay_s=0.01, told=told.append)
    supervisor.start()
    try:
        yield supervisor, told
    finally:
        supervisor.stop()


def test_a_worker_that_dies_is_started_again_and_ends_with_the_application(tmp_path):
    with supervised(tmp_path, LIVES) as (one, told):
        first = until(lambda: one.pid)
        psutil.Process(first).kill()
        second = until(lambda: one.pid if one.pid != first else None)
    assert not psutil.pid_exists(second)
    assert (one.pid, one.notice, told) == (None, None, [])
    one.stop()  # once is enough, twice is harmless


def test_a_worker_that_always_dies_is_given_up_with_a_notice(tmp_path):
    with supervised(tmp_path, DIES) as (one, told):
        until(lambda: one.notice)
        assert told == ["worker_given_up"]
    assert logs.path_of(tmp_path, supervisor.OUTPUT).read_text().splitlines() == ["mort"] * MAX_DEATHS


def test_a_program_that_is_not_there_is_given_up_too(tmp_path):
    with supervised(tmp_path, [str(tmp_path / "absent")]) as (one, _):
        until(lambda: one.notice)


def test_a_worker_that_hangs_is_killed_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "END_S", 0.2)
    with supervised(tmp_path, HANGS) as (one, _):
        pid = until(lambda: one.pid)
    assert not psutil.pid_exists(pid)


def test_the_worker_of_another_application_is_left_to_work(tmp_path):
    with locks.hold(worker_lock(tmp_path)), supervised(tmp_path, DIES) as (one, told):
        log = logs.path_of(tmp_path, supervisor.OUTPUT)
        until(lambda: log.exists() and log.read_text() == "mort\n")
        until(lambda: one.pid is None)
    assert (one.notice, told) == (None, [])


@pytest.mark.parametrize("started", [True, False])
def test_an_end_before_the_beginning_starts_nothing(tmp_path, started):
    one = Supervisor(tmp_path, LIVES)
    one.stop()
    if started:
        one.start()
        one.stop()
    assert one.pid is None
