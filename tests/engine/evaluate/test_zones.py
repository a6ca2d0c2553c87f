"""Fitting the zones: what tells answerable questions is found, judged on folds that had not seen it, and reported."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.signals import Signals
from engine.answer.zones import LEXICAL
from engine.evaluate import roc, zone_report
from engine.evaluate.questions import Expect, Question
from engine.evaluate.tables import Words
from engine.evaluate.zone_examples import collect, off_topic
from engine.evaluate.zone_report import Measured
from engine.evaluate.zones import (
    NOTHING_FOUND,
    Example,
    Kind,
    configurations,
    fit,
    judge,
    loss,
    train,
    worth_taking,
)
from engine.values import PostId, Zone

VECTORS = "encodeur"
AT = datetime(2026, 11, 30, tzinfo=UTC)
SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def examples(count: int, *, signal: float, archive: str = "essai", meaning: bool = False) -> list[Example]:
    """Questions whose first coverage tells the answerable ones, as much as `signal` says; all the rest is chance."""
    rng = np.random.default_rng(5)
    made = []
    for n in range(count):
        kind = Kind.ANSWERABLE if n % 2 else Kind.OFF_TOPIC
        values = rng.normal(size=7)
        values[0] += signal * (n % 2)
        known = Signals(*values.tolist()) if meaning else Signals(*values[:4].tolist())
        made.append(Example(archive, kind, f"question {n}", known))
    return made


def test_what_tells_them_apart_is_found_and_holds_on_unseen_folds():
    made = examples(200, signal=4.0)
    found = fit(made, (LEXICAL,), fitted_on="essai")
    first, *others = found.scores[LEXICAL].weights
    assert first > 5 * max(map(abs, others))
    right = [(j.zone is not Zone.NORMAL) is (e.kind is Kind.OFF_TOPIC) for e, j in zip(made, found.judged, strict=True)]
    assert sum(right) > 180
    assert (found.scores[LEXICAL].fitted_on, {j.configuration for j in found.judged}) == ("essai", {LEXICAL})


def test_where_nothing_tells_them_apart_nothing_is_worth_taking():
    made = examples(200, signal=0.0)
    found = fit(made, (LEXICAL,), fitted_on="")
    known_before = fit(examples(200, signal=0.0, archive="autre"), (LEXICAL,), fitted_on="")
    assert loss(made, found.judged) > 0.65  # log 2 is to know nothing
    assert not worth_taking(made, found.judged, known_before.judged)


def test_a_better_fit_is_worth_taking_unless_it_refuses_what_can_be_answered():
    made = examples(200, signal=4.0)
    nothing_known = fit(examples(200, signal=0.0), (LEXICAL,), fitted_on="").judged
    good = fit(made, (LEXICAL,), fitted_on="").judged
    assert worth_taking(made, good, nothing_known)
    answerable = [n for n, example in enumerate(made) if example.kind is Kind.ANSWERABLE]
    refusing = [NOTHING_FOUND if n in answerable[:4] else j for n, j in enumerate(good)]  # 4 of 100 and more
    assert not worth_taking(made, refusing, nothing_known)


def test_a_question_put_to_two_archives_never_stands_on_both_sides_of_a_fold():
    twins = [*examples(60, signal=3.0), *examples(60, signal=3.0, archive="jumelle")]
    judged = fit(twins, (LEXICAL,), fitted_on="").judged
    assert judged[:60] == judged[60:]  # the same fit judged both


def test_the_best_configuration_that_knows_a_question_judges_it():
    made = [*examples(80, signal=3.0, meaning=True), *examples(80, signal=3.0)]
    found = fit(made, configurations(VECTORS), fitted_on="")
    assert {j.configuration for j in found.judged[:80]} == {VECTORS}
    assert {j.configuration for j in found.judged[80:]} == {LEXICAL}
    assert configurations(None) == (LEXICAL,)


def test_nothing_found_is_empty():
    made = [*examples(40, signal=3.0), Example("essai", Kind.ANSWERABLE, "rien", None, found=False)]
    found = fit(made, (LEXICAL,), fitted_on="")
    assert found.judged[-1] == NOTHING_FOUND
    assert judge(made, found.scores, vectors=None)[-1] == NOTHING_FOUND


def test_evidence_without_the_answer_teaches_nothing():
    made = examples(100, signal=3.0)
    strange = Signals(-50.0, -50.0, -50.0, -50.0)
    more = [Example("essai", kind, "de plus", strange, found=False) for kind in (Kind.ANSWERABLE, Kind.REMOVED)]
    held = [Example("essai", Kind.HELD_OUT, "à l’écart", strange)]
    assert train([*made, *more, *held], LEXICAL, fitted_on="") == train(made, LEXICAL, fitted_on="")


def test_questions_of_one_kind_are_an_error():
    with pytest.raises(ValueError, match="one kind"):
        train([e for e in examples(20, signal=1.0) if e.kind is Kind.ANSWERABLE], LEXICAL, fitted_on="")


def test_the_area_is_how_often_the_answerable_one_scores_higher():
    assert roc.area([0.9, 0.8, 0.3], [0.1, 0.5]) == 5 / 6
    assert roc.area([0.5], [0.5]) == 1 / 2
    low, high = roc.interval([0.9, 0.8, 0.3], [0.1, 0.5])
    assert low <= 5 / 6 <= high


@given(SCORES, SCORES)
def test_the_area_is_the_one_under_the_drawn_curve(answerable, refused):
    points = roc.curve(answerable, refused)
    assert points[0] == (0.0, 0.0) and points[-1] == (1.0, 1.0)
    under = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    assert under == pytest.approx(roc.area(answerable, refused))


def test_questions_are_searched_with_and_without_their_answer(tiny):
    asked = [
        Question("a", "Quel axe accepte le moyeu F-GABC ?", post_ids=(PostId(41),)),
        Question("b", "Quel pneu pour la neige ?"),
        Question("c", "Comment faire ?", expect=Expect.ANSWER),
    ]
    made = collect(tiny, asked, off_topic()[:2], name="essai")
    kinds = [Kind.ANSWERABLE, Kind.REMOVED, Kind.UNANSWERABLE, Kind.OFF_TOPIC, Kind.OFF_TOPIC]
    assert [example.kind for example in made] == kinds
    assert [example.found for example in made] == [True, False, False, False, False]
    assert made[0].signals.first_coverage > made[1].signals.first_coverage


def test_the_shipped_off_topic_questions_are_many_and_differ():
    texts = [question.text for question in off_topic()]
    assert len(set(texts)) == len(texts) >= 60
    assert all(question.expects is Expect.ABSTAIN and question.tags for question in off_topic())


def test_the_report_holds_the_figures_and_pictures_that_open(tmp_path):
    made = examples(80, signal=3.0)
    found = fit(made, (LEXICAL,), fitted_on="essai")
    measured = [Measured("forum <b>", "croisée", made, found.judged)]
    markdown, page = zone_report.write(measured, found.scores, tmp_path, Words(), at=AT)
    assert (markdown.name, page.suffix) == ("zones-20261130T000000Z.md", ".html")
    text = markdown.read_text("utf-8")
    yes, no = (measured[0].scores(kind) for kind in (Kind.ANSWERABLE, Kind.OFF_TOPIC))
    assert f"| {roc.area(yes, no):.3f} |" in text and "first\\_coverage" in text
    for picture in tmp_path.glob("*.svg"):
        assert f"({picture.name})" in text
        assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "<b>" not in page.read_text("utf-8")
    rows = zone_report.summary(measured)["zones"]
    assert [row["kind"] for row in rows] == ["answerable", "off_topic"]
    assert sum(rows[0][zone.value] for zone in Zone) == rows[0]["questions"] == 40
