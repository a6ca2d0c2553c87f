"""The real loading code of cross-encoders on a tiny random model of bge-reranker-v2-m3's architecture."""

import json
import math
import shutil
import socket

import numpy as np
import pytest

from engine.archive import open_archive
from engine.errors import ModelUnavailable
from engine.feeding import build_index
from engine.models import load_models, reranker
from engine.values import Mode
from tests.factories import forum, save, settings

TEXTS = ("Freins. Poncer les patins.", "Huile.", "mot " * 900, "", *(f"Chaîne {n}. " * n for n in range(1, 22)))


@pytest.fixture(scope="session")
def rerank(cross_folder):
    return reranker.load(cross_folder)


def test_scores_are_finite_logits_one_a_text_in_the_order_of_the_texts(rerank):
    scores = rerank("Comment régler un frein ?", TEXTS)
    assert len(scores) == len(TEXTS) and all(math.isfinite(score) for score in scores)
    assert len({round(score, 4) for score in scores}) > 10
    backwards = rerank("Comment régler un frein ?", TEXTS[::-1])
    assert np.allclose(scores, backwards[::-1], atol=1e-4)
    for text, score in zip(TEXTS, scores, strict=True):
        assert rerank("Comment régler un frein ?", [text])[0] == pytest.approx(score, abs=1e-4)


def test_the_question_counts(rerank):
    assert not np.allclose(rerank("Une huile", TEXTS), rerank("Comment régler un frein ?", TEXTS), atol=1e-3)


def test_scores_are_those_of_the_model_itself(rerank, cross_folder):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(cross_folder)
    model = AutoModelForSequenceClassification.from_pretrained(cross_folder).eval()
    inputs = tokenizer("Une huile", TEXTS[0], return_tensors="pt")
    with torch.no_grad():
        expected = model(**inputs).logits.item()
    assert rerank("Une huile", [TEXTS[0]])[0] == pytest.approx(expected, abs=1e-5)


def test_pairs_go_through_the_model_once(rerank, passes):
    rerank("Une huile", TEXTS)
    assert sum(passes) == len(TEXTS) == 25 and max(passes) == reranker.BATCH


def test_no_text_gives_no_score(rerank):
    assert tuple(rerank("Une huile", [])) == ()


def test_a_long_question_and_a_long_text_stay_inside_the_models_positions(rerank):
    assert math.isfinite(rerank("mot " * 600, ["mot " * 900])[0])


@pytest.mark.parametrize("loads", [reranker.check, reranker.load])
def test_a_model_without_the_head_that_scores_a_pair_is_refused(folder, cross_folder, tmp_path, loads):
    with pytest.raises(ModelUnavailable) as caught:
        loads(folder)  # an encoder
    assert caught.value.details == {"role": "rerank", "path": str(folder), "reason": "head"}
    several = tmp_path / "deux classes"
    shutil.copytree(cross_folder, several)
    config = json.loads((several / "config.json").read_text())
    (several / "config.json").write_text(json.dumps(config | {"id2label": {"0": "non", "1": "oui"}}))
    with pytest.raises(ModelUnavailable):
        loads(several)


def test_a_folder_that_is_no_model_is_named(tmp_path):
    with pytest.raises(ModelUnavailable):
        load_models(settings(tmp_path, reranker_model=str(tmp_path / "nulle part")))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailable) as caught:
        reranker.load(tmp_path)
    assert caught.value.details["path"] == str(tmp_path)


def test_a_search_is_reranked_without_the_network_and_its_shares_add_up(folder, cross_folder, tmp_path, monkeypatch):
    def refuse(self, address):
        raise AssertionError(f"network call to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    chosen = settings(
        tmp_path, bge_model=str(folder), bge_precision="fp32", reranker_model=str(cross_folder), rerank_deadline_s=600
    )
    save(tmp_path, forum())
    models = load_models(chosen)
    build_index(chosen, models)
    with open_archive(chosen, models) as archive:
        found = archive.search("poncer les patins", mode=Mode.HYBRID, k=12)
        assert found.notices == () and found.timings_ms["rerank"] > 0
        assert {part.ranking for part in found.hits[0].contributions} >= {"dense", "rerank"}
        assert all(hit.score == sum(part.share for part in hit.contributions) for hit in found.hits)
