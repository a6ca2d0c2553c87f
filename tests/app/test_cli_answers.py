"""`evaluate --answers` on the demo forum: figures in French, reports beside, a judge only when asked."""

import json

import pytest

from app import cli, i18n
from app.resources import resource
from tests.engine.models.chat_server import DONE, event, serving

QUESTIONS = resource("assets", "demo", "questions.yml")
REPLIES = ("- Les lots sont listés.", "1. oui", "évasive : non\n- Quels lots de jantes sont rappelés ?")


@pytest.fixture
def run(demo_data, tmp_path, capsys):
    def call(*argv, environ=None):
        command = ["--data", str(demo_data), "evaluate", *map(str, argv), "--answers", "--out", str(tmp_path / "out")]
        try:
            status = cli.run(command, environ or {})
        except SystemExit as stopped:
            status = stopped.code
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return status, said.out, said.err

    i18n.use("fr")
    return call


@pytest.fixture
def few(tmp_path):
    """The first question of the demo, one without answer, one to turn away, and the same as a safety question."""
    records = QUESTIONS.read_text("utf-8").split("- id: ")
    chosen = [record for record in records if record[:7] in ("demo-01", "demo-23", "demo-25")]
    safety = chosen[-1].replace("demo-25", "piege-1").replace("[no-answer]", "[safety]")
    path = tmp_path / "quatre.yml"
    path.write_text("".join(f"- id: {record}" for record in (*chosen, safety)), "utf-8")
    return path


def test_the_document_is_alone_on_stdout(run, few):
    status, out, err = run(few, "--answerer", "extractive", "--json")
    document = json.loads(out)
    assert (status, document["questions"]) == (0, 3)
    assert document["abstentions"] == {"right": [1, 1], "wrong": [0, 1]}
    assert document["refusals"] == {"right": [1, 1], "wrong": [0, 2]}
    assert document["citations"]["valid"] == document["citations"]["markers"] > 0
    assert document["measures"]["citation_recall"] == {"mean": 1, "questions": 1}
    assert "answer_relevancy" not in document["measures"]
    assert [case["id"] for case in document["safety"]] == ["piege-1"]
    assert "Évaluation\u00a0: 100,0\u00a0%" in err and "Rapports\u00a0: " in err


def test_the_figures_are_tables_and_the_safety_questions_follow_one_by_one(run, few, tmp_path):
    status, out, _ = run(few, "--answerer", "extractive")
    assert status == 0
    assert "RAGAS" in out and "1,000" in out and "1 / 1" in out
    assert out.rstrip().splitlines()[-2].startswith("piege-1 — ")
    kinds = sorted(path.suffix for path in (tmp_path / "out").iterdir())
    assert kinds == [".html", ".json", ".md"]  # and nothing kept for going on


def test_only_the_first_questions_are_asked(run, few):
    assert json.loads(run(few, "--answerer", "extractive", "--limit", 1, "--json")[1])["questions"] == 1
    status, out, _ = run(few, "--limit", "0")
    assert (status, out) == (2, "")


def test_nothing_is_sent_to_a_server_unless_the_judge_is_asked_for(run, few):
    replies = iter(REPLIES)
    with serving(lambda served: served.say(event(next(replies)), event(finish="stop"), DONE)) as server:
        environ = {"ARCHIVISTE_LLM_URL": server.url}
        plain = json.loads(run(few, "--answerer", "extractive", "--json", environ=environ)[1])
        assert not server.requests and "faithfulness_judge" not in plain["measures"]
        judged = json.loads(run(few, "--answerer", "extractive", "--judge", "--json", environ=environ)[1])
        assert len(server.requests) == 3  # one answer: its claims, their verdicts, the questions that it fits
    assert judged["measures"]["faithfulness_judge"] == {"mean": 1, "questions": 1}
    assert 0 < judged["measures"]["answer_relevancy"]["mean"] <= 1


def test_a_judge_without_server_is_told_before_anything_is_asked(run, few, tmp_path):
    status, out, err = run(few, "--answerer", "extractive", "--judge")
    assert (status, out) == (1, "") and "llm_url" in err
    assert not (tmp_path / "out").exists()
