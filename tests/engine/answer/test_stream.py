"""What is shown while a model writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.stream import preview, spoken, without_thoughts

from .samples import foreign


def cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Bonjour.", "Bonjour."),
        ("<think>je réfléchis</think>Bonjour.", "Bonjour."),
        ("<think>je réfléchis sans fin", ""),
        ("Oui. <think>hmm</think>Non. <THINKING>hmm</thinking>Si.", "Oui. Non. Si."),
        ("3 < 4 et <thin> papier", "3 < 4 et <thin> papier"),
    ],
)
def test_thoughts_are_never_spoken(text: str, said: str, size: int) -> None:
    assert "".join(spoken(cut(text, size))) == said
    assert without_thoughts(text) == said


def test_a_block_opened_by_the_template_is_thought_too() -> None:
    assert without_thoughts("je réfléchis</think>\nBonjour.") == "\nBonjour."


@pytest.mark.parametrize("size", [1, 2, 3, 5, 11, 100])
def test_markers_and_links_are_hidden_whatever_the_pieces(size: int) -> None:
    text = "Le cuir [[1]] boit [[ 2, 3 ]]. Voir https://exemple.fr/x ou exemple.invalid/y et [[99]] fin"
    assert "".join(preview(cut(text, size))).split() == ["Le", "cuir", "boit.", "Voir", "ou", "et", "fin"]


def test_pieces_keep_their_spaces_and_lines() -> None:
    assert "".join(preview(["Un mot", " puis\n", "une ligne"])) == "Un mot puis\nune ligne"


@given(st.text(alphabet="<thinkg/>ab [1]\n.", max_size=120), st.integers(1, 9))
def test_cutting_elsewhere_says_the_same(text: str, size: int) -> None:
    assert "".join(spoken(cut(text, size))) == "".join(spoken([text]))


@given(st.lists(st.sampled_from(["http", "://", "x.fr", "/a", " ", "[[1]]", "<b>", "mot", "\n"]), max_size=30))
def test_no_piece_holds_a_link(pieces: list[str]) -> None:
    for piece in preview(pieces):
        assert foreign(piece) == []
        assert "[[" not in piece
