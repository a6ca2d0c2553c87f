"""Names, codes and quotations of a sentence that a post does not hold."""

from __future__ import annotations

import pytest

from engine.answer.names import Held, unknown_codes, unknown_names, unknown_quotes
from engine.index.french import analyser

WORDS = analyser("fr").words
HELD = Held.of(
    ["mes crockett and jones sont chez moulin", "deux 6902-2RS, un pc7, le script en C++", "L'Émerillon dit « rincer à l'eau »"],
    WORDS,
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "unknown"),
    [
        ("Le PC-7 et le 69022RS, en c++", ()),
        ("Le PC-8 et le 6903-2RS, en C#", ("PC-8", "6903-2RS", "C#")),
        ("Une vis de 12mm à 16h40, en 700x28, la 2e du 1er lot à 50%", ()),
        ("D’après octave_pignon, un câble HDMI", ("octave_pignon", "HDMI")),
    ],
)
def test_codes(sentence: str, unknown: tuple[str, ...]) -> None:
    assert unknown_codes(sentence, HELD) == unknown


@pytest.mark.parametrize(
    ("sentence", "unknown"),
    [
        ("Le Crockett & Jones va chez Moulin, dit l’Emerillon.", ()),
        ("Le Weston va chez Durand.", ("Weston", "Durand")),
        ("Famaco nourrit le cuir.", ("Famaco",)),
        ("Moulin nourrit le cuir.", ()),
        ("Brosser longuement. Comptez deux jours. Souvent, il pleut. Aujourd’hui aussi.", ()),
        ("Crème de jour et crème de nuit.", ()),
        ("- Poncez le bois\n- Deux couches", ()),
        ("La réunion est lundi, M. Moulin viendra en Mars.", ()),
    ],
)
def test_names(sentence: str, unknown: tuple[str, ...]) -> None:
    assert unknown_names(sentence, HELD, WORDS) == unknown


@pytest.mark.parametrize(
    ("sentence", "unknown"),
    [
        ("La notice dit « rincer à l’eau ».", ()),
        ("La notice dit \"Rincer … eau\".", ()),
        ("La notice dit « rincer à sec ».", ("rincer à sec",)),
        ("La notice dit “jones chez moulin”.", ("jones chez moulin",)),
    ],
)  # fmt: skip
def test_quotations(sentence: str, unknown: tuple[str, ...]) -> None:
    assert unknown_quotes(sentence, HELD) == unknown


def test_words_of_two_posts_never_make_one_code() -> None:
    assert unknown_codes("Le A4-B5", Held.of(["le a4", "b5 encore"], WORDS)) == ("A4-B5",)
