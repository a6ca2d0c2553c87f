"""Encoders beside a worker, as processes of their own, with a real Redis that goes away and comes back."""

import os
import signal
import subprocess
import threading
from contextlib import closing, contextmanager

import pytest

from app import calls, cli, encoder, encoders, i18n, locks, process, reaching, tasks
from app.errors import QueueUnavailable
from app.job_states import Event, Kind, State, Wish, Work
from app.jobs import Jobs, worker_lock
from app.settings import AppSettings, Choices
from engine import Cancelled, Progress, encoding_for, import_archive
from engine.index.encoding import passages
from engine.models import e5
from engine.store import ArchiveStore, VectorStore, claims
from tests import counting, factories
from tests.app.job_sources import topics, until
from tests.redis_server import Server

pytestmark = pytest.mark.several

OURS = ("ARCHIVISTE_", "NICEGUI_", "PYTEST_")
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
ENVIRON |= {"ARCHIVISTE_EMBED_BATCH": "2", "OMP_NUM_THREADS": "1"}
INDEX = Work(Kind.INDEX)


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")
    yield
    i18n.use("fr")


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "archive"
    import_archive(factories.settings(folder), topics(tmp_path / "sujets", posts=60))
    counting.watch(folder)
    return folder


@pytest.fixture
def jobs(data):
    with closing(Jobs(data)) as opened:
        yield opened


@pytest.fixture
def redis():
    with Server.running() as server:
        yield server


@contextmanager
def running(data, url, *options):
    """A worker or an encoder; it is killed at the end of the block if it still lives."""
    command = process.command(data, "worker", *options)
    child = subprocess.Popen(
        command, cwd=process.folder(), env=ENVIRON | {"ARCHIVISTE_QUEUE_URL": url}, stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        child.stderr.close()


def _ended(jobs, job):
    return until(lambda: (now := jobs.get(job.id)).ended_at and now)


def _members(data):
    with closing(VectorStore(data)) as store:
        return claims.members(store)


def _missing(data):
    with closing(VectorStore(data)) as store:
        return len(store.missing(e5.name()))


def _begun(data, jobs, app):
    """The index job, once a worker and an encoder encode for it."""
    until(lambda: locks.is_held(worker_lock(data)) and encoders.count(data) == 1)
    job = tasks.start(jobs, app, INDEX)
    until(lambda: encoding_for(factories.settings(data))[1] == 2)
    return job


# --- together ---------------------------------------------------------------------------------


def test_a_killed_encoder_loses_nothing_and_a_pause_holds_for_all(data, jobs, redis, capsys):
    app = AppSettings(queue_url=redis.url)
    with running(data, redis.url), running(data, redis.url, "--encode") as helper:
        job = _begun(data, jobs, app)
        assert cli.run(["--data", str(data), "status"], {"ARCHIVISTE_QUEUE_URL": redis.url}) == 0
        assert reaching.together(2) in capsys.readouterr().err
        jobs.pause(job.id)
        until(lambda: jobs.get(job.id).state is State.PAUSED and len(_members(data)) == 1)
        done, _ = counting.writes(data)
        assert done < 60
        tasks.resume(jobs, app, job.id)
        until(lambda: counting.writes(data)[0] > done)
        helper.send_signal(signal.SIGKILL)
        ended = _ended(jobs, job)
    assert ended.state is State.DONE
    assert counting.writes(data) == (60, 1) and _missing(data) == 0


def test_an_encoder_ends_in_order_and_gives_back_what_it_claimed(data, jobs, redis):
    with running(data, redis.url), running(data, redis.url, "--encode") as helper:
        job = _begun(data, jobs, AppSettings(queue_url=redis.url))
        helper.terminate()
        assert helper.wait(20) == 0
        assert "Ctrl-C" in helper.stderr.read().decode()
        # The worker goes on alone, or has ended already.
        assert not [name for name in _members(data) if f"-{helper.pid}-" in name] and encoders.count(data) == 0
        assert _ended(jobs, job).state is State.DONE
    assert counting.writes(data) == (60, 1)


def test_an_encoder_goes_on_without_its_killed_worker_and_the_next_one_publishes(data, jobs, redis):
    with running(data, redis.url, "--encode"):
        with running(data, redis.url) as worker:
            job = _begun(data, jobs, AppSettings(queue_url=redis.url))
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        done, _ = counting.writes(data)
        until(lambda: counting.writes(data)[0] > done)
        with running(data, redis.url):
            ended = _ended(jobs, job)
    assert (ended.state, ended.crashes) == (State.DONE, 1)
    assert counting.writes(data) == (60, 1) and _missing(data) == 0


# --- Redis ------------------------------------------------------------------------------------


def test_a_job_goes_on_while_redis_restarts_with_nothing_kept(data, jobs, redis, capsys):
    app = AppSettings(queue_url=redis.url)
    with running(data, redis.url) as worker:
        until(lambda: locks.is_held(worker_lock(data)))
        job = tasks.start(jobs, app, INDEX)
        until(lambda: jobs.get(job.id).stage == "encode")
        redis.stop()
        assert cli.run(["--data", str(data), "jobs"], {"ARCHIVISTE_QUEUE_URL": redis.url}) == 0
        told = capsys.readouterr()
        assert i18n.gettext(reaching.AWAY) in told.err and "tâche" in told.out
        with pytest.raises(QueueUnavailable):
            tasks.start(jobs, app, Work(Kind.IMPORT, ("/nulle/part",)))
        assert _ended(jobs, job).state is State.DONE
        redis.start()
        assert worker.poll() is None
        again = tasks.start(jobs, app, Work(Kind.IMPORT, ("/nulle/part",)))
        assert _ended(jobs, again).state is State.FAILED  # there is nothing: but it ran, in the same process
        assert worker.poll() is None
    assert counting.writes(data) == (60, 1)


def test_a_worker_that_starts_without_redis_waits_for_it(data, jobs, redis):
    job = jobs.create(Work(Kind.IMPORT, ("/nulle/part",)))
    redis.stop()
    with running(data, redis.url) as worker:
        said = worker.stderr.readline().decode()
        assert i18n.gettext(reaching.AWAY) in said
        assert jobs.get(job.id).state is State.WAITING
        redis.start()
        assert _ended(jobs, job).state is State.FAILED
        assert worker.poll() is None


def test_an_encoder_needs_no_redis_to_find_its_work(data, jobs, monkeypatch):
    """Nobody calls it: it looks in the store. A wish of the job is obeyed, and a model of another name refused."""
    choices = Choices(AppSettings(queue_url="redis://127.0.0.1:1/0"), factories.settings(data, embed_batch=2))
    monkeypatch.setattr(encoder, "load_models", lambda _: factories.WORD_MODELS)
    monkeypatch.setattr(encoder, "CHECK_S", 0)
    turn = encoder._Turn(choices, jobs, stopping := threading.Event())
    turn.take()
    assert counting.writes(data) == (0, 0)  # no indexing is under way
    with closing(VectorStore(data)) as store:
        claims.want(store, "words-512")
        with closing(ArchiveStore(data)) as archive:
            store.set_passages(passages(choices.engine, archive.indexable()))
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        jobs.beat(job.id, Progress("encode", 0, 60), "")
        jobs.pause(job.id)
        turn.take()
        assert jobs.get(job.id).wish is Wish.PAUSE and counting.writes(data) == (0, 0)
        jobs.resume(job.id)
        stopping.set()
        with pytest.raises(Cancelled):
            turn.take()
        stopping.clear()
        turn.take()
        assert counting.writes(data) == (60, 1)
        jobs.happen(job.id, Event.CANCEL)


def test_another_model_encodes_nothing_and_says_so_once(data, jobs, monkeypatch, capsys):
    choices = Choices(AppSettings(queue_url="redis://127.0.0.1:1/0"), factories.settings(data))
    monkeypatch.setattr(encoder, "load_models", lambda _: factories.WORD_MODELS)
    job = jobs.create(INDEX)
    with closing(VectorStore(data)) as store:
        claims.want(store, "un-autre")
    with jobs.claim(job.id):
        turn = encoder._Turn(choices, jobs, threading.Event())
        turn.take()
        turn.take()
    assert capsys.readouterr().err.count("\n") == 1
    assert counting.writes(data) == (0, 0)


def test_an_encoder_without_queue_server_is_refused(data, capsys):
    assert cli.run(["--data", str(data), "worker", "--encode"], {}) == 1
    assert "queue_url" in capsys.readouterr().err


# --- calls ------------------------------------------------------------------------------------


def test_a_call_goes_to_each_encoder_that_is_there_when_encoding_begins(data, jobs, redis):
    app, heard = AppSettings(queue_url=redis.url), []
    with closing(calls.Calls(jobs, app, lambda: heard.append(1))) as queue:
        tell = calls.caller(jobs, app)
        tell(Progress("encode", 0, 10))
        assert queue.huey.pending_count() == 0  # nobody is there
        with encoders.present(data), encoders.present(data):
            for stage, done in (("lexical", 1), ("encode", 0), ("encode", 5)):
                tell(Progress(stage, done, 10))
        assert queue.huey.pending_count() == 2
        with closing(tasks.Queue(jobs, app)) as others:
            assert others.huey.pending_count() == 0  # a queue of their own
        while queue.huey.pending_count():
            queue.huey.execute(queue.huey.dequeue())
        assert heard == [1, 1]
        redis.stop()
        tell(Progress("dense", 0, 10))
        tell(Progress("encode", 0, 10))  # nobody is called, nothing fails


def test_encoders_are_numbered_and_a_killed_ones_number_is_taken_again(data):
    left = data / encoders.FOLDER / "1.lock"
    left.parent.mkdir()
    left.touch()
    assert encoders.count(data) == 0
    with encoders.present(data) as first, encoders.present(data) as second:
        assert (first, second, encoders.count(data)) == (1, 2, 2)
    assert encoders.count(data) == 0


def test_without_queue_server_nobody_is_called(jobs):
    calls.caller(jobs, AppSettings())(Progress("encode", 0, 10))


# --- waiting ----------------------------------------------------------------------------------


def test_a_server_that_is_away_is_tried_with_growing_delays_and_told_once():
    slept, told, tries = [], [], []

    def do():
        tries.append(1)
        if len(tries) < 9:
            raise QueueUnavailable(reason="refused")

    reaching.when_reached(do, away=lambda: told.append(1), sleep=slept.append)
    assert slept == [0.5, 1, 2, 4, 8, 15, 15, 15] and told == [1]
    with pytest.raises(QueueUnavailable):
        reaching.when_reached(lambda: _raise(QueueUnavailable(reason="address")), away=lambda: None)


def _raise(error):
    raise error


def test_whether_redis_answers(redis):
    assert tasks.answers(redis.url)
    redis.stop()
    assert not tasks.answers(redis.url)
    assert not tasks.answers("redis://:::/0")
