"""The rules that come with the application, and a moderator's file laid over them."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import rule_file
from engine.answer.rules import Rule, Rules, caught
from engine.errors import GateFileError

SHIPPED = rule_file.shipped()
IDS = [rule.id for rule in SHIPPED.rules]
NEW = """
[[rules]]
id = "politique"
reason = "Pas de politique ici."
verbs = ["voter"]
objects = ["maire"]
must_catch = ["Pour qui voter comme maire ?"]
must_pass = ["La mairie est-elle ouverte ?"]
"""


@pytest.fixture
def lay(tmp_path: Path):
    def over(text: str) -> Rules:
        path = tmp_path / "gate.toml"
        path.write_text(text, encoding="utf-8")
        return rule_file.overlaid(path)

    return over


def named(rules: Rules, name: str) -> Rule:
    return next(rule for rule in rules.rules if rule.id == name)


# --- the shipped rules ------------------------------------------------------------------------------


def test_the_ids_are_distinct() -> None:
    assert len(IDS) == len(set(IDS)) >= 13


@pytest.mark.parametrize("rule", SHIPPED.rules, ids=IDS)
def test_each_rule_catches_and_passes_as_its_phrases_say(rule: Rule) -> None:
    alone = Rules((rule,), SHIPPED.asking, SHIPPED.polite, SHIPPED.sms)
    assert len(rule.must_catch) >= 2
    assert len(rule.must_pass) >= 2
    assert [phrase for phrase in rule.must_catch if not caught(alone, phrase)] == []
    # What one rule lets pass, no other catches either.
    assert [phrase for phrase in rule.must_pass if caught(SHIPPED, phrase)] == []


@pytest.mark.parametrize("rule", SHIPPED.rules, ids=IDS)
def test_each_rule_is_an_intent_and_not_a_topic(rule: Rule) -> None:
    assert bool(rule.orders or rule.asked or rule.verbs) == bool(rule.objects)
    assert all(len(re.findall(r"\w+", phrase)) >= 2 for phrase in rule.phrases)
    # An object alone, a verb alone: nothing.
    topics = [f"{thing} ?" for thing in rule.objects if "*" not in thing and "@" not in thing]
    assert [thing for thing in topics if caught(Rules((rule,)), thing)] == []


@pytest.mark.parametrize("rule", SHIPPED.rules, ids=IDS)
def test_each_reason_is_a_french_sentence(rule: Rule) -> None:
    assert rule.reason[0].isupper()
    assert rule.reason.endswith(".")
    assert "'" not in rule.reason
    assert not re.search(r"(?<!\u00a0):|(?<!\u202f)[;!?]", rule.reason)


def test_whoever_thinks_of_death_is_told_whom_to_call() -> None:
    assert "3114" in named(SHIPPED, "suicide").reason
    assert "15" in named(SHIPPED, "empoisonnement").reason


# --- a moderator's file ----------------------------------------------------------------------------


def test_a_rule_is_added_after_the_shipped_ones(lay) -> None:
    rules = lay(NEW)
    assert [rule.id for rule in rules.rules] == [*IDS, "politique"]
    assert caught(rules, "pour qui vote-t-on comme maire") is None
    assert caught(rules, "Pour qui voter, comme maire ?").reason == "Pas de politique ici."  # type: ignore[union-attr]


def test_only_what_the_file_says_changes(lay) -> None:
    rules = lay('[[rules]]\nid = "sante"\nreason = "Voyez un médecin."\n')
    before, after = named(SHIPPED, "sante"), named(rules, "sante")
    assert after.reason == "Voyez un médecin."
    assert [f.name for f in fields(Rule) if getattr(before, f.name) != getattr(after, f.name)] == ["reason"]
    assert [rule.id for rule in rules.rules] == IDS


def test_a_rule_can_be_turned_off(lay) -> None:
    question = "Faut-il acheter du bitcoin ?"
    assert caught(SHIPPED, question) is named(SHIPPED, "argent")
    assert caught(lay('[[rules]]\nid = "argent"\noff = true\n'), question) is None


def test_words_of_the_forum_can_be_added(lay) -> None:
    rules = lay('asking = ["cher archiviste"]\npolite = ["holà"]\n[sms]\ntradq = "traduis"\n')
    assert caught(rules, "tradq ce texte") is named(SHIPPED, "traduction")
    assert caught(rules, "Cher archiviste traduire ce texte") is named(SHIPPED, "traduction")


def test_a_file_of_notepad_is_read(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_bytes(b"\xef\xbb\xbf" + NEW.replace("\n", "\r\n").encode())
    assert [rule.id for rule in rule_file.overlaid(path).rules][-1] == "politique"


WRONG = {
    "syntax": ('\n[[rules]]\nid = "a"\nreason = "Une phrase\n', 4),
    "syntax at the end": ('[[rules]]\nverbs = ["a",\n', 2),
    "unknown": ('[[rules]]\nid = "sante"\n\nverbes = ["prendre"]\n', 4),
    "unknown table": ("[regles]\n", 1),
    "kind": ('[[rules]]\nid = "sante"\nverbs = "prendre"\n', 3),
    "kind of a number": ('[[rules]]\nid = "sante"\nwithin = 300\n', 3),
    "kind of a switch": ('[[rules]]\nid = "sante"\noff = "oui"\n', 3),
    "kind of a pattern": ('[[rules]]\nid = "sante"\nobjects = ["*"]\n', 3),
    "kind of a list": ("polite = [1]\n", 1),
    "kind of the rules": ('rules = "aucune"\n', 1),
    "id": ('[[rules]]\nid = "sante"\noff = true\n\n[[rules]]\nid = "Ma règle"\n', 6),
    "reason": ('[[rules]]\nid = "neuve"\nphrases = ["deux mots"]\n', 1),
    "intent": ('[[rules]]\nid = "neuve"\nreason = "Non."\nobjects = ["politique"]\n', 2),
    "intent of nothing": ('[[rules]]\nid = "neuve"\nreason = "Non."\n', 2),
    "lonely": ('[[rules]]\nid = "neuve"\nreason = "Non."\nphrases = ["politique"]\n', 4),
    "passes": (NEW.replace("comme maire ?", "au conseil ?"), 7),
    "caught": (NEW.replace("La mairie est-elle ouverte ?", "Où voter pour le maire ?"), 8),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_says_where_and_why(case: str, lay) -> None:
    text, line = WRONG[case]
    with pytest.raises(GateFileError) as failure:
        lay(text)
    details = failure.value.details
    assert (details["path"], details["reason"], details["line"]) == ("gate.toml", case.split()[0], line)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GateFileError) as failure:
        rule_file.overlaid(path)
    assert failure.value.details["reason"] == "unreadable"


VALUES = st.one_of(st.text(max_size=8), st.integers(), st.booleans(), st.lists(st.text(max_size=8), max_size=3))
KEYS = st.sampled_from(["id", "reason", "orders", "verbs", "objects", "phrases", "except", "within", "off", "nom"])


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value) if isinstance(value, int) else "'" + re.sub(r"['\x00-\x1f\x7f]", "", str(value)) + "'"


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=3))
def test_any_file_is_taken_whole_or_refused_with_a_line(tmp_path_factory, tables) -> None:
    text = "\n".join("[[rules]]\n" + "\n".join(f"{k} = {_toml(v)}" for k, v in table.items()) for table in tables)
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        rules = rule_file.overlaid(path)
    except GateFileError as error:
        assert 1 <= int(str(error.details["line"])) <= len(text.splitlines()) + 1
    else:
        assert [rule.id for rule in rules.rules][: len(IDS)] == IDS
