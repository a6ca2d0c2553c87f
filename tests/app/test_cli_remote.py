"""`ask --answerer remote`: an answer from a server, the same rules for its words, and failures told in French."""

from __future__ import annotations

import json
import re

import pytest

from app import cli, i18n
from tests.engine.models.chat_server import DONE, event, serving

QUESTION = "Quels lots de la jante R-28C sont concernés par le rappel ?"


@pytest.fixture
def ask(demo_data, capsys):
    def command(environ, *options):
        status = cli.run(
            ["--data", str(demo_data), "ask", QUESTION, *options], {"ARCHIVISTE_COMBINE": "off", **environ}
        )
        i18n.use("fr")
        said = capsys.readouterr()
        return status, said.out, said.err

    return command


def test_the_words_of_a_server_are_judged_as_any_other(ask):
    said = (
        event("<think>Hum.</think>Les lots rappelés sont listés "),
        event("[[1]] [[77]], voir https://ailleurs.invalid"),
    )
    with serving(lambda served: served.say(*said, event(finish="stop"), DONE)) as server:
        status, out, _ = ask({"ARCHIVISTE_LLM_URL": server.url}, "--answerer", "remote", "--json")
    answer = json.loads(out)
    assert status == 0
    assert (answer["kind"], answer["answerer"], answer["removed_links"]) == ("answer", "remote", 2)
    assert "[[1]]" in answer["text"] and not re.search(r"think|ailleurs|77", answer["text"])
    ((_, _, request),) = server.requests
    assert QUESTION in request["messages"][1]["content"] and "<extrait" in request["messages"][1]["content"]


def test_a_server_that_was_given_is_used_without_being_named(ask):
    with serving(lambda served: served.say(event("Oui [[1]].", "stop"), DONE)) as server:
        status, out, _ = ask({"ARCHIVISTE_LLM_URL": server.url}, "--json")
    assert (status, json.loads(out)["answerer"]) == (0, "remote")


def test_a_server_that_fails_is_told_in_french_or_replaced_by_extracts(ask):
    with serving(lambda served: served.refuse(500)) as server:
        status, out, err = ask({"ARCHIVISTE_LLM_URL": server.url}, "--answerer", "remote")
        assert (status, out) == (1, "")
        assert f"Le serveur de réponses a échoué\u00a0: {server.url.removesuffix('/v1')}." in err
        status, out, err = ask({"ARCHIVISTE_LLM_URL": server.url})
        assert status == 0 and out.startswith("Extraits de l’archive")
        assert "Le serveur de réponses n’a pas répondu" in err


def test_without_a_server_it_says_what_to_do(ask):
    status, _, err = ask({}, "--answerer", "remote")
    assert status == 1
    assert "llm_url" in err


def test_an_address_with_a_password_is_refused_without_repeating_it(ask):
    status, _, err = ask({"ARCHIVISTE_LLM_URL": "http://moi:secret@machine/v1"})
    assert status == 1
    assert "secret" not in err and "«\u00a0llm_url\u00a0»" in err
