"""Running a job here: progress, pauses, cancels, bad sources, and going on after an interruption."""

import os
import threading
import time
from contextlib import closing

import pytest

from app import flows, running
from app.flows import Heard
from app.job_states import Kind, State, Work
from app.jobs import Jobs
from engine import ArchiveFormatError, Cancelled, IndexMissing, Models, ModelUnavailable, OtherForum, StoreBusy
from engine import archive as engine_archive
from engine.locks import writing
from tests import factories
from tests.app.job_sources import topics, until

ACKNOWLEDGED_S = 2.0
INDEX = Work(Kind.INDEX)


@pytest.fixture
def engine(tmp_path):
    return factories.settings(tmp_path / "archive", embed_batch=2)


@pytest.fixture
def jobs(engine):
    with closing(Jobs(engine.data)) as opened:
        yield opened


class Encoder:
    """Counts words, counts the texts it was given, and takes its time."""

    def __init__(self, seconds=0.0):
        self.seconds, self.texts, self.closed = seconds, [], 0

    def load(self, _settings):
        def close():
            self.closed += 1

        return Models(embed=self._embed, embed_name="words-512", close=close)

    def _embed(self, texts, role):
        time.sleep(self.seconds)
        self.texts += texts
        return factories.word_embed(texts, role)


class Background:
    """A job running in a thread, as in a worker."""

    def __init__(self, engine, job_id, **options):
        self.error = None
        self.thread = threading.Thread(target=self._run, args=(engine, job_id), kwargs=options)
        self.thread.start()

    def _run(self, engine, job_id, **options):
        with closing(Jobs(engine.data)) as jobs:
            try:
                running.run(jobs, job_id, engine, **options)
            except Exception as error:
                self.error = error

    def end(self):
        self.thread.join(30)
        assert not self.thread.is_alive()


def _import(jobs, engine, folder, **options):
    return running.run(jobs, jobs.create(Work(Kind.IMPORT, (str(folder),))).id, engine, **options)


def _agrees(engine):
    with engine_archive.open_archive(engine, factories.WORD_MODELS) as archive:
        return bool(archive.agreement())


# --- import -----------------------------------------------------------------------------------


def test_an_import_ends_with_what_it_did(jobs, engine, tmp_path):
    folder, reports = topics(tmp_path / "a", posts=6), []
    job = _import(jobs, engine, folder, heard=Heard(report=lambda source, report: reports.append((source, report))))
    assert (job.state, job.item, job.stage) == (State.DONE, str(folder), "import")
    assert job.done == job.total > 0
    assert job.started_at <= job.heartbeat_at <= job.ended_at
    (note,) = job.notes
    assert (note.code, note.values) == ("imported", {"source": str(folder), "added": 6, "changed": 0, "removed": 0})
    assert [(source, report.added) for source, report in reports] == [(str(folder), 6)]


def test_bad_sources_among_good_ones_are_listed_and_the_job_is_partial(jobs, engine, tmp_path):
    sources = (topics(tmp_path / "a", posts=5), tmp_path / "rien", topics(tmp_path / "b", posts=5, first_topic=50))
    (tmp_path / "b" / "99.json").write_text("{")
    refused = []
    job = running.run(
        jobs, jobs.create(Work(Kind.IMPORT, tuple(map(str, sources)))).id, engine,
        heard=Heard(refused=lambda source, error: refused.append((source, type(error)))),
    )  # fmt: skip
    assert job.state is State.PARTIAL
    assert [note.code for note in job.notes] == ["imported", "archive_format", "imported_in_part", "flaw"]
    assert job.notes[1].values["source"] == str(sources[1])
    assert job.notes[3].values["where"].startswith("99.json")
    assert refused == [(str(sources[1]), ArchiveFormatError)]
    with engine_archive.open_archive(engine, Models()) as archive:
        assert archive.status().posts == 10


def test_a_backup_of_another_forum_is_a_bad_source(jobs, engine, tmp_path):
    factories.save(engine.data, factories.forum())
    other = topics(tmp_path / "autre", posts=2)
    (other / "site.json").write_text('{"base_url": "https://autre.exemple", "categories": []}')
    job = running.run(jobs, jobs.create(Work(Kind.UPDATE, (str(other),))).id, engine, load=Encoder().load)
    assert (job.state, [note.code for note in job.notes]) == (State.FAILED, [OtherForum.code])


def test_an_import_of_nothing_but_bad_sources_fails(jobs, engine, tmp_path):
    job = _import(jobs, engine, tmp_path / "rien")
    assert (job.state, [note.code for note in job.notes]) == (State.FAILED, ["archive_format"])


# --- index and update -------------------------------------------------------------------------


def test_an_update_imports_then_indexes_and_gives_its_models_back(jobs, engine, tmp_path):
    encoder, folder = Encoder(), topics(tmp_path / "a", posts=6)
    work = Work(Kind.UPDATE, (str(folder),))
    assert running.run(jobs, jobs.create(work).id, engine, load=encoder.load).state is State.DONE
    assert _agrees(engine)
    assert (len(encoder.texts), encoder.closed) == (6, 1)
    (folder / "60.json").write_text((topics(tmp_path / "b", posts=2, first_topic=60) / "60.json").read_text())
    assert running.run(jobs, jobs.create(work).id, engine, load=encoder.load).state is State.DONE
    assert _agrees(engine)
    assert len(encoder.texts) == len(set(encoder.texts)) == 8


def test_an_update_that_could_read_nothing_leaves_the_index_alone(jobs, engine, tmp_path):
    work = Work(Kind.UPDATE, (str(tmp_path / "rien"),))
    assert running.run(jobs, jobs.create(work).id, engine, load=Encoder().load).state is State.FAILED
    with engine_archive.open_archive(engine, Models()) as archive, pytest.raises(IndexMissing):
        archive.search("mandoline")


def test_an_update_takes_the_newest_backup_of_a_folder(tmp_path):
    for name, at in (("b.tar.gz", 1000), ("c.tar.gz", 2000), ("a.tar.gz", 3000), ("note.txt", 4000)):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (at, at))
    assert flows.newest_backup(str(tmp_path)) == str(tmp_path / "a.tar.gz")
    assert flows.newest_backup(str(tmp_path / "b.tar.gz")) == str(tmp_path / "b.tar.gz")


def test_a_model_that_cannot_be_loaded_fails_the_job_and_says_so(jobs, engine, tmp_path):
    def load(_settings):
        raise ModelUnavailable(role="embed", path="/nulle/part", reason="embed")

    job = jobs.create(INDEX)
    with pytest.raises(ModelUnavailable):
        running.run(jobs, job.id, engine, load=load)
    ended = jobs.get(job.id)
    assert (ended.state, ended.notes[0].code, ended.notes[0].values["path"]) == (
        State.FAILED, "model_unavailable", "/nulle/part",
    )  # fmt: skip


def test_the_unexpected_fails_the_job_without_its_words(jobs, engine, tmp_path):
    _import(jobs, engine, topics(tmp_path / "a", posts=2))

    def load(_settings):
        return Models(embed=lambda texts, role: 1 / 0, embed_name="broken")

    job = jobs.create(INDEX)
    with pytest.raises(ZeroDivisionError):
        running.run(jobs, job.id, engine, load=load)
    assert (jobs.get(job.id).state, [note.code for note in jobs.get(job.id).notes]) == (State.FAILED, ["unexpected"])


def test_a_job_that_does_not_wait_is_left_alone(jobs, engine):
    job = jobs.cancel(jobs.create(INDEX).id)
    assert running.run(jobs, job.id, engine) is None
    assert jobs.get(job.id) == job


# --- pause, cancel, stop ----------------------------------------------------------------------


@pytest.fixture
def encoding(jobs, engine, tmp_path):
    """An index job that has encoded something and would take four more seconds: (job id, encoder, start)."""
    _import(jobs, engine, topics(tmp_path / "a", posts=80))
    encoder = Encoder(0.1)
    job = jobs.create(INDEX)

    def start(**options):
        background = Background(engine, job.id, load=encoder.load, **options)
        until(lambda: jobs.get(job.id).stage == "encode" and jobs.get(job.id).done)
        return background

    return job.id, encoder, start


def test_a_pause_holds_within_two_seconds_and_the_job_goes_on_where_it_was(jobs, engine, encoding):
    job_id, encoder, start = encoding
    background = start()
    asked = time.monotonic()
    jobs.pause(job_id)
    until(lambda: jobs.get(job_id).state is State.PAUSED)
    assert time.monotonic() - asked < ACKNOWLEDGED_S
    held, beat = len(encoder.texts), jobs.get(job_id).heartbeat_at
    until(lambda: jobs.get(job_id).heartbeat_at > beat)  # it lives
    assert len(encoder.texts) == held < 80
    encoder.seconds = 0.0
    jobs.resume(job_id)
    background.end()
    assert background.error is None
    assert jobs.get(job_id).state is State.DONE
    assert len(encoder.texts) == len(set(encoder.texts)) == 80
    assert _agrees(engine)


def test_the_time_of_a_pause_slows_nothing_down(jobs, engine, encoding):
    job_id, encoder, start = encoding
    heard = []
    background = start(heard=Heard(progress=heard.append))
    jobs.pause(job_id)
    until(lambda: jobs.get(job_id).state is State.PAUSED)
    before = heard[-1]
    time.sleep(1.5)  # the length of the pause is what is measured
    jobs.resume(job_id)
    until(lambda: heard[-1].done > before.done + 4)
    assert heard[-1].rate > before.rate * 0.7
    encoder.seconds = 0.0
    background.end()


def test_a_cancel_holds_within_two_seconds_and_keeps_what_was_done(jobs, engine, encoding):
    job_id, encoder, start = encoding
    background = start()
    asked = time.monotonic()
    jobs.cancel(job_id)
    until(lambda: jobs.get(job_id).state is State.CANCELLED)
    assert time.monotonic() - asked < ACKNOWLEDGED_S
    background.end()
    assert isinstance(background.error, Cancelled)
    again = jobs.create(INDEX)
    encoder.seconds = 0.0
    assert again.id != job_id
    assert running.run(jobs, again.id, engine, load=encoder.load).state is State.DONE
    assert len(encoder.texts) == len(set(encoder.texts)) == 80


def test_a_paused_job_can_be_cancelled(jobs, encoding):
    job_id, _, start = encoding
    background = start()
    jobs.pause(job_id)
    until(lambda: jobs.get(job_id).state is State.PAUSED)
    jobs.cancel(job_id)
    background.end()
    assert jobs.get(job_id).state is State.CANCELLED


def test_the_end_of_the_process_interrupts_and_the_job_goes_on_at_the_next(jobs, engine, encoding):
    job_id, encoder, start = encoding
    stopping = threading.Event()
    background = start(stopping=stopping.is_set)
    stopping.set()
    background.end()
    assert (jobs.get(job_id).state, jobs.get(job_id).crashes) == (State.INTERRUPTED, 0)
    encoder.seconds = 0.0
    assert [job.id for job in jobs.revive()] == [job_id]
    assert running.run(jobs, job_id, engine, load=encoder.load).state is State.DONE
    assert len(encoder.texts) == len(set(encoder.texts)) == 80
    assert _agrees(engine)


def test_an_interruption_in_the_terminal_cancels(jobs, engine, tmp_path):
    _import(jobs, engine, topics(tmp_path / "a", posts=2))

    def interrupted(texts, role):
        raise KeyboardInterrupt

    job = jobs.create(INDEX)
    with pytest.raises(KeyboardInterrupt):
        running.run(jobs, job.id, engine, load=lambda _: Models(embed=interrupted, embed_name="x"))
    assert jobs.get(job.id).state is State.CANCELLED


# --- one writer -------------------------------------------------------------------------------


def test_while_another_process_writes_a_person_is_told_and_a_worker_waits(jobs, engine, tmp_path):
    folder = topics(tmp_path / "a", posts=2)
    with writing(engine):
        with pytest.raises(StoreBusy):
            _import(jobs, engine, folder)
        job = jobs.create(Work(Kind.IMPORT, (str(folder),)))
        background = Background(engine, job.id, patient=True)
        until(lambda: jobs.get(job.id).stage == "turn")
        assert jobs.get(job.id).state is State.RUNNING
    background.end()
    assert jobs.get(job.id).state is State.DONE
