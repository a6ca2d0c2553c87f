"""The jobs on the command line: listed, steered, refused a second time, stopped by Ctrl-C, and told in French."""

import json
import os
import signal
import subprocess
from contextlib import closing

import pytest

from app import cli, i18n, job_words, locks, process, tasks
from app.job_states import Event, Job, Kind, Note, State, Work
from app.jobs import Jobs, worker_lock
from app.settings import AppSettings
from engine import ArchiveFormatError, Progress
from tests import counting
from tests.app.job_sources import topics, until

ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("ARCHIVISTE_")}
INDEX = Work(Kind.INDEX)


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")
    yield
    i18n.use("fr")


@pytest.fixture
def data(tmp_path):
    return tmp_path / "archive"


@pytest.fixture
def jobs(data):
    with closing(Jobs(data)) as opened:
        yield opened


@pytest.fixture
def run(data, capsys):
    """Runs a command on the archive: (status, stdout, stderr)."""

    def call(*argv, environ=None):
        try:
            status = cli.run(["--data", str(data), *map(str, argv)], environ or {})
        except SystemExit as stopped:
            status = stopped.code
        output = capsys.readouterr()
        assert "Traceback" not in output.out + output.err
        return status, output.out, output.err

    return call


# --- listing ----------------------------------------------------------------------------------


def test_no_job_yet(run):
    assert run("jobs") == (0, "Aucune tâche pour l’instant.\n", "")
    assert json.loads(run("jobs", "--json")[1]) == {"jobs": []}


def test_an_import_leaves_a_job_that_the_status_lists(run, tmp_path):
    folder = topics(tmp_path / "sujets", posts=3)
    assert run("import", folder, tmp_path / "rien")[0] == 1
    (document,) = json.loads(run("status", "--json")[1])["jobs"]
    assert list(document) == [
        *("id", "kind", "sources", "state", "asked", "stage", "done", "total", "rate", "left_s", "item", "messages"),
        *("created_at", "started_at", "heartbeat_at", "ended_at"),
    ]
    assert (document["id"], document["kind"], document["state"]) == (1, "import", "partial")
    assert [said["code"] for said in document["messages"]] == ["imported", "archive_format"]
    assert document["messages"][0]["values"]["added"] == 3
    assert document["created_at"].endswith("Z")
    assert run("jobs")[1].splitlines() == [
        "Import (tâche 1)\u00a0: terminée en partie",
        f"  {folder}\u00a0: messages ajoutés 3, modifiés 0, retirés 0",
        f"  Il n’y a rien à cet endroit\u00a0: {tmp_path / 'rien'}. Vérifiez le chemin.",
    ]
    assert "tâche" not in run("status")[1]  # it is over


def test_the_status_tells_how_far_what_is_under_way_is(run, jobs):
    job = jobs.create(Work(Kind.UPDATE, ("/s/a.tar.gz",)))
    with jobs.claim(job.id):
        jobs.beat(job.id, Progress("lexical", 12_300, 32_900, rate=4100.0, left_s=20.0), "/s/a.tar.gz")
        said = run("status")[1].replace("\u202f", " ").replace("\u00a0", " ")
    assert said.splitlines()[1:] == [
        "Import et préparation de la recherche (tâche 1) : en cours",
        "  /s/a.tar.gz",
        "  Index des mots : 37,4 % — 12 300 sur 32 900 — 4 100 messages/s — reste 20 s",
    ]
    assert "interrompue" in run("status")[1]  # its process is gone without a word


# --- steering ---------------------------------------------------------------------------------


def test_a_job_is_paused_resumed_and_cancelled_by_its_number(run, jobs, data):
    job = jobs.create(INDEX)
    assert run("jobs", "pause", job.id)[1] == "Préparation de la recherche (tâche 1)\u00a0: en pause\n"
    assert run("jobs", "resume", job.id)[1].endswith("en attente\n")
    with closing(tasks.Queue(jobs, AppSettings())) as queue:
        assert [task.args for task in queue.huey.pending()] == [(job.id,)]
    (document,) = json.loads(run("jobs", "cancel", job.id, "--json")[1])["jobs"]
    assert document["state"] == "cancelled"
    assert run("jobs", "cancel", job.id)[0] == 1
    assert "La tâche 1 est finie" in run("jobs", "cancel", job.id)[2]
    assert "Il n’y a pas de tâche 7" in run("jobs", "pause", 7)[2]


@pytest.mark.parametrize("argv", [("cancel",), ("3",), ("cancel", "x"), ("cancel", "0")])
def test_wrong_usage_is_refused(run, argv):
    status, out, err = run("jobs", *argv)
    assert (status, out) == (2, "")
    assert "erreur" in err


# --- starting ---------------------------------------------------------------------------------


def test_a_second_start_is_refused_with_the_reason(run, jobs, tmp_path):
    run("import", topics(tmp_path / "sujets", posts=2))
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        status, out, err = run("index", "--wait")
    assert (status, out, err) == (
        1, "", f"Ce travail est déjà en cours (tâche {job.id}). Rien n’a été lancé une deuxième fois.\n",
    )  # fmt: skip


def test_with_the_application_open_indexing_goes_to_its_worker(run, jobs, data):
    with locks.hold(worker_lock(data)):
        status, out, _ = run("index")
        assert (status, out) == (0, "L’application s’en charge (tâche 1)\u00a0: suivez-la avec archiviste jobs.\n")
        assert "attend déjà son tour" in run("index")[2]
    with closing(tasks.Queue(jobs, AppSettings())) as queue:
        assert [task.args for task in queue.huey.pending()] == [(1,)]


def _start(data, *argv):
    return subprocess.Popen(
        process.command(data, *argv), cwd=process.folder(), env=ENVIRON | {"ARCHIVISTE_EMBED_BATCH": "4"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_ctrl_c_cancels_a_kill_interrupts_and_the_same_command_goes_on(run, jobs, data, tmp_path):
    run("import", topics(tmp_path / "sujets", posts=240))
    counting.watch(data)
    with _start(data, "index", "--wait") as first:
        until(lambda: counting.writes(data)[0] >= 4)
        first.send_signal(signal.SIGINT)
        _, said = first.communicate(timeout=60)
    assert first.returncode == 1
    assert "Interrompu. Ce qui a été fait est conservé." in said.decode()
    assert jobs.get(2).state is State.CANCELLED
    before = counting.writes(data)[0]
    with _start(data, "index", "--wait") as second:
        until(lambda: counting.writes(data)[0] > before)
        second.kill()
        second.communicate()
    assert "interrompue" in run("jobs")[1]
    assert run("index", "--wait")[0] == 0
    assert [(job.id, job.state) for job in jobs.recent()] == [
        (3, State.DONE), (2, State.CANCELLED), (1, State.DONE),
    ]  # fmt: skip
    assert counting.writes(data) == (240, 1)


# --- words ------------------------------------------------------------------------------------


def _job(**facts):
    with_defaults = {
        "id": 3, "work": INDEX, "state": State.RUNNING, "wish": None, "stage": "", "done": 0, "total": 0, "rate": 0.0,
        "left_s": None, "item": "", "notes": (), "crashes": 0, "created_at": None, "started_at": None,
        "ended_at": None, "heartbeat_at": None,
    }  # fmt: skip
    return Job(**(with_defaults | facts))


def test_every_kind_and_state_has_words_of_its_own():
    assert len({job_words.headline(_job(state=state)) for state in State}) == len(State)
    assert len({job_words.headline(_job(work=Work(kind))) for kind in Kind}) == len(Kind)


def test_every_note_has_a_sentence():
    values = {"source": "/a", "added": 1200, "changed": 2, "removed": 3, "count": 5}
    values |= {"held": 6, "holes": 7, "departed": 8, "kept": 9, "questions": 10, "run": "evaluation-1"}
    values |= {"posts": 11, "path": "/b", "certificate": "c.json"}
    said = [job_words.note_line(Note(code, values)) for code in job_words.NOTES]
    assert len(set(said)) == len(said)
    assert "1\u202f200" in said[0]
    flaw = job_words.note_line(Note("flaw", {"code": "truncated", "where": "posts:12"}))
    assert flaw == "posts:12\u00a0: le fichier s’arrête avant sa fin"
    lost = Note(ArchiveFormatError.code, {"source": "/a", "path": "/a", "reason": "not_found"})
    assert job_words.note_line(lost) == "Il n’y a rien à cet endroit\u00a0: /a. Vérifiez le chemin."
    assert job_words.note_line(Note("of_a_newer_version", {"n": 1}))


def test_a_stage_without_count_is_named():
    assert job_words.progress_line(_job(stage="turn")) == "En attente de la fin d’une autre tâche"
    assert job_words.progress_line(_job(stage="")) == ""
    assert job_words.progress_line(_job(stage="lexical", done=1, total=2, state=State.DONE)) == ""


def test_the_wish_of_a_job_is_in_its_document(run, jobs):
    job = jobs.create(INDEX)
    with jobs.claim(job.id):
        run("jobs", "pause", job.id)
        (document,) = json.loads(run("jobs", "--json")[1])["jobs"]
        assert (document["state"], document["asked"]) == ("running", "pause")
        jobs.happen(job.id, Event.COMPLETE)
