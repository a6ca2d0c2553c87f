"""Reciprocal rank fusion, with sums worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.fusion import fuse
from engine.values import PostId, Ranking


def ranking(name, *ids):
    return Ranking(name, tuple(PostId(i) for i in ids), tuple(float(len(ids) - n) for n in range(len(ids))))


BOTH = {"lexical": 1.0, "dense": 1.0}


def test_a_post_ranked_first_and_third_scores_the_two_fractions():
    fused = fuse([ranking("lexical", 7, 8, 9), ranking("dense", 9, 8, 7)], k=60, weights=BOTH)
    assert {post.post_id: post.score for post in fused} == {
        7: pytest.approx(1 / 61 + 1 / 63), 8: pytest.approx(2 / 62), 9: pytest.approx(1 / 63 + 1 / 61),
    }  # fmt: skip
    assert [post.post_id for post in fused] == [7, 9, 8]  # ties by id


def test_an_absent_post_gets_nothing_from_a_ranking():
    (only, *_) = fuse([ranking("lexical", 1), ranking("dense", 2)], k=60, weights=BOTH)
    assert only.score == 1 / 61 and len(only.contributions) == 1


def test_weights_multiply_and_zero_silences():
    fused = fuse([ranking("lexical", 1), ranking("dense", 2)], k=10, weights={"lexical": 0.5, "dense": 0.0})
    assert [(post.post_id, post.score) for post in fused] == [(1, 0.5 / 11)]


lists = st.lists(st.lists(st.integers(1, 40), unique=True, max_size=30), min_size=1, max_size=4)


@given(lists, st.integers(1, 100), st.randoms())
def test_order_of_the_rankings_does_not_matter_and_shares_add_up(ids, k, random):
    rankings = [ranking(f"r{n}", *found) for n, found in enumerate(ids)]
    weights = {r.name: 0.5 + n for n, r in enumerate(rankings)}
    fused = fuse(rankings, k=k, weights=weights)
    shuffled = rankings[:]
    random.shuffle(shuffled)
    assert fuse(shuffled, k=k, weights=weights) == fused
    for post in fused:
        assert post.score == sum(part.share for part in post.contributions)
    assert [p.post_id for p in fused] == [p.post_id for p in sorted(fused, key=lambda p: (-p.score, p.post_id))]
    assert {p.post_id for p in fused} == {i for found in ids for i in found}
