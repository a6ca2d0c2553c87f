"""The evaluate command on the demo forum."""

import json

import pytest

from app import cli, i18n
from app.resources import resource

QUESTIONS = resource("assets", "demo", "questions.yml")


@pytest.fixture
def run(demo_data, tmp_path, capsys):
    """Runs `evaluate` on the demo, reports in a folder of its own: (status, stdout, stderr)."""

    def call(*argv):
        try:
            status = cli.run(
                ["--data", str(demo_data), "evaluate", *map(str, argv), "--out", str(tmp_path / "out")], {}
            )
        except SystemExit as stopped:
            status = stopped.code
        output = capsys.readouterr()
        assert "Traceback" not in output.out + output.err
        return status, output.out, output.err

    i18n.use("fr")
    return call


@pytest.fixture
def answerable(tmp_path):
    """The first two questions of the demo, in a file of their own."""
    path = tmp_path / "deux.yml"
    path.write_text(QUESTIONS.read_text("utf-8").partition("- id: demo-03")[0], "utf-8")
    return path


def test_the_document_is_alone_on_stdout(run, answerable):
    status, out, err = run(answerable, "--config", "bm25", "--json")
    document = json.loads(out)
    assert (status, document["questions"]) == (0, 2)
    (config,) = document["configs"]
    assert config["name"] == "bm25"
    assert {"hit@1", "hit@3", "hit@5", "hit@6", "mrr", "recall@k", "ndcg@10", "topic", "post", "latency_ms"} <= set(
        config
    )
    assert "Évaluation\u00a0: 100,0\u00a0%" in err and "Rapports\u00a0: " in err


def test_the_figures_are_a_french_table_and_the_reports_are_written(run, answerable, tmp_path):
    status, out, _ = run(answerable)
    assert status == 0
    assert out.startswith("Par sujet\n  Configuration  Questions  Hit@1")
    assert "\n  hybrid                 2  " in out and "1,000" in out
    assert "Millisecondes, p50 / p95" in out and "hybrid / bm25, par message" in out
    kinds = sorted(path.suffix for path in (tmp_path / "out").iterdir())
    assert kinds == [".html", ".json", ".md"]
    (markdown,) = (tmp_path / "out").glob("*.md")
    assert markdown.read_text("utf-8").startswith("# Évaluation de la recherche\n")


def test_reports_go_into_the_data_folder_when_no_other_is_named(demo_data, answerable, capsys):
    status = cli.run(["--data", str(demo_data), "evaluate", str(answerable), "--config", "bm25"], {})
    written = list((demo_data / "evaluations").iterdir())
    for path in written:  # the demo's folder is shared by the tests
        path.unlink()
    (demo_data / "evaluations").rmdir()
    assert (status, len(written)) == (0, 3)
    assert str(demo_data / "evaluations") in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "- {id: a, question: Qui ?, expected_topic_id: [1]}",
            "«\u00a0expected_topic_id\u00a0» n’est pas un champ connu",
        ),
        ("- {id: a}", "Question «\u00a0a\u00a0»"),
        ("- {id: a, question: Qui ?}\n- {id: a, question: Quoi ?}", "ont le même nom\u00a0: «\u00a0a\u00a0»"),
        ("[", "Les questions sont illisibles"),
        ("", "Il n’y a aucune question"),
    ],
)
def test_a_bad_question_file_is_told_in_french(run, tmp_path, text, said):
    path = tmp_path / "mauvaises.yml"
    path.write_text(text, "utf-8")
    status, out, err = run(path)
    assert (status, out) == (1, "")
    assert said in err and str(path) in err


def test_a_file_that_is_not_there_is_told(run, tmp_path):
    assert "Il n’y a rien à cet endroit" in run(tmp_path / "rien.yml")[2]


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_measured(demo_data, answerable, capsys):
    status = cli.run(["--data", str(demo_data), "evaluate", str(answerable), "--out", str(answerable)], {})
    output = capsys.readouterr()
    assert (status, output.out) == (1, "")
    assert (
        output.err
        == f"Les rapports ne peuvent pas être écrits ici\u00a0: {answerable}. Indiquez un autre dossier avec --out.\n"
    )


def test_questions_about_another_archive_are_told(run, tmp_path):
    path = tmp_path / "ailleurs.yml"
    path.write_text("- {id: a, question: Quelle huile ?, expected_topic_ids: [987654]}", "utf-8")
    status, out, _ = run(path, "--config", "bm25")
    assert status == 0
    assert "1 question attend des messages que cette archive n’a pas" in out


def test_an_unknown_configuration_is_wrong_usage(run):
    status, out, err = run(QUESTIONS, "--config", "Z")
    assert (status, out) == (2, "") and "choix inconnu\u00a0: 'Z'" in err


def test_reranking_is_refused_where_nothing_reranks(run, answerable):
    status, _, err = run(answerable, "--config", "E")
    assert status == 1 and "reclasser" in err


def test_too_few_questions_teach_nothing(run, answerable, demo_data):
    status, _, err = run(answerable, "--config", "bm25", "--fit")
    assert status == 0 and "Il faut au moins 40 questions" in err
    assert not (demo_data / "combination.json").exists()


def test_enough_questions_are_learned_from_and_the_outcome_is_said(run, tmp_path, demo_data):
    """The demo's questions three times over: enough of them, hence an outcome either way."""
    (tmp_path / "triple").mkdir()
    text = QUESTIONS.read_text("utf-8")
    path = tmp_path / "triple.yml"
    path.write_text("".join(text.replace("- id: demo-", f"- id: demo-{n}-") for n in range(3)), "utf-8")
    kept = demo_data / "combination.json"
    try:
        status, _, err = run(path, "--config", "hybrid", "--fit")
        assert status == 0 and "MRR@10 0," in err
        assert kept.exists() == ("ordonnés" in err)
    finally:
        kept.unlink(missing_ok=True)
