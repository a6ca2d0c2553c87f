"""Fitting the combination: it finds what was hidden in made-up examples, and says honestly when there is nothing."""

import numpy as np
import pytest

from engine.archive import open_archive
from engine.evaluate.examples import collect
from engine.evaluate.fit import Example, fit, fold_scores, reciprocal_rank
from engine.evaluate.questions import Question
from engine.retrieve.combine import FEATURES
from engine.values import PostId
from tests.factories import WORD_MODELS


def examples(count, signal):
    """Questions whose answer has a high second feature, as much as `signal` says; the order before is by chance."""
    rng = np.random.default_rng(7)
    made = []
    for group in range(count):
        rows = rng.normal(size=(20, len(FEATURES)))
        answers = np.zeros(20, bool)
        answers[int(np.argmax(signal * rows[:, 1] + rng.normal(size=20)))] = True
        made.append(Example(rows, answers, rng.normal(size=20), group))
    return made


def test_a_feature_that_tells_the_answer_is_found_and_gains_on_unseen_folds():
    found = fit(examples(150, signal=5.0), fitted_on="essai")
    weights = found.combination.weights
    assert weights[1] == max(weights) and weights[1] > 5 * max(abs(w) for i, w in enumerate(weights) if i != 1)
    assert found.after > 0.6 > 0.3 > found.before and found.better
    assert found.combination.fitted_on == "essai"


def test_where_nothing_tells_the_answer_nothing_is_gained():
    assert not fit(examples(150, signal=0.0), fitted_on="essai").better


def test_a_group_never_stands_on_both_sides_of_a_fold():
    made = examples(40, signal=5.0)
    twins = made + [Example(e.features, e.answers, e.before, e.group) for e in made]
    seen = [id(e) for e, _ in fold_scores(twins)]
    assert sorted(seen) == sorted(map(id, twins))
    scored = {}
    for example, scores in fold_scores(twins):
        scored.setdefault(example.group, []).append(scores)
    assert all(np.array_equal(a, b) for a, b in scored.values())  # the same fit scored both


def test_no_answer_among_the_candidates_is_an_error():
    nothing = [Example(e.features, np.zeros(20, bool), e.before, e.group) for e in examples(3, 1.0)]
    with pytest.raises(ValueError, match="no question"):
        fit(nothing, fitted_on="essai")


def test_reciprocal_rank_counts_from_one_and_stops_at_ten():
    answers = np.array([False, False, True])
    assert reciprocal_rank(np.array([3.0, 2.0, 1.0]), answers) == 1 / 3
    assert reciprocal_rank(np.arange(20.0, 0, -1), np.arange(20) == 10) == 0.0


def test_examples_come_from_the_product_s_own_legs(tiny):
    questions = [
        Question("1", "poncer les patins", post_ids=(PostId(12),)),
        Question("2", "jamais vu", post_ids=()),
    ]
    with open_archive(tiny.settings, WORD_MODELS) as archive:
        (only,) = collect(archive, questions)
    assert only.group == 12 and only.features.shape[1] == len(FEATURES)
    assert only.answers.sum() == 1 and only.answers[int(np.argmax(only.before))]
