"""The worker as a process of its own: it runs what is queued, and no kill loses or repeats anything."""

import os
import signal
import subprocess
import sys
from contextlib import closing, contextmanager

import psutil
import pytest

from app import i18n, locks, process, tasks
from app.job_states import Kind, State, Work
from app.jobs import Jobs, worker_lock
from app.settings import AppSettings
from engine import Models, archive, import_archive
from tests import counting, factories
from tests.app.job_sources import topics, until
from tests.browser.server import free_port

# NiceGUI behaves differently when it believes that it runs inside pytest.
OURS = ("ARCHIVISTE_", "NICEGUI_", "PYTEST_")
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
BATCH = {"ARCHIVISTE_EMBED_BATCH": "4"}  # small, so that a kill finds some batches done and others not
INDEX = Work(Kind.INDEX)


@pytest.fixture
def data(tmp_path):
    return tmp_path / "archive de l’été"


@pytest.fixture
def jobs(data):
    with closing(Jobs(data)) as opened:
        yield opened


@contextmanager
def worker(data, *, with_parent=False, **environ):
    """A worker; it is killed at the end of the block if it still lives."""
    command = process.command(data, "worker", *(["--with-parent"] if with_parent else []))
    child = subprocess.Popen(
        command, cwd=process.folder(), env=ENVIRON | environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stderr):
            stream.close()


def _ended(jobs, job_id):
    return until(lambda: (job := jobs.get(job_id)).ended_at and job)


def _imported(data, tmp_path, posts):
    import_archive(factories.settings(data), topics(tmp_path / "sujets", posts=posts))
    counting.watch(data)


def _agrees(data):
    with archive.open_archive(factories.settings(data), Models()) as opened:
        return bool(opened.agreement())


def test_a_killed_worker_loses_nothing_and_its_job_goes_on_in_the_next(data, jobs, tmp_path):
    _imported(data, tmp_path, 40)
    with worker(data, **BATCH) as first:
        until(lambda: locks.is_held(worker_lock(data)))
        job = tasks.start(jobs, AppSettings(), INDEX)
        until(lambda: counting.writes(data)[0] >= 8)
        first.send_signal(signal.SIGKILL)
        first.wait()
    done_before = counting.writes(data)[0]
    assert 8 <= done_before < 40
    assert jobs.get(job.id).state is State.RUNNING  # what a dead process leaves
    with worker(data, **BATCH) as second:
        ended = _ended(jobs, job.id)
        second.send_signal(signal.SIGHUP)  # huey would start itself again
        assert second.wait(20) == 0
    assert (ended.state, ended.crashes) == (State.DONE, 1)
    assert _agrees(data)
    assert counting.writes(data) == (40, 1)  # each vector once
    assert not locks.is_held(worker_lock(data))


def test_one_worker_is_enough(data, jobs):
    with locks.hold(worker_lock(data)), worker(data) as second:
        _, said = second.communicate(timeout=60)
        assert second.returncode == 1
    assert "Une instance s’occupe déjà" in said.decode()


def test_the_death_of_the_application_ends_its_worker_and_interrupts_its_job(data, jobs, tmp_path):
    _imported(data, tmp_path, 200)
    command = process.command(data, "serve", "--port", str(free_port()))
    parent = subprocess.Popen(
        command, cwd=process.folder(), env=ENVIRON | BATCH, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        job = tasks.start(jobs, AppSettings(), INDEX)
        until(lambda: counting.writes(data)[0] >= 8)
        (child,) = [p for p in psutil.Process(parent.pid).children() if "worker" in p.cmdline()]
        parent.kill()
        parent.wait()
        until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, within_s=15)
    finally:
        parent.kill()
        parent.wait()
    assert jobs.get(job.id).state is State.INTERRUPTED  # in an orderly way, by the worker itself
    assert jobs.get(job.id).crashes == 0
    assert counting.writes(data)[0] < 200


def test_redis_carries_the_tasks_when_a_setting_says_so(data, jobs, tmp_path, redis_url):
    source = topics(tmp_path / "sujets", posts=2)
    app = AppSettings(queue_url=redis_url)
    with worker(data, ARCHIVISTE_QUEUE_URL=redis_url):
        until(lambda: locks.is_held(worker_lock(data)))
        job = tasks.start(jobs, app, Work(Kind.IMPORT, (str(source),)))
        assert _ended(jobs, job.id).state is State.DONE
    assert not (data / tasks.FILE).exists()


def test_the_command_of_a_child_names_the_archive_and_the_language(data, monkeypatch):
    i18n.use("fr")
    assert process.command(data, "worker")[-5:] == ["--data", str(data), "--lang", "fr", "worker"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert process.command(data, "worker")[:2] == [sys.executable, "--data"]
    assert process.folder() is None
