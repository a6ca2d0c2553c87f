"""The table of jobs: one job a work, wishes, and what becomes of a job whose process died."""

import tempfile
import threading
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app import locks
from app.errors import JobEnded, JobUnderWay, JobUnknown
from app.job_states import UNFINISHED, Event, Kind, Note, State, Wish, Work
from app.jobs import MAX_CRASHES, Jobs, worker_lock
from engine import Progress, SchemaTooNew

INDEX = Work(Kind.INDEX)
IMPORT = Work(Kind.IMPORT, ("/sauvegardes/é.tar.gz",), accept_removals=True)


@pytest.fixture
def jobs(tmp_path):
    with closing(Jobs(tmp_path)) as opened:
        yield opened


def _die(jobs, job_id):
    """The state that a killed process leaves: a row that runs, a lock that nobody holds."""
    with jobs.claim(job_id):
        pass


def test_a_job_waits_and_keeps_its_work(jobs):
    job = jobs.create(IMPORT)
    assert (job.state, job.work, job.notes, job.wish, job.started_at) == (State.WAITING, IMPORT, (), None, None)
    assert jobs.get(job.id) == job == jobs.last(IMPORT)
    assert jobs.last(INDEX) is None


def test_the_table_outlives_its_opening(jobs, tmp_path):
    job = jobs.create(INDEX)
    with closing(Jobs(tmp_path)) as again:
        assert again.recent() == (job,)
        assert again.meta("queue_name") == jobs.meta("queue_name")
        assert len(again.meta("queue_secret")) == 64


def test_a_table_of_a_newer_version_is_refused(jobs, tmp_path):
    jobs._connections.get().execute("PRAGMA user_version = 99")
    with pytest.raises(SchemaTooNew):
        Jobs(tmp_path)


def test_what_runs_is_not_started_twice(jobs):
    job = jobs.create(INDEX)
    with jobs.claim(job.id) as claimed:
        assert claimed is not None
        assert claimed.state is State.RUNNING
        with pytest.raises(JobUnderWay) as refused:
            jobs.create(INDEX)
        assert refused.value.details == {"job": job.id, "kind": "index", "reason": "running"}
        assert jobs.create(IMPORT).id != job.id
        with jobs.claim(job.id) as second:
            assert second is None


def test_what_waits_for_a_living_worker_is_not_started_twice(jobs, tmp_path):
    job = jobs.create(INDEX)
    assert jobs.create(INDEX).id == job.id  # nobody would ever do it: it is taken up again
    with locks.hold(worker_lock(tmp_path)), pytest.raises(JobUnderWay) as refused:
        jobs.create(INDEX)
    assert refused.value.details["reason"] == "waiting"


def test_a_job_that_ended_makes_room_for_another(jobs):
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        jobs.happen(job.id, Event.COMPLETE)
    assert jobs.get(job.id).ended_at is not None
    assert jobs.create(INDEX).id == job.id + 1
    assert not list((jobs.data / "jobs").iterdir())


def test_a_job_that_ended_can_be_asked_nothing(jobs):
    job = jobs.cancel(jobs.create(INDEX).id)
    assert job.state is State.CANCELLED
    for ask in (jobs.cancel, jobs.pause, jobs.resume):
        with pytest.raises(JobEnded):
            ask(job.id)
        with pytest.raises(JobUnknown):
            ask(99)


def test_a_wish_is_heard_by_the_process_and_granted_by_it(jobs):
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        progress = Progress("encode", 3, 9, rate=1.5, left_s=4.0)
        assert jobs.beat(job.id, progress, "") is None
        assert jobs.pause(job.id).wish is Wish.PAUSE
        assert jobs.beat(job.id, progress, "") is Wish.PAUSE
        assert jobs.happen(job.id, Event.PAUSE).state is State.PAUSED
        with pytest.raises(JobUnderWay):
            jobs.create(INDEX)
        assert jobs.resume(job.id).wish is None
        assert jobs.happen(job.id, Event.RESUME).state is State.RUNNING
        jobs.cancel(job.id)
        assert jobs.pause(job.id).wish is Wish.CANCEL  # no going back
        seen = jobs.get(job.id)
        assert (seen.stage, seen.done, seen.total, seen.rate, seen.left_s) == ("encode", 3, 9, 1.5, 4.0)
        assert seen.heartbeat_at > seen.created_at
        assert jobs.happen(job.id, Event.CANCEL).state is State.CANCELLED


def test_a_dead_heartbeat_interrupts_and_the_same_job_goes_on(jobs):
    job = jobs.create(INDEX)
    _die(jobs, job.id)
    assert jobs.get(job.id).state is State.RUNNING
    jobs.recover()
    dead = jobs.get(job.id)
    assert (dead.state, dead.crashes) == (State.INTERRUPTED, 1)
    assert [j.id for j in jobs.revive()] == [job.id]
    with jobs.claim(job.id) as again:
        assert again is not None
        assert again.state is State.RUNNING


def test_typing_the_command_again_takes_the_interrupted_job_up(jobs):
    job = jobs.create(INDEX)
    _die(jobs, job.id)
    again = jobs.create(Work(Kind.INDEX, vectors=False))
    assert (again.id, again.state, again.work.vectors) == (job.id, State.WAITING, False)


@pytest.mark.parametrize(("asked", "becomes"), [("pause", State.PAUSED), ("cancel", State.CANCELLED)])
def test_what_was_asked_of_a_dying_job_holds(jobs, asked, becomes):
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        getattr(jobs, asked)(job.id)
    jobs.recover()
    assert jobs.get(job.id).state is becomes
    assert jobs.revive() == ()


def test_a_paused_job_without_a_process_goes_on_when_asked(jobs):
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        jobs.pause(job.id)
        jobs.happen(job.id, Event.PAUSE)
    jobs.recover()
    assert jobs.get(job.id).state is State.PAUSED
    assert jobs.resume(job.id).state is State.WAITING


def test_a_job_that_kills_its_process_each_time_waits_for_a_person(jobs):
    job = jobs.create(INDEX)
    for _ in range(MAX_CRASHES):
        assert [j.id for j in jobs.revive()] == [job.id]
        _die(jobs, job.id)
    assert jobs.revive() == ()
    stuck = jobs.get(job.id)
    assert (stuck.state, [note.code for note in stuck.notes]) == (State.INTERRUPTED, ["crashed_often"])
    assert jobs.resume(job.id).crashes == 0
    assert [j.id for j in jobs.revive()] == [job.id]


def test_an_orderly_stop_is_no_crash(jobs):
    job = jobs.create(INDEX)
    _die(jobs, job.id)
    jobs.revive()
    with jobs.claim(job.id):
        jobs.happen(job.id, Event.INTERRUPT)
    assert (jobs.get(job.id).state, jobs.get(job.id).crashes) == (State.INTERRUPTED, 0)


def test_notes_are_kept_as_codes_and_values(jobs):
    job = jobs.create(IMPORT)
    note = Note("archive_format", {"path": "/é", "reason": "not_found", "n": 3})
    with jobs.claim(job.id):
        jobs.happen(job.id, Event.FAIL, [note])
    assert jobs.get(job.id).notes == (note,)


def test_the_recent_ones_are_those_to_finish_then_the_last_to_end(jobs):
    ids = [jobs.create(Work(Kind.IMPORT, (f"/{n}",))).id for n in range(4)]
    for n in (1, 0):
        jobs.cancel(ids[n])
    assert [job.id for job in jobs.recent()] == [ids[2], ids[3], ids[0], ids[1]]
    assert len(jobs.recent(ended=1)) == 3


def test_one_of_many_claims_wins(jobs):
    job = jobs.create(INDEX)
    won, barrier, leave = [], threading.Barrier(4), threading.Event()

    def run():
        with closing(Jobs(jobs.data)) as mine:
            barrier.wait()
            with mine.claim(job.id) as claimed:
                if claimed is not None:
                    won.append(claimed)
                    leave.wait(10)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:  # the losers give up first
        thread.join(0.1)
    leave.set()
    for thread in threads:
        thread.join()
    assert len(won) == 1


class AnyHistory(RuleBasedStateMachine):
    """Whatever is asked in whatever order: a work is never in hand twice, and no job is stuck."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.jobs = Jobs(Path(self.folder.name))
        self.running = {}  # job id → its claim, held by this "process"

    def teardown(self):
        for claim in self.running.values():
            claim.__exit__(None, None, None)
        self.jobs.close()
        self.folder.cleanup()

    def _any(self, data, ids):
        return data.draw(st.sampled_from(sorted(ids))) if ids else None

    @rule(n=st.integers(0, 2))
    def create(self, n):
        work = Work(Kind.IMPORT, (f"/{n}",))
        before = self.jobs.last(work)
        try:
            job = self.jobs.create(work)
        except JobUnderWay as refused:
            assert refused.details["job"] in self.running
        else:
            assert job.state is State.WAITING
            assert before is None or job.id == before.id or before.state not in UNFINISHED

    @rule(data=st.data())
    def claim(self, data):
        waiting = [j.id for j in self.jobs.recent() if j.state is State.WAITING]
        if (chosen := self._any(data, waiting)) is not None:
            claim = self.jobs.claim(chosen)
            assert claim.__enter__().state is State.RUNNING
            self.running[chosen] = claim

    @rule(data=st.data())
    def die(self, data):
        if (chosen := self._any(data, self.running)) is not None:
            self.running.pop(chosen).__exit__(None, None, None)
            self.jobs.recover()
            assert self.jobs.get(chosen).state is not State.RUNNING

    @rule(data=st.data(), event=st.sampled_from([Event.COMPLETE, Event.FAIL, Event.FALL_SHORT, Event.INTERRUPT]))
    def end(self, data, event):
        if (chosen := self._any(data, self.running)) is not None:
            self.jobs.happen(chosen, event)
            self.running.pop(chosen).__exit__(None, None, None)

    @rule(data=st.data(), ask=st.sampled_from(["pause", "cancel", "resume"]))
    def ask(self, data, ask):
        if (chosen := self._any(data, [j.id for j in self.jobs.recent()])) is not None:
            over = self.jobs.get(chosen).state not in UNFINISHED
            try:
                getattr(self.jobs, ask)(chosen)
                assert not over
            except JobEnded:
                assert over

    @rule(data=st.data())
    def obey(self, data):
        if (chosen := self._any(data, self.running)) is not None:
            wish, state = self.jobs.get(chosen).wish, self.jobs.get(chosen).state
            if wish is Wish.PAUSE and state is State.RUNNING:
                assert self.jobs.happen(chosen, Event.PAUSE).state is State.PAUSED
            elif wish is None and state is State.PAUSED:
                assert self.jobs.happen(chosen, Event.RESUME).state is State.RUNNING

    @rule()
    def revive(self):
        waiting = {job.id for job in self.jobs.revive()}
        left = [job for job in self.jobs.recent() if job.state is State.INTERRUPTED]
        assert all(job.crashes >= MAX_CRASHES for job in left)
        assert not waiting & set(self.running)

    @invariant()
    def one_job_a_work(self):
        open_ = [job.work.key for job in self.jobs.recent() if job.state in UNFINISHED]
        assert len(open_) == len(set(open_))

    @invariant()
    def who_runs_has_a_process(self):
        assert {j.id for j in self.jobs.recent() if j.state is State.RUNNING} <= set(self.running)


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(max_examples=15, stateful_step_count=20)
