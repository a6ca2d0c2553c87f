"""Zones by the configuration in use: a reranker's logit, the encoder's score, the words' score; never none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import zones
from engine.answer.signals import MEANING, WORDS, Signals
from engine.answer.zones import LEXICAL, Score, judge, load, save, shipped, zone_of
from engine.archive import open_archive
from engine.errors import SettingsError
from engine.models import e5
from engine.seams import Models
from engine.settings import RERANKER_ZONES, SCORE_ZONES, Thresholds
from engine.values import Abstention, AbstentionReason, Answer, Zone

NAME = "encodeur"
GOOD = Signals(1.0, 0.8, 0.0, 1.6, 6.0, 3.0, 0.8)
BAD = Signals(0.1, 0.1, 0.7, 1.6, 2.0, 0.2, 0.0)


def score(names: tuple[str, ...], weight: float) -> Score:
    n = len(names)
    return Score(names, (0.5,) * n, (1.0,) * n, (weight,) * n, 0.0, "essai", "2026-11-30")


SCORES = {LEXICAL: score(WORDS, 1.0), NAME: score(MEANING, -1.0)}


def test_the_encoders_score_is_taken_where_meaning_was_searched():
    assert judge(GOOD, SCORES, vectors=NAME, reranker=None).configuration == NAME


@pytest.mark.parametrize(
    ("known", "vectors"), [(replace(GOOD, similarity=None), NAME), (GOOD, "inconnu"), (GOOD, None)]
)
def test_the_words_decide_where_the_encoder_is_missing_or_uncalibrated(known, vectors):
    judged = judge(known, SCORES, vectors=vectors, reranker=None)
    assert judged.configuration == LEXICAL
    assert judged.score == pytest.approx(1 / (1 + np.exp(-(0.5 + 0.3 - 0.5 + 1.1))))


@pytest.mark.parametrize(
    ("logit", "zone"), [(-4.1, Zone.EMPTY), (-4.0, Zone.WEAK), (-0.1, Zone.WEAK), (0.0, Zone.NORMAL)]
)
def test_a_known_rerankers_logit_decides(logit, zone):
    judged = judge(replace(BAD, logit=logit), SCORES, vectors=NAME, reranker="mmarco-minilm")
    assert (judged.zone, judged.score, judged.configuration) == (zone, logit, "mmarco-minilm")


@pytest.mark.parametrize(("logit", "reranker"), [(None, "mmarco-minilm"), (3.0, "inconnu"), (3.0, None)])
def test_a_late_or_unknown_reranker_leaves_the_zone_to_what_remains(logit, reranker):
    assert judge(replace(GOOD, logit=logit), SCORES, vectors=NAME, reranker=reranker).configuration == NAME


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_higher_score_is_never_in_a_lower_zone(one, other):
    order = [Zone.EMPTY, Zone.WEAK, Zone.NORMAL]
    low, high = (order.index(zone_of(value, Thresholds(-3.0, 5.0))) for value in sorted((one, other)))
    assert low <= high


def test_thresholds_are_in_order():
    for limits in (*RERANKER_ZONES.values(), *SCORE_ZONES.values()):
        assert limits.empty_below < limits.weak_below
    assert set(SCORE_ZONES) == {zones.LEXICAL, zones.ENCODER}


def test_the_shipped_scores_judge_what_is_plain():
    for vectors in (None, *shipped().keys() - {LEXICAL}):
        assert judge(GOOD, shipped(), vectors=vectors, reranker=None).zone is Zone.NORMAL
        assert judge(BAD, shipped(), vectors=vectors, reranker=None).zone is Zone.EMPTY


@pytest.mark.skipif(e5.name() is None, reason="no embedded encoder on this machine")
def test_the_embedded_encoder_is_calibrated():
    assert e5.name() in shipped()


def test_an_archives_own_scores_stand_over_the_shipped_ones(tmp_path: Path):
    assert load(tmp_path) == shipped()
    own = {LEXICAL: SCORES[LEXICAL]}
    save(own, tmp_path / zones.FILE)
    assert load(tmp_path) == {**shipped(), **own}


@pytest.mark.parametrize(
    "change",
    [{"signals": ["length"]}, {"weights": [1.0]}, {"means": [float("nan")] * 4}, {"deviations": [0.0] * 4},
     {"intercept": "beaucoup"}],
)  # fmt: skip
def test_a_file_that_is_no_score_is_named(tmp_path: Path, change):
    path = tmp_path / zones.FILE
    save({LEXICAL: SCORES[LEXICAL]}, path)
    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({LEXICAL: {**document[LEXICAL], **change}}), "utf-8")
    with pytest.raises(SettingsError, match=r"zones\.json"):
        load(tmp_path)


def test_a_question_about_something_else_is_an_abstention_with_the_nearest_posts(tiny):
    *_, end = tiny.ask("Comment cuire un gâteau au chocolat sans huile ni farine ni beurre ?")
    assert isinstance(end, Abstention)
    assert (end.zone, end.reason) == (Zone.EMPTY, AbstentionReason.NO_EVIDENCE)
    assert end.evidence
    assert end.category in {"", *(category.name for category in tiny.store.categories())}


def test_a_question_about_the_archive_is_answered(tiny):
    *_, end = tiny.ask("Quelle huile pour la chaîne reste la plus simple ?")
    assert isinstance(end, Answer)
    assert end.zone is Zone.NORMAL


def test_without_an_encoder_abstention_does_not_disappear(tiny):
    with open_archive(tiny.settings, Models()) as words_only:
        *_, end = words_only.ask("Comment cuire un gâteau au chocolat sans huile ni farine ni beurre ?")
        assert isinstance(end, Abstention) and end.zone is Zone.EMPTY
