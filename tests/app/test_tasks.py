"""The queue: what is handed over, what comes back after a loss, what comes due, in SQLite and in Redis."""

import pickle
import socket
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app import locks, tasks
from app.errors import JobUnderWay, QueueUnavailable
from app.job_states import Event, Kind, State, Work
from app.jobs import Jobs, worker_lock
from app.settings import AppSettings
from app.tasks import Queue
from engine import StoreError

INDEX = Work(Kind.INDEX)
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.fixture
def jobs(tmp_path):
    with closing(Jobs(tmp_path)) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "redis"])
def app(request):
    url = request.getfixturevalue("redis_url") if request.param == "redis" else ""
    return AppSettings(queue_url=url)


def _drain(queue):
    """Run what is in the queue, as the consumer does."""
    while queue.huey.pending_count():
        queue.huey.execute(queue.huey.dequeue())


# --- handing over -----------------------------------------------------------------------------


def test_a_job_travels_as_its_number(jobs, app):
    ran = []
    job = tasks.start(jobs, app, INDEX)
    assert job.state is State.WAITING
    with closing(Queue(jobs, app, ran.append)) as queue:
        (task,) = queue.huey.pending()
        assert (task.args, task.kwargs) == ((job.id,), {})
        _drain(queue)
    assert ran == [job.id]


def test_what_is_in_hand_is_not_handed_over_again(jobs, app, tmp_path):
    job = tasks.start(jobs, app, INDEX)
    with locks.hold(worker_lock(tmp_path)), pytest.raises(JobUnderWay):
        tasks.start(jobs, app, INDEX)
    with closing(Queue(jobs, app)) as queue:
        assert [task.args for task in queue.huey.pending()] == [(job.id,)]


def test_a_job_without_process_goes_on_through_the_queue(jobs, app):
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        jobs.happen(job.id, Event.INTERRUPT)
    assert tasks.resume(jobs, app, job.id).state is State.WAITING
    with closing(Queue(jobs, app)) as queue:
        assert [task.args for task in queue.huey.pending()] == [(job.id,)]


def test_a_message_that_was_lost_is_sent_again_and_one_too_many_is_harmless(jobs, app):
    waiting = tasks.start(jobs, app, INDEX)
    dead = jobs.create(Work(Kind.IMPORT, ("/a",)))
    with jobs.claim(dead.id):
        pass  # a process that was killed
    ran = []
    with closing(Queue(jobs, app, ran.append)) as queue:
        queue.huey.storage.flush_all()
        queue.look_after(jobs)
        assert [task.args for task in queue.huey.pending()] == [(waiting.id,), (dead.id,)]
        _drain(queue)
    assert ran == [waiting.id, dead.id]


def test_two_archives_do_not_share_a_queue(jobs, app, tmp_path):
    tasks.start(jobs, app, INDEX)
    with closing(Jobs(tmp_path / "autre")) as others, closing(Queue(others, app)) as queue:
        assert queue.huey.pending_count() == 0


def test_a_message_that_we_did_not_sign_is_not_read(jobs, app):
    read = []

    class Evil:
        def __reduce__(self):
            return read.append, ("run",)

    with closing(Queue(jobs, app)) as queue:
        queue.huey.storage.enqueue(pickle.dumps(Evil()))
        with pytest.raises(ValueError, match=r"Separator|mismatch"):
            queue.huey.dequeue()
    assert read == []


def test_a_server_that_does_not_answer_starts_nothing(jobs):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{closed.getsockname()[1]}/0"
        with pytest.raises(QueueUnavailable) as refused:
            tasks.start(jobs, AppSettings(queue_url=url), INDEX)
    assert refused.value.details["reason"] == "refused"
    (job,) = jobs.recent()
    assert (job.state, job.notes[0].code) == (State.FAILED, "queue_unavailable")


def test_a_queue_that_cannot_be_written_starts_nothing(jobs, tmp_path):
    (tmp_path / tasks.FILE).mkdir()
    with pytest.raises(StoreError):
        tasks.start(jobs, AppSettings(), INDEX)
    assert jobs.recent()[0].state is State.FAILED


# --- what comes due ---------------------------------------------------------------------------


@pytest.fixture
def periodic(tmp_path):
    return AppSettings(update_every_hours=24, update_source=tmp_path / "sauvegardes")


@pytest.mark.parametrize("missing", [{"update_every_hours": 0}, {"update_source": None}])
def test_no_update_comes_due_without_both_settings(periodic, missing):
    assert tasks.periodic_updates(replace(periodic, **missing)) == ()


@pytest.mark.parametrize("alone", [{"sync_every_hours": 6}, {"sync_url": "https://forum.exemple"}])
def test_no_update_from_the_forum_comes_due_without_both_settings(alone):
    assert tasks.periodic_updates(AppSettings(**alone)) == ()


def test_backups_and_the_forum_have_each_their_hours(periodic):
    both = replace(periodic, sync_every_hours=6, sync_url="https://forum.exemple")
    (backups, daily), (forum, often) = tasks.periodic_updates(both)
    assert (backups.sources, daily) == ((str(periodic.update_source),), 24)
    assert (forum.kind, forum.sources, often) == (Kind.UPDATE, ("https://forum.exemple",), 6)


def test_an_update_is_due_so_many_hours_after_the_last(jobs, periodic):
    ((work, _),) = tasks.periodic_updates(periodic)
    assert tasks.is_due(jobs, work, every_hours=24, now=datetime.now(UTC))
    began = jobs.create(work).created_at
    assert not tasks.is_due(jobs, work, every_hours=24, now=began + timedelta(hours=23, minutes=59))
    assert tasks.is_due(jobs, work, every_hours=24, now=began + timedelta(hours=24))


def test_a_clock_that_was_ahead_delays_no_update_for_years(jobs, periodic):
    ((work, _),) = tasks.periodic_updates(periodic)
    began = jobs.create(work).created_at
    assert not tasks.is_due(jobs, work, every_hours=24, now=began - timedelta(hours=2))  # a clock put right
    assert tasks.is_due(jobs, work, every_hours=24, now=began - timedelta(days=400))


def _ripe(queue, moment):
    """The periodic tasks that huey's scheduler would queue at that minute."""
    return {task.name: task for task in queue.huey.read_periodic(moment)}


def test_the_scheduler_starts_the_update_of_the_settings_once(jobs, periodic):
    with closing(Queue(jobs, periodic, lambda _: None)) as queue:
        queue.look_after(jobs)
        queue.update_when_due(jobs, periodic)
        assert set(_ripe(queue, NOON)) == {"look_after", "update_when_due"}
        assert _ripe(queue, NOON.replace(minute=3)) == {}
        for _ in range(2):
            queue.huey.execute(_ripe(queue, NOON)["update_when_due"])
        assert [task.args for task in queue.huey.pending()] == [(1,)]
    (job,) = jobs.recent()
    assert (job.work.kind, job.work.sources) == (Kind.UPDATE, (str(periodic.update_source),))


def test_each_update_comes_due_by_itself(jobs, periodic):
    both = replace(periodic, sync_every_hours=6, sync_url="https://forum.exemple")
    ((backups, _), _) = tasks.periodic_updates(both)
    done = jobs.create(backups)
    with jobs.claim(done.id):
        jobs.happen(done.id, Event.COMPLETE)
    with closing(Queue(jobs, both, lambda _: None)) as queue:
        queue.update_when_due(jobs, both)
        queue.huey.execute(_ripe(queue, NOON)["update_when_due"])
        assert [task.args for task in queue.huey.pending()] == [(done.id + 1,)]
    assert jobs.get(done.id + 1).work.sources == ("https://forum.exemple",)


def test_without_the_setting_nothing_is_scheduled_but_the_look_round(jobs):
    with closing(Queue(jobs, AppSettings(), lambda _: None)) as queue:
        queue.look_after(jobs)
        queue.update_when_due(jobs, AppSettings())
        assert set(_ripe(queue, NOON)) == {"look_after"}


def test_the_look_round_finds_what_nobody_would_run(jobs):
    with closing(Queue(jobs, AppSettings(), lambda _: None)) as queue:
        queue.look_after(jobs)
        job = jobs.create(INDEX)  # and its message was lost
        look = _ripe(queue, NOON)["look_after"]
        queue.huey.execute(look)
        queue.huey.execute(look)  # while a message waits, none is added
        assert [task.args for task in queue.huey.pending()] == [(job.id,)]
