"""What is wrong with the moderators' rules is told with its line, each mistake in its own sentence."""

import ast
import re

import pytest

from app import i18n
from app.messages import message
from app.messages_gate import GATE_PRECISE
from app.resources import resource
from engine import GateFileError

FACTS = {"path": "gate.toml", "line": 12, "key": "verbes", "id": "sante", "value": "politique"}
REASONS = [reason for _, reason in GATE_PRECISE]


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")


@pytest.mark.parametrize("reason", REASONS)
def test_each_mistake_has_its_own_sentence(reason):
    said = message(GateFileError(reason=reason, **FACTS))
    assert "gate.toml" in said
    assert "12" in said or reason == "unreadable"
    assert "Les règles fournies avec l’application restent en vigueur" in said
    assert not re.search(r"[{}…]", said)
    assert said[0].isupper()
    assert said.endswith(".")


def test_the_sentences_differ():
    said = {message(GateFileError(reason=reason, **FACTS)) for reason in [*REASONS, "other"]}
    assert len(said) == len(REASONS) + 1


def test_every_mistake_that_the_engine_can_find_has_a_sentence():
    tree = ast.parse(resource("engine/answer/rule_file.py").read_text("utf-8"))
    found = {"unreadable"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "wrong":
            found.add(node.args[0].value)
    assert found == set(REASONS)
