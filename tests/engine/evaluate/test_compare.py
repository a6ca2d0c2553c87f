"""Who gained, who lost, and how sure the difference is."""

from engine.evaluate.compare import RESAMPLES, bootstrap, compare
from engine.evaluate.questions import Question
from engine.evaluate.scoring import Level, score
from tests.engine.evaluate.samples import outcome, topics_of


def scored(*rankings):
    questions = [Question(f"q{n}", "?", post_ids=(12,)) for n in range(len(rankings))]
    return [score(outcome(q, posts=posts), topics_of) for q, posts in zip(questions, rankings, strict=True)]


def test_gained_and_lost_questions_are_named():
    base = scored((12,), (31,), (12,), (31, 12))
    other = scored((12,), (31, 12), (31,), (12,))
    found = compare(("bm25", "hybrid"), base, other, Level.POST)
    assert (found.gained, found.lost) == (("q1",), ("q2",))
    hits, ranks = found.differences
    assert (hits.measure, hits.base, hits.other, hits.delta) == ("hit@5", 3 / 4, 3 / 4, 0)
    assert ranks.base == (1 + 0 + 1 + 1 / 2) / 4
    assert ranks.other == (1 + 1 / 2 + 0 + 1) / 4


def test_a_level_that_one_side_lacks_is_not_compared():
    topic_grain = [score(outcome(topics=(1,), ranks_posts=False), topics_of)]
    assert compare(("A", "B"), topic_grain, scored((12,)), Level.POST) is None
    assert compare(("A", "B"), topic_grain, scored((12,)), Level.TOPIC).questions == 1


def test_the_bootstrap_is_the_same_each_time_and_holds_the_mean():
    differences = [1.0, 0.0, 0.0, -1.0, 0.5, 0.25] * 5
    low, high = bootstrap(differences)
    assert (low, high) == bootstrap(differences)
    assert low < sum(differences) / 30 < high
    assert RESAMPLES == 2000


def test_an_equal_gain_everywhere_is_sure_and_none_anywhere_is_not():
    assert bootstrap([0.5] * 10) == (0.5, 0.5)
    assert bootstrap([0.0] * 10) == (0.0, 0.0)
    same = compare(("a", "b"), scored((12,)), scored((12,)), Level.POST)
    assert not any(difference.sure for difference in same.differences)


def test_the_interval_of_a_coin_is_that_of_its_binomial():
    # 100 questions of which half gain: the standard error is 0.05, 1.96 of them on each side of 0.5
    low, high = bootstrap([0.0, 1.0] * 50)
    assert abs(low - 0.402) < 0.015 and abs(high - 0.598) < 0.015
