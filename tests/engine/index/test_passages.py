"""Windows of long posts: exact slices that cover the text."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.index.passages import IndexablePost, split, windows
from engine.values import PostId

words = st.lists(
    st.sampled_from(["mot", "phrase.", "très", "\n\n", "anticonstitutionnellement", "x" * 90]), max_size=300
).map(" ".join)


@given(words, st.integers(100, 400), st.integers(0, 50))
def test_windows_cover_the_text_within_their_size(text, size, overlap):
    found = list(windows(text, size, overlap))
    if not text.strip():
        assert found == []
        return
    assert found[0][0] == 0 and text[found[-1][1] :].strip() == ""
    for (start, end), (following, _) in pairwise(found):
        assert start < following <= end  # no gap, and always forward
    assert all(0 < end - start <= size for start, end in found)


def test_a_short_post_is_one_passage_with_its_context():
    post = IndexablePost(PostId(3), "Titre", "Atelier", ("freins", "vélo"), "Le corps.", 8)
    (only,) = split(post, window_chars=1200, overlap_chars=200)
    assert only.text == "Titre › Atelier › freins vélo › Le corps."


def test_a_sixty_thousand_character_post_gives_overlapping_windows_that_end_on_sentences():
    body = "Une phrase de longueur ordinaire pour la mesure. " * 1225
    passages = list(split(IndexablePost(PostId(1), "T", "", (), body, 1), window_chars=1200, overlap_chars=200))
    assert 55 <= len(passages) <= 65
    assert all(p.text.rstrip().endswith(".") for p in passages)


def test_identical_texts_share_one_key():
    a, b = (IndexablePost(PostId(i), "T", "C", (), "Même texte.", 8) for i in (1, 2))
    keys = {p.key for post in (a, b) for p in split(post, window_chars=1200, overlap_chars=0)}
    assert len(keys) == 1
