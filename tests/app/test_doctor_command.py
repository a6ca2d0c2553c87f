"""The command `doctor`: what it prints, its exit status, what it repairs, and that it never touches the messages."""

import ast
import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing

import pytest

from app import cli, doctor_checks, doctor_words, i18n, instance, locks
from app.job_states import Event, Kind, State, Work
from app.jobs import Jobs
from app.resources import resource
from app.state import State as ServerState
from engine.doctor.findings import Finding, Level, Repair
from engine.index import generations
from engine.index.generations import BUILDING
from tests.factories import forum, save, settings

ACCENTS = str.maketrans("\u202f\u00a0", "  ")


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")
    yield
    i18n.use("fr")


@pytest.fixture
def data(demo_data, tmp_path):
    """A copy of the demo forum's data folder."""
    return shutil.copytree(demo_data, tmp_path / "données")


@pytest.fixture
def run(data, capsys):
    """Runs the command: (status, lines of stdout, stderr)."""

    def call(*argv, folder=data):
        status = cli.run(["--data", str(folder), "--lang", "en", "doctor", *argv], {})
        output = capsys.readouterr()
        assert "Traceback" not in output.out + output.err
        return status, output.out.translate(ACCENTS).splitlines(), output.err

    return call


def base_of(data):
    return data / "indexes" / generations.read_manifest(settings(data)).dense_base / "chroma"


def archive_bytes(data):
    return (data / "archive.db").read_bytes()


def test_an_archive_in_order_is_well_and_ends_with_0(run):
    status, lines, err = run()
    assert (status, err, lines[-1]) == (0, "", "All is well.")
    assert all(line.startswith("✓ ") for line in lines[:-2])
    assert any(line.startswith("✓ Index by meaning: ") and "searched in a trial" in line for line in lines)


def test_a_quick_look_says_the_same_of_an_archive_in_order(run):
    status, lines, _ = run("--quick")
    assert (status, lines[-1]) == (0, "All is well.")


def test_json_is_one_document(run, data):
    Jobs(data).close()
    document = json.loads("\n".join(run("--quick", "--json")[1]))
    assert document["healthy"] and document["repaired"] == []
    assert {"check", "state", "level", "figures", "repair", "message", "advice"} == set(document["findings"][0])
    assert {"archive", "meaning", "disk", "drive", "jobs"} <= {f["check"] for f in document["findings"]}


def test_a_damaged_index_is_an_error_until_it_is_repaired_from_the_messages(run, data):
    os.truncate(next(base_of(data).rglob("header.bin")), 10)
    before = archive_bytes(data)
    status, lines, _ = run("--quick")
    assert status == 1
    wrong = lines.index("✗ Index by meaning: damaged; it will not be opened again.")
    assert "Your messages are intact" in lines[wrong + 1]
    assert lines[-1] == "1 thing is broken. What can be made again is, with: archiviste doctor --repair"
    status, lines, err = run("--repair")
    assert (status, lines[-1]) == (0, "All is well.")
    assert "The indexes were made again from the messages." in lines
    assert "Index by meaning" in err  # the progress of the job
    assert archive_bytes(data) == before
    with closing(Jobs(data)) as jobs:
        last = jobs.recent()[0]
    assert (last.work.kind, last.state) == (Kind.INDEX, State.DONE)


def test_leftovers_rights_locks_and_dead_jobs_are_put_right(run, data):
    (data / "indexes" / f"20200101T000000000000-dead{BUILDING}").mkdir()
    data.chmod(0o777)
    secret = data / "server" / "secret"
    secret.parent.mkdir(exist_ok=True)
    secret.write_text("x" * 40)
    secret.chmod(0o644)
    with closing(Jobs(data)) as jobs:
        job = jobs.create(Work(Kind.IMPORT, ("/s",)))
        with jobs.claim(job.id):
            pass  # what a process leaves that was killed
        (data / "jobs" / "999.lock").touch()
        status, lines, _ = run("--quick")
        assert status == 0  # none of it is broken
        assert sum(line.startswith("! ") for line in lines) == 5
        assert lines[-1].startswith("Nothing is broken; 5 things to know.")
        assert run("--quick", "--repair")[1][-1] == "All is well."
        assert jobs.get(job.id).state is State.INTERRUPTED
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert not stat.S_IMODE(data.stat().st_mode) & stat.S_IWOTH
    assert not (data / "jobs" / "999.lock").exists()


def test_a_damaged_archive_is_told_with_what_is_kept_and_left_as_it_is(run, data):
    path = data / "archive.db"
    content = b"rien" * 5000
    path.write_bytes(content)
    for options in ((), ("--repair",), ("--quick",)):
        status, lines, _ = run(*options)
        said = " ".join(" ".join(lines).split())
        assert status == 1
        assert f"✗ Messages: the file that holds the messages is damaged: {path}." in said
        assert "Nothing was deleted or changed." in said and "any backup of the forum" in said
    assert path.read_bytes() == content
    assert base_of(data).is_dir()


def test_the_sources_of_a_damaged_archive_are_named(run, data):
    with closing(sqlite3.connect(data / "archive.db")) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'posts' LIMIT 1").fetchone()
        (source,) = db.execute("SELECT source FROM imports").fetchone()
    with (data / "archive.db").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 4096)
    (data / "raw" / "t").mkdir(parents=True)
    (data / "raw" / "t" / "1.json").write_text("{}")
    said = " ".join(" ".join(run()[1]).split())
    assert f"- {source}, from which it was made" in said
    assert f"- {data / 'raw'}, which holds 1 topics fetched from the forum" in said


def test_a_damaged_queue_and_damaged_vectors_are_put_aside_when_nobody_uses_them(run, tmp_path):
    small = tmp_path / "petit"
    save(small, forum())
    for name in ("queue.db", "vectors.db"):
        (small / name).write_bytes(b"rien" * 5000)
    with instance.hold(small):
        status, _, err = run("--quick", "--repair", folder=small)
        assert status == 1
        assert "Close the application first" in err
    assert (small / "vectors.db").read_bytes() == b"rien" * 5000
    status, lines, _ = run("--quick", "--repair", folder=small)
    assert (status, lines[-1]) == (0, "All is well.")
    assert sum("was put aside under the name" in line for line in lines) == 2
    aside = sorted(path.name.partition(".db")[0] for path in small.glob("*.damaged"))
    assert aside == ["queue", "vectors"]


def test_no_archive_is_nothing_broken(run, tmp_path):
    status, lines, _ = run("--repair", folder=tmp_path / "rien")
    assert status == 0
    assert lines[0].startswith("! Messages: no archive here yet")
    assert not (tmp_path / "rien" / "archive.db").exists()


# --- the start of the server ------------------------------------------------------------------


def test_the_start_of_the_server_looks_quickly_and_keeps_what_is_worth_knowing(data, caplog):
    i18n.use("en")
    os.truncate(next(base_of(data).rglob("header.bin")), 10)
    state = ServerState(cli.settings.AppSettings(), settings(data))
    try:
        state.warm_up()
        (said,) = state.notices()
    finally:
        state.close()
    assert said.startswith("Index by meaning: damaged; it will not be opened again. Your messages are intact.")
    assert "doctor: meaning damaged" in caplog.text


def test_the_start_of_the_server_says_nothing_of_an_archive_in_order(data):
    state = ServerState(cli.settings.AppSettings(), settings(data))
    state.warm_up()
    assert state.notices() == ()
    state.close()


def test_a_job_that_ended_its_process_again_and_again_is_told(data):
    with closing(Jobs(data)) as jobs:
        job = jobs.create(Work(Kind.IMPORT, ("/s",)))
        for _ in range(5):
            with jobs.claim(job.id):
                pass
            jobs.recover()
            if jobs.get(job.id).crashes < 5:
                jobs.happen(job.id, Event.REQUEUE)
    (found,) = [f for f in doctor_checks.examine(settings(data), quick=True) if f.check == "jobs"]
    assert (found.state, found.level, found.figures["count"]) == ("crashed", Level.WARNING, 5)


def test_a_lock_in_use_is_not_stale(data):
    Jobs(data).close()
    held = data / "jobs" / "7.lock"
    with locks.hold(held):
        assert held not in doctor_checks.stale_locks(data)
    assert held in doctor_checks.stale_locks(data)


# --- words ------------------------------------------------------------------------------------


def _made():
    """(check, state) of every finding that the code can make, where both are literals."""
    for folder in ("engine/doctor", "app"):
        for path in resource(folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                called = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("ok", "warning", "error")
                said = [a.value for a in node.args[:2] if isinstance(a, ast.Constant)] if called else []
                if len(said) == 2:
                    yield tuple(said)


def test_every_finding_has_its_sentence_and_every_sentence_its_finding():
    made = {*_made(), ("disk", "short"), ("disk", "enough"), ("index", "missing")}
    assert len(made) > 40
    said = set(doctor_words.FOUND)
    assert made - said == set()
    databases = {("archive", "damaged"), ("archive", "unreadable")} | set(doctor_words._SHARED)
    chosen = {  # the state depends on a condition
        *(("leftovers", state) for state in ("none", "busy")), ("meaning", "held"),
        *(("meaning", state) for state in ("unread", "other_model")), *(("models", state) for state in ("none", "there")),
        *(("jobs", state) for state in ("none", "running")),
        *((leg, state) for leg in ("words", "meaning") for state in ("lost_there", "away")),
    }  # fmt: skip
    assert said - made - databases == chosen


COUNTS = "bytes count expected extra fetched folders free job missing needed posts topics wanted"
NAMES = "generation kind model path raw service setting sources url"
FIGURES = dict.fromkeys(COUNTS.split(), 3) | dict.fromkeys(NAMES.split(), "x")


def test_whatever_is_wrong_has_an_advice():
    for check, state in doctor_words.FOUND:
        rebuilt = check in ("index", "words", "meaning", "leftovers") and (check, state) not in doctor_words.ADVICE
        finding = Finding(check, state, Level.ERROR, FIGURES, Repair.REBUILD if rebuilt else None)
        said = doctor_words.found(finding)
        if said.endswith("."):
            assert [*doctor_words.advice(finding)] or state == "unreadable", (check, state)
        assert doctor_words.notice(finding).startswith(i18n.gettext(doctor_words.CHECKS[check]))
