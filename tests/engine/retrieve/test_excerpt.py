"""The piece of a post that shows why it was found."""

from hypothesis import given
from hypothesis import strategies as st

from engine.index.french import analyser
from engine.retrieve.excerpt import best_window, excerpt

WORDS = analyser("fr").words


def test_a_short_post_is_shown_whole_on_one_line():
    assert excerpt("Deux\n\nlignes.", {"lign"}, WORDS) == "Deux lignes."


def test_the_piece_holds_the_most_terms_and_says_where_it_was_cut():
    text = "Un frein. " + "Rien du tout. " * 60 + "Le frein grince sous la pluie battante. " + "Rien encore. " * 60
    shown = excerpt(text, {"frein", "grinc", "pluie"}, WORDS, chars=120)
    assert "frein grince sous la pluie" in shown and shown.startswith("… ") and shown.endswith(" …")


@given(
    st.lists(st.sampled_from(["mot", "frein", "pluie", "x" * 70, "\n"]), max_size=120).map(" ".join),
    st.integers(50, 300),
)
def test_a_window_is_a_bounded_slice(text, chars):
    start, end = best_window(text, {"frein", "plui"}, WORDS, chars=chars)
    assert 0 <= start <= end <= len(text) and end - start <= chars
