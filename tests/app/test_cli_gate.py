"""Asking from the command line what the gate declines, and what an earlier question completes."""

import json
import shutil

import pytest

from app import cli, i18n

DECLINED = "Traduis ce texte en anglais."


@pytest.fixture
def data(demo_data, tmp_path):
    """The demo archive, with room for a moderator's file of its own."""
    return shutil.copytree(demo_data, tmp_path / "archive")


@pytest.fixture
def run(data, capsys):
    def call(*argv, environ=None):
        status = cli.run(["--data", str(data), *argv], environ or {})
        output = capsys.readouterr()
        return status, output.out, output.err

    yield call
    i18n.use("fr")


def test_a_declined_question_is_the_sentence_of_its_rule(run):
    status, out, err = run("ask", DECLINED)
    assert (status, err) == (0, "")
    assert " ".join(out.split()).startswith("Je suis seulement le guide des archives de ce forum : je ne traduis pas")


def test_a_declined_question_in_json_is_the_contract(run):
    status, out, _ = run("ask", DECLINED, "--json")
    assert status == 0
    document = json.loads(out)
    assert list(document) == [
        *("question", "kind", "zone", "answerer", "text", "citations", "evidence", "removed_links"),
        *("unsupported_sentences", "timings_ms", "rule"),
    ]
    assert (document["kind"], document["zone"], document["answerer"]) == ("declined", "empty", None)
    assert (document["question"], document["rule"]) == (DECLINED, "traduction")
    assert document["citations"] == document["evidence"] == []


def test_the_gate_can_be_turned_off(run):
    _, out, _ = run("ask", DECLINED, "--json", environ={"ARCHIVISTE_GATE": "off"})
    assert json.loads(out)["kind"] != "declined"


def test_an_earlier_question_completes_this_one(run):
    _, out, _ = run("ask", "et pour 70 kilos ?", "--after", "Quelle pression pour des pneus de 28 ?", "--json")
    document = json.loads(out)
    assert list(document)[:2] == ["question", "search"]
    assert document["search"] == "pression pneus 28 — pour 70 kilos ?"
    assert document["question"] == "et pour 70 kilos ?"
    _, out, _ = run("ask", "et pour 70 kilos ?", "--after", "Quelle pression pour des pneus de 28 ?")
    assert "pression pneus 28 — pour 70 kilos" in out


def test_a_question_that_stands_alone_has_no_search_of_its_own(run):
    _, out, _ = run("ask", "Quelle cire pour ma chaîne neuve ?", "--after", "Quelle pression ?", "--json")
    assert "search" not in json.loads(out)


def test_a_broken_file_of_rules_is_told_and_the_shipped_rules_hold(run, data):
    (data / "gate.toml").write_text('[[rules]]\nid = "traduction"\noff = true\nverbes = ["x"]\n', "utf-8")
    status, out, err = run("ask", DECLINED, "--json")
    assert status == 0
    assert json.loads(out)["kind"] == "declined"
    assert "gate.toml" in err
    assert "4" in err
    assert str(data) not in err
    assert len(err.splitlines()) == 1


def test_a_moderators_rule_is_told_in_its_own_words(run, data):
    (data / "gate.toml").write_text('[[rules]]\nid = "traduction"\nreason = "Voyez un traducteur."\n', "utf-8")
    assert run("ask", DECLINED) == (0, "Voyez un traducteur.\n", "")
