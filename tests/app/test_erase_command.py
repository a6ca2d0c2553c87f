"""The command `erase`: a look without a trace, an erasure with its certificate, the end of what was interrupted."""

import io
import json
import shutil
import sys

import pytest

from app import cli, erase_words, erasing, flows, i18n, running
from app.i18n import gettext as _
from app.job_states import Kind, State, Work
from app.job_words import kind_name, note_line
from app.jobs import Jobs
from engine.erase import certificate as certificates
from engine.erase import flow, request
from engine.erase.request import Request
from tests.engine.erase.conftest import NAME, SECRET, fill
from tests.factories import WORD_MODELS, settings


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    data = fill(tmp_path_factory.mktemp("filled"))
    (data / "app.db").unlink()  # the application's own is made by it
    return data


@pytest.fixture
def data(filled, tmp_path, monkeypatch):
    shutil.copytree(filled, tmp_path / "data")
    real = running.run
    # The archive was indexed with this encoder.
    monkeypatch.setattr(running, "run", lambda *a, **given: real(*a, **{**given, "load": lambda _s: WORD_MODELS}))
    return tmp_path / "data"


@pytest.fixture
def run(data, capsys):
    def call(*argv):
        try:
            status = cli.run(["--data", str(data), "erase", *map(str, argv)], {})
        except SystemExit as stopped:
            status = stopped.code
        said = capsys.readouterr()
        return status, said.out, said.err

    i18n.use("fr")
    return call


def test_without_yes_nothing_goes(run, data):
    status, out, _err = run("--user", NAME, "--post", 11)
    assert status == 0 and _("Nothing was erased. To erase it: the same command with --yes.") in out
    assert _("Messages that go whole") in out and NAME not in out
    assert not (data / "erasures").exists()


def test_with_yes_all_goes_and_the_certificate_says_so(run, data):
    status, out, err = run("--user", NAME, "--post", 11, 999, "--yes")
    assert status == 0 and "Traceback" not in err
    (done,) = certificates.saved(data)
    assert str(certificates.text_of(data, done.token)) in out
    text = certificates.text_of(data, done.token).read_text("utf-8")
    assert _("The archive and its indexes agree.") in text and done.generation in text and done.aliases[0] in text
    assert NAME not in text and NAME not in out and "plume" not in (data / "logs" / "archiviste.log").read_text("utf-8")
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())


def test_json(run, data):
    status, out, _err = run("--pattern", "grand pot de lavande", "--json")
    assert status == 0 and json.loads(out)["erased"] is False and json.loads(out)["counts"]["posts_changed"] == 3
    status, out, _err = run("--pattern", "grand pot de lavande", "--json", "--yes")
    document = json.loads(out)
    assert (
        status == 0 and document["certificate"]["clean"] is True and document["certificate"]["asked"]["patterns"] == 1
    )


def test_a_name_from_standard_input_is_on_no_command_line(run, data, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{NAME}\n"))
    status, out, _err = run("--user", "-", "--yes", "--json")
    assert status == 0 and json.loads(out)["counts"]["posts_by"] == 2


def test_what_was_interrupted_is_ended_first(run, data):
    found = erasing.look(settings(data), Request(users=(NAME,), words=erasing.words()))
    token = flow.confirm(settings(data), found)
    assert erasing.interrupted(data) == (token,)
    status, out, err = run()
    assert status == 0 and _("An erasure that was interrupted has been ended.") in err
    assert request.waiting(data) == () and token in out


@pytest.mark.parametrize("argv", [(), ("--user", "…"), ("--pattern", "/(/")])
def test_what_is_not_understood(run, data, argv):
    status, out, err = run(*argv)
    assert status == 1 and out == "" and err


def test_a_number_that_is_none(run):
    assert run("--post", "douze")[0] == 2


def test_the_job_says_how_it_ended_and_never_for_whom(data):
    work = erasing.confirmed(settings(data), erasing.look(settings(data), Request(users=(NAME,))))
    jobs = Jobs(data)
    try:
        job = running.run(jobs, jobs.create(work).id, settings(data))
        assert job.state is State.DONE and kind_name(job.work) and NAME not in repr(job)
        assert job.work.sources[0] in note_line(job.notes[0])
        again = running.run(jobs, jobs.create(Work(Kind.ERASE, work.sources)).id, settings(data))
        assert again.state is State.DONE and again.notes == ()
    finally:
        jobs.close()
    assert Kind.ERASE in flows.FLOWS


def test_what_a_moderator_should_know_first():
    told = list(erase_words.warnings({"words": 400, "mentions": 2, "unknown": 1, "shared": 3, "backups": 1}))
    assert len(told) == 4
    assert list(erase_words.warnings({"words": 4, "mentions": 2})) == []
