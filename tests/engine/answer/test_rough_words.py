"""Spellings that are read alike give the same rough words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.rough_words import rough, words

LETTERS = st.text("abcdefghijklmnopqrstuvwxyzàâçéèêëîïôùûœÀÉÇ' -,.?!", max_size=60)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Traduis ça", "TRADUIS CA"),
        ("l'explosif", "l’explosif"),
        ("l'explosif", "l explosif"),
        ("fabriquer une bombe", "fabbriquer une bommbe"),
        ("la bombe", "la b.o.m.b.e"),
        ("la bombe", "la b o m b e"),
        ("la bombe", "la bom\u200bbe"),
        ("la bombe", "la bоmbе"),  # two Cyrillic letters
        ("la bombe", "la ｂｏｍｂｅ"),
        ("la bombe", "la b0mb3"),
        ("la bombe", "la bomb&#101;"),
        ("des bombes", "des bombe"),
        ("une photo", "une foto"),
        ("quel coktail", "kel koktail"),
        ("cœur", "coeur"),
    ],
)
def test_disguises_count_for_nothing(one: str, other: str) -> None:
    assert words(one) == words(other)


@pytest.mark.parametrize(("one", "other"), [("hack", "Hackett"), ("une arme", "une armée"), ("bombe", "bobine")])
def test_words_that_only_look_alike_stay_apart(one: str, other: str) -> None:
    assert words(one) != words(other)


@pytest.mark.parametrize("code", ["28c", "mp3", "650b", "f-gabc", "20"])
def test_digits_of_sizes_and_codes_stay_digits(code: str) -> None:
    assert [c for word in words(code) for c in word if c.isdigit()] == [c for c in code if c.isdigit()]


def test_sentences_and_commas_set_words_apart() -> None:
    assert words("Bonjour, Dan. Ça va ?") == ["bonjour", ",", "dan", ".", ".", ".", "ka", "va", ".", ".", "."]


def test_a_decimal_point_ends_no_sentence() -> None:
    assert "." not in words("un axe de 3.5 mm et le site exemple.fr aussi")


def test_names_are_marked_by_their_sigil_an_underscore_or_the_archive() -> None:
    assert words("@dan") == ["dan@"]
    assert words("de mamie_derailleur") == ["de", "mamie@", "deraileur@"]
    assert words("de Grimpette", names=lambda found: {"grimpette"} & set(found)) == ["de", "grimpete@"]
    assert words("écrire à a@exemple.fr") == ["ekrire", "a", "a", "exemple", "fr"]


def test_sms_words_are_read_as_usual_ones() -> None:
    assert words("KOMAN faire", sms={"koman": "comment"}) == words("comment faire")


def test_the_beginning_of_a_word_keeps_its_last_letter() -> None:
    assert (rough("bombes"), rough("bombes", whole=False)) == ("bombe", "bombes")


@given(LETTERS)
def test_case_form_and_apostrophes_count_for_nothing(text: str) -> None:
    expected = words(text)
    assert words(text.upper()) == expected
    assert words(unicodedata.normalize("NFD", text)) == expected
    assert words(text.replace("'", "’")) == expected
    assert words(text.replace("'", "ʼ")) == expected


@given(LETTERS)
def test_accents_count_for_nothing(text: str) -> None:
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    assert words(bare) == words(text)


@given(st.text(max_size=200))
def test_any_text_gives_words_without_spaces(text: str) -> None:
    assert all(word and not any(c.isspace() for c in word) for word in words(text, names=lambda found: found))
