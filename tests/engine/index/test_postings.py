"""Postings in blocks: what Whoosh finds in them, one by one, and what arrays read of them whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whoosh import scoring

from engine.index import lexical, postings
from engine.index.french import analyser
from engine.index.lexical import LexicalIndex
from engine.index.passages import IndexablePost
from engine.values import PostId

FR = analyser("fr")
WORDS = ("selle", "guidon", "pignon", "moyeu", "rayon")
bodies = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=40)


def posts_of(texts):
    return [IndexablePost(PostId(i), "Titre", "", (), text, 20) for i, text in enumerate(texts)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(postings, "BLOCK", 4)


@settings(max_examples=25)
@given(bodies, st.lists(st.sampled_from(WORDS), min_size=2, max_size=3))
def test_a_phrase_is_found_where_its_words_stand_side_by_side(tmp_path_factory, texts, phrase):
    folder = tmp_path_factory.mktemp("index") / "w"
    lexical.build(folder, posts_of(texts), FR)
    index = LexicalIndex(folder, FR)
    expected = {i for i, text in enumerate(texts) if f" {' '.join(phrase)} " in f" {text} "}
    assert index.matching(" ".join(phrase)) == expected
    index.close()


@settings(max_examples=25)
@given(bodies, st.sets(st.sampled_from(WORDS), min_size=1))
def test_scores_are_those_that_whoosh_computes_itself(tmp_path_factory, texts, asked):
    folder = tmp_path_factory.mktemp("index") / "w"
    lexical.build(folder, posts_of(texts), FR)
    index = LexicalIndex(folder, FR)
    found = index.rank(sorted(asked), limit=100)
    terms = [lexical.query.Term("body", term) for term in FR.words(" ".join(sorted(asked)))]
    searcher = index._index.searcher(weighting=scoring.BM25F())
    hits = searcher.search(lexical.query.Or(terms), limit=None)
    expected = {int(index._documents[document]): score for score, document in hits.top_n}
    assert dict(zip(found.post_ids, found.scores, strict=True)) == pytest.approx(expected, rel=1e-5)
    searcher.close()
    index.close()


def test_a_term_of_many_posts_is_read_in_several_blocks(tmp_path):
    texts = [f"selle {'guidon ' * (i % 7)}" for i in range(300)]
    lexical.build(tmp_path / "w", posts_of(texts), FR)
    index = LexicalIndex(tmp_path / "w", FR)
    with index._searching() as searcher:
        blocks = [block for _, block in lexical._blocks(searcher.reader(), "body", "guidon")]
    assert len(blocks) > 20
    documents = np.concatenate([block.docs for block in blocks])
    assert documents.tolist() == [i for i in range(300) if i % 7]
    assert np.concatenate([block.counts for block in blocks]).tolist() == [i % 7 for i in range(300) if i % 7]
    assert np.concatenate([block.lengths for block in blocks]).tolist() == [1 + i % 7 for i in range(300) if i % 7]
    index.close()
