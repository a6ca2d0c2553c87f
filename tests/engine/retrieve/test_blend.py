"""The position-aware blend of the third seed, and the two plainer combinations, with figures worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.blend import position_aware, probability, ranking, reranker_order, rrf_of_both
from engine.retrieve.fusion import Fusion, fuse
from engine.values import PostId
from tests.engine.retrieve.test_fusion import ranking as leg

TWENTY = tuple(PostId(n) for n in range(1, 21))  # a post's id is its position


def blended(scores, ranked=TWENTY):
    return {row.post_id: row.score for row in position_aware(ranked, scores)}


def order(scores, ranked=TWENTY):
    return [row.post_id for row in position_aware(ranked, scores)]


@pytest.mark.parametrize(
    ("position", "rerank", "expected"),
    [
        (1, 0.0, 0.75),  # 0.75 × 1/1
        (2, 0.5, 0.75 / 2 + 0.25 * 0.5),  # 0.5
        (3, 1.0, 0.75 / 3 + 0.25),  # 0.5
        (4, 0.0, 0.60 / 4),  # 0.15, below the cap of 1/3
        (4, 0.5, 1 / 3 - 1e-6),  # 0.15 + 0.4 × 0.5 = 0.35, capped
        (4, 0.9, 0.60 / 4 + 0.40 * 0.9),  # 0.51: from 0.9 on no cap
        (10, 0.1, 0.60 / 10 + 0.40 * 0.1),  # 0.10, below the cap of 1/9
        (11, 0.1, 0.40 / 11 + 0.60 * 0.1),  # 0.0964, below the cap of 1/10
        (20, 1.0, 0.40 / 20 + 0.60),  # 0.62
    ],
)
def test_a_blended_score_is_the_tiers_weight_of_the_position_and_the_rest_of_the_reranker(position, rerank, expected):
    assert blended({PostId(position): rerank})[position] == pytest.approx(expected, abs=1e-12)


def test_a_post_without_rerank_score_counts_zero():
    assert blended({}) == blended(dict.fromkeys(TWENTY, 0.0))
    assert order({}) == list(TWENTY)


@given(st.lists(st.floats(0, 1), min_size=20, max_size=20))
def test_the_first_post_never_moves(values):
    # It has at least 0.75; the second at most 0.75/2 + 0.25 = 0.625, the eleventh at most 0.4/11 + 0.6 = 0.636.
    assert order(dict(zip(TWENTY, values, strict=True)))[0] == 1


def test_rank_11_passes_rank_4_when_the_reranker_likes_both_the_same():
    scores = blended(dict.fromkeys(TWENTY, 1.0))
    assert scores[11] == pytest.approx(0.4 / 11 + 0.6)  # 0.636
    assert scores[4] == pytest.approx(0.55) and scores[10] == pytest.approx(0.46)
    # 2: 0.375 + 0.2375 = 0.6125; 11: 0.0364 + 0.57 = 0.6064; 20: 0.59; 4: 0.53; 5: 0.50; 3: 0.4875; 6: 0.48
    assert order(dict.fromkeys(TWENTY, 0.95)) == [1, 2, *range(11, 21), 4, 5, 3, 6, 7, 8, 9, 10]


def test_the_guard_looks_at_a_position_not_at_the_neighbour_so_a_post_may_climb_several_places():
    # 10 at 0.5 among zeros: 0.06 + 0.2 = 0.26, capped at 1/9 − ε = 0.111; 9 has 0.067, 8 0.075, 7 0.086, 6 0.1, 5 0.12.
    found = order({PostId(10): 0.5})
    assert found[:10] == [1, 2, 3, 4, 5, 10, 6, 7, 8, 9]
    assert found.index(10) + 1 == 10 - 4


def test_the_guard_is_a_cliff_between_089_and_090():
    assert blended({PostId(11): 0.89})[11] == pytest.approx(1 / 10 - 1e-6)  # 0.100
    assert blended({PostId(11): 0.90})[11] == pytest.approx(0.4 / 11 + 0.6 * 0.9)  # 0.576


def test_of_a_post_listed_twice_the_best_row_is_kept():
    rows = position_aware((PostId(7), PostId(8), PostId(7)), {PostId(7): 1.0})
    # 7 at position 1: 0.75 + 0.25 = 1; at position 3: 0.25 + 0.25
    assert [(row.post_id, row.position, row.score) for row in rows] == [(7, 1, 1.0), (8, 2, 0.375)]


@pytest.mark.parametrize("score", [-0.1, 1.5, float("nan")])
def test_a_logit_is_refused_by_the_blend(score):
    with pytest.raises(ValueError, match="out of 0-1"):
        position_aware(TWENTY, {PostId(1): score})


@pytest.mark.parametrize(("logit", "expected"), [(0, 0.5), (2.197225, 0.9), (-2.197225, 0.1), (800, 1), (-800, 0)])
def test_a_logit_becomes_a_number_between_0_and_1(logit, expected):
    assert probability(logit) == pytest.approx(expected, abs=1e-6)


def test_the_plain_reranker_order_leaves_what_it_did_not_read_behind():
    assert reranker_order(TWENTY[:5], {PostId(4): 3.1, PostId(2): -7.0, PostId(5): 3.1}) == (4, 5, 2, 1, 3)


def hybrid():
    """Three posts: 1 has 1/61 + 1/62, 2 has 1/62 + 1/61 (then the id), 3 has 1/63."""
    return fuse([leg("lexical", 1, 2, 3), leg("dense", 2, 1)], Fusion(60, {"lexical": 1.0, "dense": 1.0}))


def test_rrf_of_both_adds_the_two_reciprocal_ranks():
    found = rrf_of_both(hybrid(), {PostId(3): 2.0, PostId(1): -1.0}, k=60)
    # 1: 1/61 + 1/62; 3: 1/63 + 1/61; 2: 1/62, not read
    assert [post.post_id for post in found] == [1, 3, 2]
    assert [post.score for post in found] == pytest.approx([1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62])


def test_the_shares_of_rrf_of_both_keep_the_lists_and_their_proportions():
    first, third, _ = rrf_of_both(hybrid(), {PostId(3): 2.0, PostId(1): -1.0}, k=60)
    dense, lexical, rerank = first.contributions
    assert [part.ranking for part in first.contributions] == ["dense", "lexical", "rerank"]
    assert dense.share + lexical.share == pytest.approx(1 / 61)
    assert lexical.share / dense.share == pytest.approx(62 / 61)  # 1/61 to 1/62 in the fusion
    assert (rerank.rank, rerank.weight, rerank.share) == (2, 1.0, 1 / 62)
    assert third.contributions[-1].rank == 1


def test_what_the_reranker_read_stays_before_what_it_did_not():
    fused = fuse([leg("lexical", *range(1, 101))], Fusion(60, {"lexical": 1.0}))
    scores = {PostId(n): float(n) for n in range(1, 26)}
    found = [post.post_id for post in rrf_of_both(fused, scores, k=60)]
    assert set(found[:25]) == set(range(1, 26)) and found[25:] == list(range(26, 101))


@given(
    st.lists(st.integers(1, 60), unique=True, min_size=1, max_size=40),
    st.lists(st.integers(1, 60), unique=True, max_size=40),
    st.dictionaries(st.integers(1, 60), st.floats(-12, 12), max_size=30),
    st.floats(1, 200),
    st.floats(0.1, 5),
)
def test_shares_add_up_exactly_for_every_setting(lexical, dense, scores, k, weight):
    fused = fuse([leg("lexical", *lexical), leg("dense", *dense)], Fusion(k, {"lexical": 1.0, "dense": 0.7}))
    found = rrf_of_both(fused, scores, k=k, weight=weight)
    assert {post.post_id for post in found} == {post.post_id for post in fused}
    assert all(post.score == sum(part.share for part in post.contributions) for post in found)
    assert list(found) == sorted(found, key=lambda post: (-post.score, post.post_id))


def test_the_rerankers_list_can_enter_the_fusion_as_any_other():
    own = ranking({PostId(3): 2.0, PostId(1): -1.0, PostId(2): 2.0})
    assert (own.name, own.post_ids) == ("rerank", (2, 3, 1))
    fused = fuse([leg("lexical", 1, 2, 3), own], Fusion(10, {"lexical": 1.0, "rerank": 2.0}))
    assert [post.post_id for post in fused] == [2, 1, 3]  # 1/12 + 2/11, 1/11 + 2/13, 1/13 + 2/12
