"""From outcomes to figures, by topic, by post and over the evidence."""

import pytest

from engine.evaluate.questions import Question
from engine.evaluate.scoring import Abstentions, Level, abstentions, by_tag, latencies, means, score
from tests.engine.evaluate.samples import outcome, topics_of


def test_topics_come_from_the_posts_when_none_are_named():
    scored = score(outcome(posts=(31, 11, 12)), topics_of)
    assert scored.topics == {1}
    assert scored.scores[Level.TOPIC]["mrr"] == 1 / 2  # topics 3, 1
    assert scored.scores[Level.POST]["mrr"] == 1 / 3


def test_any_one_expected_topic_counts():
    question = Question("q", "?", topic_ids=(1, 4))
    scored = score(outcome(question, posts=(31, 41)), topics_of)
    assert scored.scores[Level.TOPIC]["hit@3"] == 1
    assert scored.scores[Level.TOPIC]["recall@10"] == 1 / 2
    assert Level.POST not in scored.scores  # no post is expected


def test_what_the_archive_does_not_hold_counts_as_missed():
    scored = score(outcome(Question("q", "?", post_ids=(91,)), posts=(31,)), topics_of)
    assert scored.scores[Level.TOPIC]["hit@6"] == scored.scores[Level.POST]["hit@6"] == 0


def test_topic_grain_has_figures_by_topic_only():
    scored = score(outcome(topics=(2, 1), ranks_posts=False), topics_of)
    assert set(scored.scores) == {Level.TOPIC}
    assert scored.scores[Level.TOPIC]["mrr"] == 1 / 2


def test_grades_weigh_in_ndcg():
    question = Question("q", "?", post_ids=(12, 31), grades=(1, 3))
    low, high = (
        score(outcome(question, posts=p), topics_of).scores[Level.POST]["ndcg@10"] for p in ((12, 31), (31, 12))
    )
    assert low < high == 1


def test_the_evidence_is_measured_with_and_without_what_stands_around():
    question = Question("q", "?", post_ids=(12, 13))
    found = outcome(
        question, posts=(11, 14, 31, 12, 41), numbered=(11, 12, 31), numbered_topics=(1, 1, 3), read=(11, 12, 31, 13),
        read_topics=(1, 1, 3),
    )  # fmt: skip
    assert score(found, topics_of).scores[Level.EVIDENCE] == {
        "numbered_recall": 1 / 2,
        "context_recall": 1,
        "context_precision": 1 / 3,
        "evidence_pollution": 2 / 3,
        "pollution@5": 3 / 5,
    }


def test_the_evidence_is_measured_by_topic_where_no_post_is_expected():
    found = outcome(
        Question("q", "?", topic_ids=(3,)), numbered=(11, 31), numbered_topics=(1, 3), read=(11, 31), read_topics=(1, 3)
    )
    evidence = score(found, topics_of).scores[Level.EVIDENCE]
    assert (evidence["context_recall"], evidence["context_precision"]) == (1, 1 / 2)


def test_means_count_the_questions_that_have_the_level():
    scored = [score(outcome(posts=p), topics_of) for p in ((12,), (31, 12), ())]
    scored.append(score(outcome(Question("q", "?", topic_ids=(3,)), posts=(31,)), topics_of))
    assert means(scored, Level.POST)[0] == 3
    assert means(scored, Level.POST)[1]["mrr"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert means(scored, Level.TOPIC)[1]["hit@1"] == 2 / 4
    assert means([], Level.TOPIC) == (0, {})


def test_tags_and_difficulties_group_the_questions():
    a = score(outcome(Question("a", "?", post_ids=(12,), tags=("exact", "typo"), difficulty="easy")), topics_of)
    b = score(outcome(Question("b", "?", post_ids=(12,), tags=("exact",))), topics_of)
    assert by_tag([a, b]) == {"easy": (a,), "exact": (a, b), "typo": (a,)}


def test_abstentions_are_counted_on_both_sides():
    good = [score(outcome(abstained=said), topics_of) for said in (False, True, False)]
    none = [outcome(Question("n", "?"), abstained=said) for said in (True, True, False)]
    assert abstentions(good, none) == Abstentions(expected=3, right=2, answerable=3, wrong=1)
    assert abstentions([score(outcome(), topics_of)], []) is None


def test_latencies_leave_the_evidence_out_of_the_search():
    spent = latencies(outcome(timings_ms={"lexical": ms, "fusion": 1.0, "evidence": 50.0}) for ms in (1.0, 2.0, 3.0))
    assert spent["search"][0] == 3.0
    assert spent["evidence"] == (50.0, 50.0)
    assert spent["lexical"][1] == pytest.approx(2.9)
