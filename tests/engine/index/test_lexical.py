"""The keyword index: BM25F against a computation by hand, conditions, damage."""

import math
from collections import Counter

import pytest

from engine.errors import IndexDamaged, IndexMissing
from engine.index import lexical
from engine.index.french import analyser
from engine.index.lexical import LexicalIndex
from engine.index.passages import IndexablePost
from engine.values import PostId

FR = analyser("fr")
BODIES = {
    5: "La chaîne saute sur le petit pignon.",
    2: "Une chaîne neuve, une cassette neuve et une chaîne encore.",
    9: "Le frein avant grince.",
    1: "Rien à voir : un gâteau au chocolat.",
    7: "La cassette est usée, la chaîne aussi, et le pignon de onze dents saute.",
}


@pytest.fixture
def opened(tmp_path):
    posts = [IndexablePost(PostId(i), f"Sujet {i}", "", (), body, 20) for i, body in sorted(BODIES.items())]
    assert lexical.build(tmp_path / "w", posts, FR) == len(BODIES)
    index = LexicalIndex(tmp_path / "w", FR)
    yield index
    index.close()


def bm25(term, body_id, b=0.75, k1=1.2):
    """Okapi BM25 of one term in one body, with Whoosh's idf: log(N / (df + 1)) + 1."""
    docs = {i: FR.words(text) for i, text in BODIES.items()}
    df = sum(term in words for words in docs.values())
    idf = math.log(len(docs) / (df + 1)) + 1
    tf, length = Counter(docs[body_id])[term], len(docs[body_id])
    average = sum(map(len, docs.values())) / len(docs)
    return idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))


def test_scores_are_bm25_as_computed_by_hand_on_five_documents(opened):
    found = opened.rank(["chaîne cassette"], limit=10)
    expected = {i: bm25("chain", i) + bm25("casset", i) for i in (2, 5, 7)}
    assert FR.words("chaîne cassette") == ["chain", "casset"]
    assert dict(zip(found.post_ids, found.scores, strict=True)) == pytest.approx(expected, rel=0.02)


def test_conditions_hold_before_the_limit(opened):
    assert opened.rank(["chaîne"], limit=1, allowed=frozenset({PostId(7)})).post_ids == (7,)
    assert 2 not in opened.rank(["chaîne"], limit=5, excluded=frozenset({PostId(2)})).post_ids
    assert opened.rank(["chaîne"], limit=5, allowed=frozenset()).post_ids == ()
    assert opened.rank(["chaîne"], limit=5, allowed=frozenset({PostId(12345)})).post_ids == ()


def test_a_phrase_needs_its_words_side_by_side(opened):
    assert opened.matching("petit pignon") == {5}
    assert opened.matching("pignon petit") == frozenset()
    assert opened.matching("de la") is None


def test_a_title_can_be_asked_alone(opened):
    assert opened.matching("sujet 9", field="title") == {9}


def test_a_query_of_a_pasted_page_is_bounded(opened):
    with opened._searching() as searcher:
        terms = opened._query_terms(searcher.reader(), " ".join(BODIES.values()) * 50)
    assert len(terms) <= 2 * lexical.MAX_QUERY_TERMS


def test_the_count_agrees_with_what_was_given(opened):
    assert len(opened) == 5 and sorted(opened.post_ids) == [1, 2, 5, 7, 9]


# Whoosh itself leaves the file open when it can't read it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_missing_and_a_damaged_folder_are_told_apart(tmp_path, opened):
    with pytest.raises(IndexMissing):
        LexicalIndex(tmp_path / "nowhere", FR)
    for file in (tmp_path / "w").glob("*.seg"):
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(IndexDamaged):
        LexicalIndex(tmp_path / "w", FR)


def test_giving_up_half_way_leaves_no_lock(tmp_path):
    def stop(done):
        if done == 2:
            raise KeyboardInterrupt

    posts = [IndexablePost(PostId(i), "T", "", (), "texte", 5) for i in range(5)]
    with pytest.raises(KeyboardInterrupt):
        lexical.build(tmp_path / "a", posts, FR, on_post=stop)
    assert lexical.build(tmp_path / "b", posts, FR) == 5


def test_an_empty_archive_has_an_empty_index(tmp_path):
    assert lexical.build(tmp_path / "w", [], FR) == 0
    index = LexicalIndex(tmp_path / "w", FR)
    assert index.rank(["chaîne"], limit=5).post_ids == ()
    index.close()
