"""The archive's words as they are written."""

from engine.index import lexical, vocabulary
from engine.index.french import analyser, tokens
from engine.index.passages import IndexablePost


def counted(tmp_path, *texts):
    counting = vocabulary.Counting()
    for text in texts:
        counting.add(tokens(text))
    counting.save(tmp_path / "words.txt")
    return vocabulary.read(tmp_path / "words.txt")


def test_a_word_counts_once_a_post_and_needs_two_posts(tmp_path):
    found = counted(tmp_path, "L'été, l’ÉTÉ et la plage", "Un été sans sel", "La plage")
    assert (found.posts("été"), found.posts("plage"), found.posts("sel")) == (2, 2, 0)
    assert found.words == ["plage", "été"] or found.words == ["été", "plage"]


def test_codes_numbers_and_short_words_are_not_words(tmp_path):
    assert counted(tmp_path, "3,5 r2d2 de 42", "3,5 r2d2 de 42").words == []


def test_the_most_frequent_of_words_with_other_accents_is_the_one_meant(tmp_path):
    found = counted(tmp_path, "pêche", "pêche", "pêche", "péché", "péché", "péché peche", "peche pêche")
    assert found.same_but_accents("peche") == "pêche"
    assert found.same_but_accents("PÊCHE".lower()) == "pêche"
    assert found.same_but_accents("pomme") is None


def test_the_words_that_enough_posts_hold_stand_first():
    found = vocabulary.Vocabulary({"selle": 2, "chaîne": 9, "jante": 5})
    assert found.words == ["chaîne", "jante", "selle"]
    assert [found.held_by(n) for n in (1, 2, 3, 5, 6, 9, 10)] == [3, 3, 2, 2, 1, 1, 0]


def test_a_generation_without_words_knows_none(tmp_path):
    assert vocabulary.read(tmp_path / "words.txt").words == []


def test_the_keyword_index_brings_the_words_of_titles_and_posts(tmp_path):
    posts = [IndexablePost(n, "Freinage", "", (), "Les patins couinent", 20) for n in (1, 2)]
    lexical.build(tmp_path / "whoosh", posts, analyser("fr"))
    index = lexical.LexicalIndex(tmp_path / "whoosh", analyser("fr"))
    try:
        assert set(index.vocabulary.words) == {"les", "patins", "couinent"}  # the title is one, of one topic
    finally:
        index.close()
