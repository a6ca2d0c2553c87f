"""The reranking stage on the tiny forum, with functions for models."""

import threading
from dataclasses import replace

import pytest

from engine.archive import open_archive
from engine.errors import ModelUnavailable
from engine.index.french import analyser
from engine.retrieve.rerank import CANDIDATES, PASSAGE_CHARS, passage, reranked
from engine.values import Contribution, FusedPost, Mode, PostId
from tests.factories import WORD_MODELS


@pytest.fixture
def reopened(tiny):
    """The tiny archive with a reranker, and other settings."""
    opened = []

    def reopen(rerank, **values):
        chosen = replace(tiny.settings, **values)
        opened.append(open_archive(chosen, replace(WORD_MODELS, rerank=rerank)))
        return opened[-1]

    yield reopen
    for archive in opened:
        archive.close()


def favouring(word):
    return lambda question, texts: [float(word in text) for text in texts]


def ids(result):
    return [hit.post_id for hit in result.hits]


def test_the_rerankers_favourite_climbs_and_says_why(tiny, reopened):
    before = tiny.search("huile chaîne", k=12)
    assert ids(before)[0] != 23 and "rerank" not in before.timings_ms
    after = reopened(favouring("simple")).search("huile chaîne", k=12)
    hit = next(hit for hit in after.hits if hit.post_id == 23)
    assert hit.rank < next(hit.rank for hit in before.hits if hit.post_id == 23)
    rerank = hit.contributions[-1]
    assert (rerank.ranking, rerank.rank, rerank.weight, rerank.share) == (
        "rerank",
        1,
        1.0,
        1 / (tiny.settings.rrf_k + 1),
    )
    assert {part.ranking for part in hit.contributions} == {"lexical", "dense", "combination", "rerank"}
    assert set(ids(after)) == set(ids(before)) and after.notices == before.notices
    assert after.timings_ms["rerank"] > 0


def test_every_score_is_still_the_sum_of_its_shares(reopened):
    for hit in (
        reopened(lambda question, texts: [len(text) % 7 for text in texts]).search("huile chaîne lac", k=12).hits
    ):
        assert hit.score == sum(part.share for part in hit.contributions)


def test_a_late_reranker_leaves_the_fused_order_and_is_said(tiny, reopened):
    gate = threading.Event()

    def slow(question, texts):
        gate.wait(60)
        return [0.0] * len(texts)

    archive = reopened(slow, rerank_deadline_s=0.05)
    try:
        result = archive.search("huile chaîne", mode=Mode.BM25)
        assert result.notices == ("rerank_late",)
        assert result.hits == tiny.search("huile chaîne", mode=Mode.BM25).hits
        # The thread is still at the first call: a second search waits its own time, then answers too.
        assert archive.search("huile chaîne").notices == ("rerank_late",)
    finally:
        gate.set()


def test_a_reranker_that_cannot_be_loaded_is_said(tiny, reopened):
    def broken(question, texts):
        raise ModelUnavailable(role="rerank", path="/nulle/part", reason="head")

    result = reopened(broken).search("huile chaîne", mode=Mode.BM25)
    assert result.notices == ("rerank_unavailable",)
    assert result.hits == tiny.search("huile chaîne", mode=Mode.BM25).hits


def test_a_score_that_is_no_number_counts_as_not_read(tiny, reopened):
    result = reopened(lambda question, texts: [float("nan")] * len(texts)).search("huile chaîne", mode=Mode.BM25)
    assert result.hits == tiny.search("huile chaîne", mode=Mode.BM25).hits


def test_conditions_alone_are_not_reranked(reopened):
    def never(question, texts):
        raise AssertionError("called")

    assert ids(reopened(never).search("auteur:alice")) == [44, 41, 22, 12]


def test_only_the_best_are_read_with_their_title(tiny):
    asked = []

    def rerank(question, texts):
        asked.append((question, list(texts)))
        return [0.0] * len(texts)

    # 24 posts that have left the archive, then two that are held, of which one is beyond the cap.
    gone = [PostId(900 + n) for n in range(CANDIDATES - 2)]
    fused = [
        FusedPost(post, 1 / (60 + n), (Contribution("lexical", n, 1.0, 1 / (60 + n)),))
        for n, post in enumerate((*gone, PostId(12), PostId(22), PostId(23)), 1)
    ]
    found, notice, best = reranked(
        "poncer", fused, rerank=rerank, store=tiny.store, analyser=analyser("fr"), k=60, deadline_s=60
    )
    assert notice is None and len(found) == len(fused) and best == 0.0
    assert asked == [
        (
            "poncer",
            [
                "Régler des freins. Il faut poncer les patins et orienter le pincement vers l’avant.",
                "Quelle huile pour la chaîne ?. La cire dure plus longtemps que l’huile par temps sec.",
            ],
        )
    ]


def test_a_long_post_is_read_around_the_words_of_the_question(tiny):
    row = tiny.store.posts([PostId(12)])[PostId(12)]
    long = replace(row, text="Rien à voir. " * 60 + "Il faut poncer\nles patins. " + "Autre chose. " * 60)
    text = passage(long, {"ponc", *analyser("fr").words("poncer patins")}, analyser("fr"))
    assert text.startswith("Régler des freins. ") and "poncer les patins" in text
    assert len(text) <= len("Régler des freins. ") + PASSAGE_CHARS
