"""An evaluation as a job: its reports, its end when it is cancelled, and answers that go on after a stop."""

from contextlib import closing

import pytest

from app import running, runs
from app.flows import Heard
from app.job_states import Kind, State, Work
from app.job_words import job_lines
from app.jobs import Jobs
from app.run_values import AnswerRun, SearchRun
from engine import ArchiveFormatError, Cancelled, build_settings
from tests.app import run_samples
from tests.factories import WORD_MODELS


@pytest.fixture
def engine(tmp_path):
    return build_settings(run_samples.archive(tmp_path))


@pytest.fixture
def jobs(engine):
    with closing(Jobs(engine.data)) as opened:
        yield opened


def work(engine, *measured, file="essai.yml"):
    return Work(Kind.EVALUATE, (str(engine.data / file),), measured=measured)


def run(jobs, engine, wanted, **options):
    return running.run(jobs, jobs.create(wanted).id, engine, load=lambda _settings: WORD_MODELS, **options)


def test_a_search_is_measured_and_its_report_is_in_the_list(jobs, engine):
    job = run(jobs, engine, work(engine, "bm25", "hybrid"))
    assert (job.state, job.stage, job.done, job.total) == (State.DONE, "evaluate", 10, 10)
    (note,) = job.notes
    found = runs.load(engine.data, note.values["run"])
    assert isinstance(found, SearchRun) and [config.name for config in found.configs] == ["bm25", "hybrid"]
    assert any(str(note.values["run"]) in line for line in job_lines(job))
    assert job.work.measured == ("bm25", "hybrid")


def test_works_that_measure_something_else_are_not_the_same(engine):
    assert work(engine, "bm25").key != work(engine, "hybrid").key


def test_a_question_file_that_is_gone_fails_with_its_reason(jobs, engine):
    with pytest.raises(ArchiveFormatError):
        run(jobs, engine, work(engine, "bm25", file="rien.yml"))
    (job,) = jobs.recent()
    assert (job.state, job.notes[0].values["reason"]) == (State.FAILED, "not_found")


def test_answers_that_were_stopped_go_on_where_they_were(jobs, engine):
    asked = []

    def stopping():
        return len(asked) >= 2

    wanted = work(engine, "answers", "extractive")
    with pytest.raises(Cancelled):
        run(jobs, engine, wanted, heard=Heard(progress=lambda p: asked.append(p.done)), stopping=stopping)
    assert not runs.names(engine.data)
    (kept,) = (engine.data / runs.FOLDER).glob("*.part.jsonl")
    assert len(kept.read_text("utf-8").splitlines()) == 2
    job = run(jobs, engine, wanted)
    found = runs.load(engine.data, job.notes[0].values["run"])
    assert job.state is State.DONE and isinstance(found, AnswerRun) and len(found.cases) == 5
    assert not list((engine.data / runs.FOLDER).glob("*.part.jsonl"))
