"""How often terms occur, and how they are written for an engine that splits text its own way."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IndexDamaged
from engine.index.french import analyser
from engine.index.milvus_words import texts, written
from engine.index.terms import Terms

FR = analyser("fr")


def test_what_was_counted_is_read_again(tmp_path):
    terms = Terms()
    terms.add({"title": ["chain"], "body": ["chain", "chain", "us"], "exact": ["c++"]})
    terms.add({"title": [], "body": ["us"], "exact": []})
    terms.save(tmp_path / "terms.txt")
    again = Terms.load(tmp_path / "terms.txt")
    assert again.posts == 2 and again.mean_length("body") == 2.0 and again.mean_length("title") == 0.5
    assert [again.frequency("body", term) for term in ("chain", "us", "c++")] == [1, 2, 0]
    assert again.frequency("exact", "c++") == again.frequency("title", "chain") == 1


@pytest.mark.parametrize("left", [0, 2, 9])
def test_a_file_cut_short_is_damage(tmp_path, left):
    Terms().save(tmp_path / "terms.txt")
    whole = (tmp_path / "terms.txt").read_bytes()
    assert Terms.load(tmp_path / "terms.txt").posts == 0
    (tmp_path / "terms.txt").write_bytes(whole[:left])
    with pytest.raises(IndexDamaged):
        Terms.load(tmp_path / "terms.txt")


@given(st.text(max_size=200))
def test_terms_come_back_whole_from_a_tokenizer_that_splits_at_signs(text):
    terms = [*FR.words(text), *FR.exact(text)]
    said = written(terms)
    assert said.split() == re.findall(r"\w+", said.lower()) == [written([term]) for term in terms]
    assert len({written([term]) for term in terms}) == len(set(terms))


def test_a_text_that_is_too_long_is_cut_between_terms():
    fields = {"title": ["a"], "body": ["mot"] * 30_000, "exact": []}
    body = texts(fields)["body"]
    assert len(body.encode()) <= 65_535 and set(body.split()) == {"mot"}
