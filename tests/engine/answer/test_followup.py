"""Which messages lean on the ones before, and what they leave out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.followup import Leaning, leaning, left_out, without_link
from engine.index.french import analyser

WORDS = analyser("fr").words
BOOTS = "Quelles bottes Paraboot pour la pluie ?"


def leans(message: str, earlier: str = BOOTS) -> Leaning:
    return leaning(message, earlier, analyse=WORDS)


@pytest.mark.parametrize(
    "message",
    [
        "et pour les femmes ?",
        "laquelle est la plus solide ?",
        "Est-ce qu'elles taillent grand ?",
        "Combien ça coûte ?",
        "Où en trouver ?",
        "Comment les nettoyer ?",
        "Tu les achètes où ?",
        "Quel est leur prix ?",
        "Comment entretenir ce cuir ?",
        "Le second craint-il l'eau ?",
        "c'est solide ?",
        "Pourquoi ?",
        "D'occasion aussi ?",
    ],
)
def test_small_words_point_back(message: str) -> None:
    assert leans(message) is Leaning.LEANS


@pytest.mark.parametrize(
    "message",
    [
        "Comment régler un dérailleur arrière à neuf vitesses ?",
        "Autre question : et pour les freins ?",
        "C'est quoi un cousu Blake ?",
        "Merci beaucoup !",
        "Faut-il graisser le filetage des pédales avant de les monter ?",
        "Il faut combien de temps pour recoudre une trépointe ?",
        "Et comment régler un dérailleur avant ?",
    ],
)
def test_a_whole_question_a_definition_or_a_thank_you_stands_alone(message: str) -> None:
    assert leans(message) is Leaning.ALONE


@pytest.mark.parametrize("message", ["chaussures imperméables", "Les chats voient-ils la nuit ?"])
def test_what_points_nowhere_may_go_either_way(message: str) -> None:
    assert leans(message) is Leaning.PERHAPS


def test_without_an_earlier_message_everything_stands_alone() -> None:
    assert leans("et pour les femmes ?", "") is Leaning.ALONE
    assert leans("", BOOTS) is Leaning.ALONE


@pytest.mark.parametrize(
    ("message", "earlier", "words"),
    [
        ("et pour les femmes ?", BOOTS, ("bottes", "Paraboot", "pluie")),
        ("et en 2015 ?", "Quel prix en 2022 ?", ("prix",)),
        ("et de 32 ?", "Quelle pression pour du 28 mm ?", ("pression",)),
        ("et en été ?", "Quels pneus en hiver ?", ("pneus",)),
        ("et à Bordeaux ?", "Un cordonnier à Lyon ?", ("cordonnier",)),
        ("et le daim ?", "Comment brosser le cuir ?", ("brosser",)),
        ("Comment brosser ce cuir ?", "Le cuir cordovan", ("cordovan",)),
        ("en noir ?", "La permanence a été supprimée", ("permanence", "supprimée")),
    ],
)
def test_what_is_carried_is_what_the_message_does_not_replace(
    message: str, earlier: str, words: tuple[str, ...]
) -> None:
    assert left_out(message, earlier, analyse=WORDS) == words


@pytest.mark.parametrize(
    ("message", "bare"),
    [
        ("Et pour les femmes ?", "pour les femmes ?"),
        ("Du coup, et toi ?", "et toi ?"),
        ("Et ?", "?"),
        ("étrier", "étrier"),
    ],
)
def test_the_link_to_the_message_before_is_dropped(message: str, bare: str) -> None:
    assert without_link(message) == bare


# "_" is a letter for the analysis and none for these words.
TEXTS = st.text(st.characters(exclude_characters="_"), max_size=80)


@given(TEXTS, TEXTS)
def test_any_two_texts_are_weighed(message: str, earlier: str) -> None:
    assert leans(message, earlier) in Leaning
    known = set(WORDS(earlier))
    assert all(set(WORDS(word)) <= known for word in left_out(message, earlier, analyse=WORDS))
