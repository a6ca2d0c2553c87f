"""Each measure on lists short enough to work out by hand, then all of them against ir-measures."""

from math import log2

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from engine.evaluate import metrics

RANKED = (7, 3, 9, 1, 5)


@pytest.mark.parametrize(
    ("relevant", "k", "expected"), [({9}, 2, 0), ({9}, 3, 1), ({9, 5}, 5, 1), ({8}, 5, 0), ({7}, 1, 1)]
)
def test_hit_is_one_when_anything_relevant_is_among_the_first_k(relevant, k, expected):
    assert metrics.hit(RANKED, relevant, k) == expected


@pytest.mark.parametrize(
    ("relevant", "k", "expected"),
    [({7}, None, 1), ({3, 5}, None, 1 / 2), ({5}, None, 1 / 5), ({5}, 4, 0), ({8}, None, 0)],
)
def test_reciprocal_rank_is_that_of_the_first_relevant_item(relevant, k, expected):
    assert metrics.reciprocal_rank(RANKED, relevant, k) == expected


@pytest.mark.parametrize(("relevant", "k", "expected"), [({3, 5, 8}, 5, 2 / 3), ({3, 5, 8}, 2, 1 / 3), ({8}, None, 0)])
def test_recall_is_the_share_of_the_relevant_items_found(relevant, k, expected):
    assert metrics.recall(RANKED, relevant, k) == expected


def test_precision_is_the_share_of_the_items_that_are_relevant():
    assert metrics.precision(RANKED, {3, 5, 8}) == 2 / 5
    assert metrics.precision((), {3}) == 0


def test_ndcg_discounts_by_rank_and_divides_by_the_ideal_order():
    # found at ranks 2 (grade 1) and 4 (grade 2); the ideal order is 2, 1, 1
    found = 1 / log2(3) + 2 / log2(5)
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert metrics.ndcg(RANKED, {3: 1, 1: 2, 8: 1}, 10) == found / ideal
    assert metrics.ndcg(RANKED, {3: 1, 1: 2, 8: 1}, 3) == (1 / log2(3)) / ideal
    assert metrics.ndcg(RANKED, {7: 1}, 10) == 1


def test_pollution_is_the_share_of_the_most_frequent_topic():
    assert metrics.pollution((1, 2, 1, 1, 3)) == 3 / 5
    assert metrics.pollution((4,)) == 1
    assert metrics.pollution(()) == 0


@given(
    st.lists(st.integers(0, 30), unique=True, max_size=25),
    st.dictionaries(st.integers(0, 30), st.integers(1, 3), min_size=1, max_size=8),
)
def test_ir_measures_says_the_same(ranked, grades):
    qrels = {"q": {str(item): grade for item, grade in grades.items()}}
    run = {"q": {str(item): 1.0 / rank for rank, item in enumerate(ranked, 1)} or {"nothing": 0.0}}
    theirs = ir_measures.calc_aggregate([Success @ 5, RR, RR @ 10, R @ 10, nDCG @ 10], qrels, run)
    assert theirs == pytest.approx({
        Success @ 5: metrics.hit(ranked, grades, 5),
        RR: metrics.reciprocal_rank(ranked, grades),
        RR @ 10: metrics.reciprocal_rank(ranked, grades, 10),
        R @ 10: metrics.recall(ranked, grades, 10),
        nDCG @ 10: metrics.ndcg(ranked, grades, 10),
    })  # fmt: skip
