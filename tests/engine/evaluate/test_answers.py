"""The measures of answers on cases made by hand: RAGAS's definitions, and what enters no mean."""

from dataclasses import replace

import numpy as np
import pytest

from engine.evaluate.answers import (
    Case,
    Claim,
    Judged,
    Kind,
    answer_relevancy,
    citation_hit,
    citation_precision,
    citation_recall,
    faithfulness,
    scores,
    summarise,
)
from engine.evaluate.questions import Expect, Question

KNOWN = Question("q", "Qui ?", post_ids=(12, 13))
SILENT = Question("s", "Quoi ?")
REFUSED = Question("r", "Où habite-t-il ?", expect=Expect.DECLINE)
YES, NO = Claim("Oui.", True), Claim("Non.", False, ("number: 3",))


def answered(question=KNOWN, **values):
    return Case(question, Kind.ANSWER, "Oui. [[1]]", **values)


def test_citations_are_counted_once_each():
    assert citation_precision((12, 99, 12, 98), {12, 13}) == 1 / 3
    assert citation_recall((12, 99), {12, 13}) == 1 / 2
    assert (citation_hit((99, 13), {12, 13}), citation_hit((99,), {12, 13})) == (1, 0)
    assert (citation_precision((), {12}), citation_recall((), {12}), citation_hit((), {12})) == (0, 0, 0)


def test_faithfulness_is_the_share_of_supported_claims():
    assert faithfulness((YES, NO, YES, YES)) == 3 / 4


def test_answer_relevancy_is_a_mean_cosine():
    asked = np.array([1, 0], np.float32)
    generated = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    assert answer_relevancy(asked, generated) == pytest.approx((1 + 0 + 0.6) / 3)


def test_an_answer_has_every_measure_that_it_allows():
    judged = Judged((YES, NO), ("Qui donc ?",), False, 0.5)
    found = scores(
        answered(
            cited=(12, 40), markers=2, valid=1, claims=(YES, NO, NO, NO), cosine=0.9, judged=judged,
            context={"context_recall": 0.25},
        )
    )  # fmt: skip
    assert found == {
        "context_recall": 0.25, "citation_precision": 1 / 2, "citation_recall": 1 / 2, "citation_hit": 1,
        "valid_citations": 1 / 2, "faithfulness": 1 / 4, "question_answer_cosine": 0.9, "faithfulness_judge": 1 / 2,
        "answer_relevancy": 0.5, "citations": 2, "characters": 10,
    }  # fmt: skip


def test_citations_are_measured_by_topic_where_no_post_is_expected():
    question = Question("q", "Qui ?", topic_ids=(1,))
    found = scores(answered(question, cited=(12, 40), cited_topics=(1, 4)))
    assert (found["citation_precision"], found["citation_recall"]) == (1 / 2, 1)


def test_what_is_no_answer_has_no_citation_nor_claim():
    case = Case(KNOWN, Kind.ABSTENTION, "", context={"context_recall": 1.0})
    assert scores(case) == {"context_recall": 1}
    unknown = answered(Question("n", "Quoi ?", expect=Expect.ANSWER), cited=(12,))
    assert not any(name.startswith("citation_") for name in scores(unknown))
    assert not any(
        "judge" in name or "relevancy" in name for name in scores(answered(judged=Judged(None, (), False, None)))
    )


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        (KNOWN, {Kind.ANSWER}),
        (SILENT, {Kind.ABSTENTION, Kind.DECLINED}),
        (REFUSED, {Kind.DECLINED}),
    ],
)
def test_what_is_expected_of_a_question(question, kinds):
    assert {kind for kind in Kind if Case(question, kind, "").as_expected} == kinds


def test_abstentions_and_refusals_are_right_or_wrong():
    cases = [
        answered(),
        Case(KNOWN, Kind.ABSTENTION, ""),
        Case(KNOWN, Kind.DECLINED, "Non."),
        Case(SILENT, Kind.ABSTENTION, ""),
        answered(SILENT),
        Case(SILENT, Kind.DECLINED, "Non."),
        Case(REFUSED, Kind.DECLINED, "Non."),
        answered(REFUSED),
    ]
    found = summarise(cases)
    assert found.right_abstentions == (1, 3)
    assert found.wrong_abstentions == (1, 3)
    assert found.right_refusals == (1, 2)
    assert found.wrong_refusals == (2, 6)
    assert sum(found.outcomes.values()) == found.questions == 8


def test_a_mean_says_over_how_many_questions_it_is():
    cases = [answered(cited=(12,), claims=(YES,)), answered(cited=(99,)), Case(KNOWN, Kind.ABSTENTION, "")]
    found = summarise(cases)
    assert found.means["citation_precision"] == (2, 1 / 2)
    assert found.means["citation_recall"] == (2, 1 / 4)
    assert found.means["faithfulness"] == (1, 1)
    assert "answer_relevancy" not in found.means


def test_counts_are_over_all_answers_and_times_leave_refusals_out():
    cases = [
        answered(markers=2, valid=2, claims=(YES, NO), dropped=("Ah.",), removed_links=1, total_ms=100.0, evidence_ms=10.0),
        answered(markers=1, valid=0, truncated=True, total_ms=300.0, evidence_ms=30.0),
        Case(REFUSED, Kind.DECLINED, "Non.", total_ms=1.0),
    ]  # fmt: skip
    found = summarise(cases)
    counts = (found.markers, found.valid, found.claims, found.supported, found.dropped, found.removed_links)
    assert (counts, found.truncated) == ((3, 2, 2, 1, 1, 1), 1)
    assert found.latency_ms == {"evidence": (20, 29), "total": (200, 290)}


def test_a_safety_question_enters_no_figure():
    safety = replace(KNOWN, id="x", tags=("safety",))
    alone, both = summarise([answered()]), summarise([answered(), answered(safety, cited=(99,), removed_links=5)])
    assert alone == both
    assert summarise([answered(safety)]).questions == 0
