"""The command `questions`, and the setting that turns the log off."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from app import cli, i18n, question_words
from app.question_log import QuestionLog
from app.question_values import Complaint, Outcome
from app.settings import AppSettings
from app.state import State
from engine import Models
from engine.evaluate.questions import read
from tests.app.test_question_log import abstention, answer
from tests.factories import settings


@pytest.fixture
def run(tmp_path, capsys):
    def call(*argv, environ=None):
        try:
            status = cli.run(["--data", str(tmp_path), "questions", *map(str, argv)], environ or {})
        except SystemExit as stopped:
            status = stopped.code
        said = capsys.readouterr()
        return status, said.out, said.err

    i18n.use("fr")
    return call


@pytest.fixture
def filled(tmp_path):
    with closing(QuestionLog(tmp_path)) as log:
        log.record(abstention("Quelle huile ?"))
        log.record(abstention("quelle huile"))
        log.feedback(log.record(answer("Quel frein ?", 12)), False, Complaint.WRONG, "C’est faux.")
        log.feedback(log.record(answer("Quel moyeu ?", 41)), True)


def test_the_questions_are_shown_with_what_came_of_them(run, filled):
    status, out, _ = run()
    assert status == 0
    assert out.count("\n") == 9 and "👎" in out and "👍" in out and "C’est faux." in out


def test_the_questions_without_answer_are_counted(run, filled):
    status, out, _ = run("--unanswered", "--json")
    found = json.loads(out)["unanswered"]
    assert status == 0
    assert [(group["question"], group["times"], group["abstentions"], group["disliked"]) for group in found] == [
        ("Quelle huile ?", 2, 2, 0), ("Quel frein ?", 1, 0, 1),
    ]  # fmt: skip
    assert "Quel moyeu ?" not in run("--unanswered")[1]


def test_the_documents_hold_every_field(run, filled):
    document = json.loads(run("--json")[1])["questions"]
    assert [row["kind"] for row in document] == ["abstention", "abstention", "answer", "answer"]
    assert (document[2]["good"], document[2]["complaint"], document[2]["sources"]) == (False, "wrong", [12])
    assert all(len(row["asked_at"]) == len("2026-11-30T14+00:00") for row in document)


def test_the_export_is_a_question_file(run, filled, tmp_path):
    path = tmp_path / "journal.yml"
    status, out, _ = run("--export", path)
    assert status == 0 and str(path) in out
    assert {q.text: q.post_ids for q in read(path).questions}["Quel moyeu ?"] == (41,)
    status, out, err = run("--export", tmp_path / "nulle part" / "journal.yml")
    assert (status, out) == (1, "") and "nulle part" in err


def test_all_is_erased_when_asked(run, filled):
    assert json.loads(run("--forget", "--json")[1]) == {"erased": 4}
    assert json.loads(run("--json")[1]) == {"questions": []}
    assert run()[1].count("\n") == 1


def test_only_one_thing_is_done_at_a_time(run, filled):
    status, out, err = run("--forget", "--unanswered")
    assert (status, out) == (2, "") and "--forget" in err
    assert len(json.loads(run("--json")[1])["questions"]) == 4


def test_a_log_that_is_turned_off_says_so(run, filled):
    assert "question_log" in run(environ={"ARCHIVISTE_QUESTION_LOG": "non"})[2]
    assert "question_log" not in run()[2]


def test_every_outcome_and_complaint_has_its_words():
    assert set(question_words.COMPLAINTS) == set(Complaint)
    assert set(question_words.OUTCOMES) == set(Outcome)


def test_the_server_opens_the_log_without_what_is_too_old_or_not_at_all(tmp_path):
    with closing(QuestionLog(tmp_path)) as log:
        log.record(abstention("Ancienne ?"), at=datetime.now(UTC) - timedelta(days=20))
        log.record(abstention("Récente ?"))
    for app, left in ((AppSettings(question_log=False, question_days=10), None), (AppSettings(question_days=10), 1)):
        state = State(app, settings(tmp_path), models=Models())
        try:
            assert (state.log and state.log.count()) == left
        finally:
            state.close()
