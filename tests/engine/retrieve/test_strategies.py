"""The eight strategies of ADR-0003 (the second seed) against the one formula: same, close, or impossible.

Each strategy is written here as its document names it, in fractions; `docs/fusion.md` holds the table.
"""

from fractions import Fraction

import pytest

from engine.retrieve.fusion import Fusion, add_boost, fuse
from tests.engine.retrieve.test_fusion import ranking

TEXT = ranking("text", 1, 2, 3, 4, scores=(0.9, 0.6, 0.5, 0.1))
VECTOR = ranking("vector", 3, 5, 1, scores=(0.8, 0.7, 0.2))
SCORES = {"text": {1: "0.9", 2: "0.6", 3: "0.5", 4: "0.1"}, "vector": {3: "0.8", 5: "0.7", 1: "0.2"}}
WEIGHTS = {"text": 0.45, "vector": 0.15}
W = {"text": Fraction(45, 100), "vector": Fraction(15, 100)}
K = 60


def strategy(term, *, lists=lambda n: 1):
    """A strategy's scores as fractions: the sum over the two lists of term(weight, rank, score), times lists(n)."""
    sums, counts = {}, {}
    for leg in (TEXT, VECTOR):
        for rank, post in enumerate(leg.post_ids, 1):
            value = term(W[leg.name], rank, Fraction(SCORES[leg.name][post]))
            sums[post] = sums.get(post, 0) + value
            counts[post] = counts.get(post, 0) + 1
    return {post: value * lists(counts[post]) for post, value in sums.items()}


def scores(fused):
    return {post.post_id: post.score for post in fused}


def order(values):
    return sorted(values, key=lambda post: (-values[post], post))


def floats(values):
    return pytest.approx({post: float(value) for post, value in values.items()})


# --- exact ---


def test_reciprocal_rank_is_the_formula_with_weights_of_one_and_no_factor():
    fused = fuse([TEXT, VECTOR], Fusion(K, {"text": 1, "vector": 1}))
    expected = {1: Fraction(1, 61) + Fraction(1, 63), 2: Fraction(1, 62), 3: Fraction(1, 63) + Fraction(1, 61),
                4: Fraction(1, 64), 5: Fraction(1, 62)}  # fmt: skip
    assert scores(fused) == floats(expected)


def test_weighted_reciprocal_is_the_formula_with_the_score_factor():
    fused = fuse([TEXT, VECTOR], Fusion(K, WEIGHTS, score_boost=1.0))
    assert scores(fused) == floats(strategy(lambda w, rank, score: w / (K + rank) * (1 + score)))
    # post 1: 0.45/61 × 1.9 + 0.15/63 × 1.2
    assert scores(fused)[1] == pytest.approx(float(Fraction(855, 61000) + Fraction(18, 6300)))


def test_comb_mnz_is_the_formula_with_the_count_factor_and_no_score_factor():
    fused = fuse([TEXT, VECTOR], Fusion(K, WEIGHTS, count_factor=True))
    expected = strategy(lambda w, rank, score: w / (K + rank), lists=lambda n: n)
    assert scores(fused) == floats(expected)
    # The "standard configuration" that the ADR names for it keeps the score factor: that is another strategy.
    standard = fuse([TEXT, VECTOR], Fusion(K, WEIGHTS, score_boost=1.0, count_factor=True))
    assert scores(standard) != floats(expected)


# --- close ---


def test_weighted_sum_is_a_limit_of_the_formula_for_scores_between_0_and_1():
    # k / boost × w/(k + rank) × (1 + boost × s) = w × k/(k + rank) × (s + 1/boost) → w × s
    k, boost = 1e9, 1e6
    fused = fuse([TEXT, VECTOR], Fusion(k, WEIGHTS, score_boost=boost))
    wanted = strategy(lambda w, rank, score: w * score)
    for post, score in scores(fused).items():
        # off by at most (0.45 + 0.15) × (1/boost + 4/k)
        assert abs(score * k / boost - float(wanted[post])) <= 0.6 * (1e-6 + 4e-9)
    assert [post.post_id for post in fused] == order(wanted) == [1, 3, 2, 5, 4]


def test_weighted_sum_is_impossible_once_a_score_is_above_1():
    bm25 = ranking("text", 1, 2, scores=(25.0, 5.0))  # the clamp makes them equal; only their ranks are left
    cosine = ranking("vector", 2, 1, scores=(0.9, 0.1))
    # 0.45 × 25 + 0.15 × 0.1 = 11.265 against 0.45 × 5 + 0.15 × 0.9 = 2.385: post 1 by far
    fused = fuse([bm25, cosine], Fusion(1e9, WEIGHTS, score_boost=1e6))
    assert [post.post_id for post in fused] == [2, 1]


def test_an_infinite_k_alone_is_no_strategy_at_all():
    # What the ADR names for WEIGHTED_SUM and BORDA_COUNT: every term goes to 0 and ids decide.
    fused = fuse([TEXT, VECTOR], Fusion(float("inf"), WEIGHTS))
    assert scores(fused) == {1: 0, 2: 0, 3: 0, 4: 0, 5: 0}
    assert [post.post_id for post in fused] == [1, 2, 3, 4, 5]


def test_text_anchor_comes_from_weights_except_its_threshold_and_its_bonus():
    weights = {"text": 0.70, "vector": 0.10}
    text, vector = ranking("text", *range(1, 201)), ranking("vector", *range(1001, 1201))
    fused = fuse([text, vector], Fusion(K, weights))
    # "Text first" holds: the last text post, 0.70/(60 + 200), is above the first vector post, 0.10/(60 + 1),
    # and would be down to rank 366: 0.70/(60 + r) > 0.10/61 ⇔ r < 367.
    assert [post.post_id for post in fused[:200]] == list(range(1, 201))
    assert Fraction(70, 60 + 366) > Fraction(10, 61) == Fraction(70, 60 + 367)
    # Its threshold does not: a post that only the vector leg found, at 0.80, stays in; there it is left out (0.85).
    assert {post.post_id for post in fused} == {*range(1, 201), *range(1001, 1201)}
    # Nor its bonus of 0.15 × score: from 0.85 on it is at least 0.1275, eleven times the largest text term.
    assert Fraction(15, 100) * Fraction(85, 100) > 11 * Fraction(70, 6100)


def test_dense_first_comes_from_weights_except_its_cut_of_the_text_list():
    weights = {"text": 0.25, "vector": 0.70}
    text, vector = ranking("text", *range(1, 101)), ranking("vector", *range(1001, 1101))
    fused = fuse([text, vector], Fusion(K, weights))
    # "Vector first" holds among 100 candidates, and down to rank 110: 0.70/(60 + r) > 0.25/61 ⇔ r < 110.8.
    assert [post.post_id for post in fused[:100]] == list(range(1001, 1101))
    assert Fraction(70, 60 + 110) > Fraction(25, 61) > Fraction(70, 60 + 111)
    # A text post of rank 21 stays in at 0.25/81; there only the first 20 take part.
    assert scores(fused)[21] == pytest.approx(25 / 8100)


def test_concept_anchor_is_dense_first_and_a_boost_after_it():
    weights = {"text": 0.25, "vector": 0.70}
    fused = fuse([TEXT, VECTOR], Fusion(K, weights))
    named = ranking("concept", 4, scores=(1.0,))
    # post 3: 0.25/63 + 0.70/61, first; post 4: 0.25/64 alone, last; with 0.02 more it passes all.
    assert [post.post_id for post in fused] == [3, 1, 5, 2, 4]
    boosted = add_boost(fused, named, amount=0.02)
    assert boosted[0].post_id == 4
    assert boosted[0].score == pytest.approx(25 / 6400 + 0.02)
    assert [part.ranking for part in boosted[0].contributions] == ["text", "concept"]


# --- impossible ---


def test_borda_is_impossible_because_two_late_places_beat_one_early_place_at_every_k():
    both = ranking("text", *range(1, 90), 777), ranking("vector", *range(101, 190), 777)  # 777 is last, 90th, in both
    # Borda, weights of one: post 50 has 100 − 50 = 50, post 777 has 10 + 10 = 20.
    # The formula: 2/(k + 90) < 1/(k + 50) ⇔ 2k + 100 < k + 90 ⇔ k < −10: never.
    for k in (0, 1, 10, 60, 1000, 1e9):
        for count in (False, True):
            found = scores(fuse(both, Fusion(k, {"text": 1, "vector": 1}, count_factor=count)))
            assert found[777] > found[50]


def test_borda_comes_back_for_large_k_when_every_list_ranks_the_same_posts():
    # ranks of A: 1 and 9, sum 10; of B: 4 and 5, sum 9: Borda prefers B, 191 to 190.
    a, b = 1, 2
    first = ranking("text", a, 10, 11, b, 12, 13, 14, 15, 16)
    second = ranking("vector", 10, 11, 12, 13, b, 14, 15, 16, a)
    # 1/(k+1) + 1/(k+9) > 1/(k+4) + 1/(k+5) ⇔ k² − 22k − 119 < 0 ⇔ k < 11 + √240 = 26.5
    for k, winner in ((10, a), (26, a), (27, b), (60, b), (1000, b)):
        found = scores(fuse([first, second], Fusion(k, {"text": 1, "vector": 1})))
        assert max((a, b), key=found.get) == winner
