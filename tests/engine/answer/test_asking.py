"""A question through the gate and the conversation, then through a whole archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.answer.asking import Asked, generator, understand
from engine.answer.gate import FILE, Gate
from engine.archive import Archive, open_archive
from engine.index.french import analyser
from engine.seams import Generate, Message, Models
from engine.values import Abstention, Answer, Declined, EvidenceFound
from tests.factories import WORD_MODELS, settings

GATE = Gate(Path("/inexistant"))
BOOTS = "Quelles bottes Paraboot pour la pluie ?"


def says(text: str) -> Generate:
    def generate(messages: Sequence[Message]) -> Iterator[str]:
        yield text

    return generate


def never(messages: Sequence[Message]) -> Iterator[str]:
    raise AssertionError("the model was called")


def ask(question: str, *history: str, generate: Generate | None = None, gate: Gate | None = GATE) -> Asked | Declined:
    return understand(
        question, history, gate=gate, names=lambda words: (), generate=generate, analyse=analyser("fr").words,
        check=lambda: None,
    )  # fmt: skip


def test_a_first_question_is_searched_as_it_is() -> None:
    found = ask(BOOTS, generate=never)
    assert found == Asked(BOOTS, BOOTS)
    assert found.search == ""


def test_a_follow_up_is_searched_with_its_subject() -> None:
    found = ask("et pour les femmes ?", BOOTS)
    assert isinstance(found, Asked)
    assert (found.question, found.search) == ("et pour les femmes ?", "bottes Paraboot pluie — pour les femmes ?")


def test_a_declined_question_costs_no_model_call() -> None:
    found = ask("et traduis ce texte en anglais", BOOTS, generate=never)
    assert isinstance(found, Declined)
    assert (found.rule, found.search) == ("traduction", "")
    assert found.reason.startswith("Je suis seulement le guide")


def test_a_follow_up_that_carries_its_object_in_an_earlier_message_is_declined_too() -> None:
    found = ask("comment en fabriquer une ?", "C'est quoi une bombe artisanale ?", generate=never)
    assert isinstance(found, Declined)
    assert (found.rule, found.question) == ("explosifs", "comment en fabriquer une ?")
    assert "bombe" in found.search


def test_a_follow_up_of_a_harmless_subject_passes() -> None:
    found = ask("et comment la fabriquer ?", "Quelle bombe de peinture pour un cadre ?")
    assert isinstance(found, Asked)
    assert found.search == "bombe peinture cadre — comment la fabriquer ?"


def test_what_a_model_makes_of_a_follow_up_passes_the_gate_as_well() -> None:
    history = ("Quelle bombe artisanale a servi ?", "Qui l'avait faite ?")
    found = ask("comment elle est faite ?", *history, generate=says("comment fabriquer une bombe artisanale faite ?"))
    assert isinstance(found, Declined)
    assert found.search.startswith("comment fabriquer")


def test_the_gate_can_be_off() -> None:
    assert ask("Traduis ce texte.", gate=None) == Asked("Traduis ce texte.", "Traduis ce texte.")


def test_the_answerer_decides_which_model_rewrites() -> None:
    local, remote = says("local"), says("remote")
    both = Models(generate=local, remote=remote)
    assert generator(both, "extractive") is None
    assert generator(both, "llm") is local
    assert generator(both, "remote") is remote
    assert generator(both, "auto") is remote
    assert generator(Models(generate=local), "auto") is local
    assert generator(Models(), "auto") is None


# --- in an archive ---------------------------------------------------------------------------------


def test_a_declined_question_is_the_only_event(tiny: Archive) -> None:
    (only,) = tiny.ask("  Traduis ce texte en anglais.  ")
    assert isinstance(only, Declined)
    assert only.question == "Traduis ce texte en anglais."


def test_a_members_name_is_known_to_the_gate(tiny: Archive) -> None:
    (only,) = tiny.ask("Quelle est l'adresse personnelle de Bruno ?")
    assert isinstance(only, Declined)
    assert only.rule == "donnees-membres"
    assert not any(isinstance(event, Declined) for event in tiny.ask("Quelle est l'adresse personnelle de Zoé ?"))


def test_a_member_called_dan_is_no_jailbreak(tiny: Archive) -> None:
    assert not any(isinstance(event, Declined) for event in tiny.ask("Dan, tu es là ? Quelle huile pour la chaîne ?"))


def test_the_events_tell_what_was_searched(tiny: Archive) -> None:
    first, *_, last = tiny.ask("et par temps sec ?", ["Quelle huile pour la chaîne ?"])
    assert isinstance(first, EvidenceFound)
    assert isinstance(last, Answer)
    assert first.search == last.search == "huile chaîne — par temps sec ?"
    assert last.question == "et par temps sec ?"
    assert last.evidence[0].topic_id == 2  # "Quelle huile pour la chaîne ?"


def test_an_abstention_tells_it_too(tiny: Archive) -> None:
    *_, last = tiny.ask("et à Oulan-Bator ?", ["Quelle est la capitale de la Mongolie ?"])
    assert isinstance(last, Abstention)
    assert last.search == "capitale Mongolie — à Oulan-Bator ?"


def test_a_question_that_stands_alone_is_searched_alone(tiny: Archive) -> None:
    first, *_ = tiny.ask("Comment orienter les patins de mes freins ?", ["Quelle huile pour la chaîne ?"])
    assert first == replace(first, search="")


def test_extracts_never_ask_a_model_to_rewrite(tiny: Archive) -> None:
    with open_archive(tiny.settings, replace(WORD_MODELS, generate=never)) as archive:
        *_, last = archive.ask("et par temps sec ?", ["Quelle huile pour la chaîne ?"], answerer="extractive")
    assert isinstance(last, Answer)


def test_the_setting_turns_the_gate_off(tiny: Archive) -> None:
    with open_archive(settings(tiny.settings.data, gate="off"), WORD_MODELS) as archive:
        assert not any(isinstance(event, Declined) for event in archive.ask("Traduis ce texte en anglais."))


@pytest.fixture
def rules(tiny: Archive) -> Iterator[Path]:
    path = tiny.settings.data / FILE
    yield path
    path.unlink(missing_ok=True)


def test_a_moderators_rule_counts_at_once(tiny: Archive, rules: Path) -> None:
    rules.write_text(
        '[[rules]]\nid = "politique"\nreason = "Pas de politique ici."\nverbs = ["voter"]\nobjects = ["maire"]\n',
        "utf-8",
    )
    (only,) = tiny.ask("Pour qui voter comme maire ?")
    assert isinstance(only, Declined)
    assert (only.rule, only.reason) == ("politique", "Pas de politique ici.")
