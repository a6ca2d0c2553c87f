"""`evaluate --fit-zones` on the demo forum."""

import json

import pytest

from app import cli, i18n
from app.resources import resource
from engine.answer import zones

QUESTIONS = resource("assets", "demo", "questions.yml")


@pytest.fixture
def run(demo_data, tmp_path, capsys):
    """Runs `evaluate … --fit-zones` on the demo, reports in a folder of its own: (status, stdout, stderr)."""

    def call(*argv):
        given = ["--data", str(demo_data), "evaluate", *map(str, argv), "--fit-zones", "--out", str(tmp_path / "out")]
        status = cli.run(given, {})
        output = capsys.readouterr()
        return status, output.out, output.err

    i18n.use("fr")
    yield call
    (demo_data / zones.FILE).unlink(missing_ok=True)  # the demo's folder is shared by the tests


@pytest.fixture
def off_topic(tmp_path):
    """A file of the moderator's own."""
    path = tmp_path / "ailleurs.yml"
    path.write_text("- {id: a, question: Comment cuire un œuf mollet ?}\n- {id: b, question: Quand semer ?}\n", "utf-8")
    return path


def test_too_few_questions_teach_nothing_but_are_measured(run, off_topic, demo_data, tmp_path):
    status, out, err = run(QUESTIONS, "--off-topic", off_topic)
    assert status == 0 and "Il faut au moins 40 questions" in err
    assert not (demo_data / zones.FILE).exists()
    assert len(out.splitlines()) > 8 and "%" in out
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".md", ".html", ".svg"}


def test_enough_questions_are_learned_from_and_the_outcome_is_said(run, off_topic, tmp_path, demo_data):
    """The demo's questions four times over, each a question of its own: enough of them, hence an outcome either way."""
    text = QUESTIONS.read_text("utf-8")
    path = tmp_path / "quatre.yml"
    copies = (
        text.replace("- id: demo-", f"- id: demo-{n}-").replace('question: "', f'question: "{n} ') for n in range(4)
    )
    path.write_text("".join(copies), "utf-8")
    status, out, err = run(path, "--off-topic", off_topic, "--json")
    scores = {row["score"] for row in json.loads(out)["zones"]}
    assert status == 0 and len(scores) == 2
    assert (demo_data / zones.FILE).exists() == (str(demo_data / zones.FILE) in err)
