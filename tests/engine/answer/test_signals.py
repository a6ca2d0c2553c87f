"""What the search of a question knows of its evidence, on the tiny forum."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.answer import looking, signals
from engine.answer.looking import Looked
from engine.seams import Models
from engine.values import PostId
from tests.factories import WORD_MODELS


def look(archive, question: str, models: Models = WORD_MODELS, hidden: frozenset[PostId] = frozenset()) -> Looked:
    with archive.reading() as generation:
        return looking.look(
            question, store=archive.store, generation=generation, models=models, settings=archive.settings,
            hidden=hidden,
        )  # fmt: skip


def test_a_question_in_the_words_of_a_post_is_covered_whole(tiny):
    known = look(tiny, "Quelle huile fine reste simple ?").signals
    assert (known.first_coverage, known.unknown) == (1.0, 0.0)
    assert 0 < known.mean_coverage < 1
    assert known.length == math.log1p(4)


def test_words_that_nobody_wrote_are_unknown_and_weigh_most(tiny):
    known = look(tiny, "Quelle huile pour mon xylophone ?").signals
    assert known.unknown == pytest.approx(1 - known.first_coverage)
    assert known.unknown > 0.5


def test_an_author_or_a_year_that_the_question_names_is_no_unknown_word(tiny):
    known = look(tiny, "Quelle huile pour la chaîne : Alice en 2014 ?").signals
    assert known.unknown == 0.0


def test_hidden_posts_are_as_if_they_were_not_there(tiny):
    question = "Quel axe accepte le moyeu F-GABC ?"
    before, after = look(tiny, question), look(tiny, question, hidden=frozenset({PostId(41)}))
    assert before.evidence[0].post_id == 41
    assert 41 not in {item.post_id for item in after.evidence}
    assert after.signals is None or after.signals.first_coverage < before.signals.first_coverage


def test_nothing_found_has_no_signals(tiny):
    looked = look(tiny, "Que est-ce ?", models=Models())
    assert (looked.evidence, looked.signals) == ((), None)


@pytest.fixture
def spread(monkeypatch):
    """A population to compare with, which twelve posts are not: mean 0, deviation 0.5."""

    def give(archive):
        with archive.reading() as generation:
            monkeypatch.setattr(generation.dense, "population", lambda vector: np.array([-0.5, 0.5] * 20, np.float32))

    return give


def test_without_an_encoder_only_the_words_are_known(tiny, spread):
    spread(tiny)
    question = "Quelle huile pour ma chaîne neuve ?"
    assert look(tiny, question).signals.similarity is not None
    words = look(tiny, question, models=Models()).signals
    assert (words.similarity, words.margin, words.agreement, words.logit) == (None, None, None, None)


def test_meaning_counts_in_deviations_from_posts_taken_at_random(tiny, spread):
    spread(tiny)
    question = "Je cherche une huile pour ma chaîne neuve."
    looked = look(tiny, question)
    with tiny.reading() as generation:
        ranking = generation.dense.rank(WORD_MODELS.embed([question], "query")[0], limit=100)
    cosines = dict(zip(ranking.post_ids, ranking.scores, strict=True))
    first, *next_ones = ranking.scores[:10]
    assert looked.signals.similarity == pytest.approx(max(cosines[e.post_id] for e in looked.evidence) / 0.5)
    assert looked.signals.margin == pytest.approx((first - sum(next_ones) / 9) / 0.5)
    assert 0 < looked.signals.agreement <= 1


def test_too_few_posts_say_nothing_of_what_is_close(tiny):
    assert look(tiny, "Quelle huile pour ma chaîne neuve ?").signals.similarity is None


def test_where_few_keyword_hits_have_a_vector_meaning_is_not_asked(tiny, spread, monkeypatch):
    spread(tiny)
    with tiny.reading() as generation:
        whole = generation.dense.rank
        monkeypatch.setattr(generation.dense, "cosines", lambda vector, posts: {})
        monkeypatch.setattr(
            generation.dense, "rank", lambda vector, limit, **_: replace(
                (found := whole(vector, limit=limit)), post_ids=found.post_ids[:1], scores=found.scores[:1]
            )
        )  # fmt: skip
    known = look(tiny, "Quelle huile pour ma chaîne neuve, ou de la cire par temps sec ?").signals
    assert known.similarity is None and known.first_coverage > 0


def test_the_best_score_of_a_reranker_is_kept(tiny):
    models = replace(WORD_MODELS, rerank=lambda question, texts: [-2.5 - n for n, _ in enumerate(texts)])
    assert look(tiny, "Quelle huile pour ma chaîne neuve ?", models=models).signals.logit == -2.5


def test_every_signal_that_a_score_reads_is_a_field():
    known = signals.Signals(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    assert known.row(signals.MEANING).tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert signals.MEANING[: len(signals.WORDS)] == signals.WORDS
