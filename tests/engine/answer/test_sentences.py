"""French sentences of forum posts, as exact slices."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.sentences import shorten, split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("Un. Deux ! Trois ? Quatre…", ["Un.", "Deux !", "Trois ?", "Quatre…"]),
        ("Un\nDeux\n\nTrois", ["Un", "Deux", "Trois"]),
        ("M. Dupont et Mme. Durand sont là.", ["M. Dupont et Mme. Durand sont là."]),
        ("Des crèmes, p. ex. Saphir. Oui.", ["Des crèmes, p. ex. Saphir.", "Oui."]),
        ("Cire, crème, etc. Ensuite on brosse.", ["Cire, crème, etc.", "Ensuite on brosse."]),
        ("Cire, crème, etc. dans cet ordre.", ["Cire, crème, etc. dans cet ordre."]),
        ("Voir n° 12. Puis cf. p. 3.", ["Voir n° 12.", "Puis cf. p. 3."]),
        ("Comptez 3.5 cm. Ou 3,5.", ["Comptez 3.5 cm.", "Ou 3,5."]),
        ("1. Brosser.\n2. Cirer.", ["1. Brosser.", "2. Cirer."]),
        ("Je pense… enfin peut-être. Oui.", ["Je pense… enfin peut-être.", "Oui."]),
        ("J. Dupont le dit. Moi aussi.", ["J. Dupont le dit.", "Moi aussi."]),
        (
            "Il dit « Ça brille. Vraiment. » et part. Fin.",
            ["Il dit « Ça brille. Vraiment. » et part.", "Fin."],
        ),
        ("« Oui ! » Puis il part.", ["« Oui ! »", "Puis il part."]),
        ("« Oui ! » dit-il. Puis il part.", ["« Oui ! » dit-il.", "Puis il part."]),
        ("Un « guillemet oublié. Deux. Trois.", ["Un « guillemet oublié.", "Deux.", "Trois."]),
        ("il brosse. ensuite il cire", ["il brosse.", "ensuite il cire"]),
        ("Quoi ?! Non.", ["Quoi ?!", "Non."]),
    ],
)
def test_french_rules(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in split(text)] == sentences


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(" .?!…«»\n\u00a0M1")), max_size=300))
def test_sentences_are_exact_slices_and_cover_the_text(text: str) -> None:
    end = 0
    for sentence in split(text):
        assert text[sentence.start : sentence.end] == sentence.text == sentence.text.strip() != ""
        assert text[end : sentence.start].strip() == ""
        end = sentence.end
    assert text[end:].strip() == ""


@given(st.text(max_size=80), st.integers(1, 60))
def test_a_shortened_text_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert text.startswith(short)
    assert len(short) <= limit


def test_a_line_without_end_takes_a_time_in_proportion_to_its_length() -> None:
    began = time.process_time()
    assert len(split("un mot. " * 200_000)) == 200_000
    assert time.process_time() - began < 10  # 0.5 s on a quiet machine; going back to the line's start took minutes
    assert [sentence.text for sentence in split("Avant.\n   12. Brosser. " + "long " * 20 + "12. Fin.")][1:3] == [
        "12. Brosser.",
        "long " * 20 + "12.",
    ]


def test_a_text_is_shortened_between_words() -> None:
    assert shorten("un deux trois", 9) == "un deux"
    assert shorten("un deux trois", 7) == "un deux"
    assert shorten("anticonstitutionnel", 4) == "anti"
