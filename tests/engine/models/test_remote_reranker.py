"""Scores of a server in both dialects, and what a search does without them.

No server of /rerank can be installed by name here: the server is a small one of the tests, over real HTTP.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine import build_index, open_archive
from engine.errors import ModelUnavailable
from engine.models import load_models
from engine.models.remote_http import Server
from engine.models.remote_reranker import RemoteReranker
from engine.seams import Models
from tests.factories import forum, save, settings
from tests.model_server import Fault, ModelServer, free_port, serving

TEXTS = ["cire", "huile", "patins"]
LOGITS = [-1.5, 4.0, 0.25]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as running:
        running.score = lambda question, texts: [LOGITS[TEXTS.index(text)] for text in texts]
        yield running


def reranker(url: str, deadline_s: float = 5.0) -> RemoteReranker:
    return RemoteReranker(Server("rerank", "reranker_url", url, "juge", None), deadline_s=deadline_s)


@pytest.mark.parametrize("dialect", ["documents", "texts"])
def test_scores_come_in_the_order_of_the_texts_in_both_dialects(dialect: str, server: ModelServer) -> None:
    server.dialect = dialect
    asked = reranker(server.url + "/v1")
    assert asked.rerank("Quelle huile ?", TEXTS) == LOGITS
    assert asked.rerank("Quelle huile ?", TEXTS * 15) == LOGITS * 15
    paths = {path for path, _, _ in server.requests}
    sizes = [len(body[dialect]) for _, _, body in server.requests if dialect in body]
    assert paths == {"/v1/rerank"} and sizes == [3, 32, 13]
    assert len(server.requests) == (3 if dialect == "documents" else 4)  # the dialect is found once
    if dialect == "texts":
        assert server.requests[-1][2]["raw_scores"] is True


def test_probabilities_become_the_logits_they_come_from(server: ModelServer) -> None:
    server.score = lambda question, texts: [0.5, 0.9820137900379085, 0.0]
    scores = reranker(server.url).rerank("Quelle huile ?", TEXTS)
    assert scores[:2] == pytest.approx([0.0, 4.0]) and -14 < scores[2] < -13


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b'{"results": [{"index": 0, "relevance_score": 1}]}', b'{"results": 3}',
     b'{"results": [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": NaN}, '
     b'{"index": 2, "relevance_score": 1}]}'],
)  # fmt: skip
def test_an_answer_that_is_not_one(body: bytes, server: ModelServer) -> None:
    server.fault = lambda n: lambda served: served.say(body)
    with pytest.raises(ModelUnavailable) as raised:
        reranker(server.url).rerank("Quelle huile ?", TEXTS)
    assert raised.value.details["reason"] == "server_garbled"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rerank")
    save(folder, forum())
    build_index(settings(folder), Models())
    return folder


def search(data: Path, url: str, deadline_s: float = 5.0) -> tuple[list[int], tuple[str, ...], float]:
    """Posts, notices and seconds of a search for "huile chaîne" that a server reads again."""
    chosen = settings(data, reranker_url=url, rerank_deadline_s=deadline_s)
    with open_archive(chosen, load_models(chosen)) as archive:
        start = time.monotonic()
        found = archive.search("huile chaîne")
        return [hit.post_id for hit in found.hits], found.notices, time.monotonic() - start


@pytest.fixture(scope="module")
def fused(data: Path) -> list[int]:
    with open_archive(settings(data), Models()) as archive:
        return [hit.post_id for hit in archive.search("huile chaîne").hits]


@pytest.mark.parametrize("dialect", ["documents", "texts"])
def test_the_favourite_of_the_server_climbs(dialect: str, server: ModelServer, data: Path, fused: list[int]) -> None:
    def last_first(question: str, texts: Sequence[str]) -> list[float]:
        return [float(n) * 3 - 2 for n in range(len(texts))]

    server.dialect, server.score = dialect, last_first
    ids, notices, _ = search(data, server.url)
    words = load_models(settings(data)).embed_name is not None  # the small encoder: "no vectors yet" is said
    assert set(ids) == set(fused) and ids.index(fused[-1]) < len(ids) - 1
    assert notices == (("dense_missing",) if words else ("encoder_missing",))
    assert all("huile" in body["query"] for _, _, body in server.requests)


@pytest.mark.parametrize(
    ("fault", "notice"),
    [
        (lambda served: served.server.released.wait(5), "rerank_late"),
        (lambda served: served.refuse(500), "reranker_away"),
        (lambda served: served.refuse(429), "reranker_away"),
        (lambda served: served.refuse(401), "reranker_away"),
        (lambda served: served.say(b"<html>"), "reranker_away"),
    ],
)
def test_without_its_scores_the_fused_order_stands(
    fault: Fault, notice: str, server: ModelServer, data: Path, fused: list[int]
) -> None:
    server.fault = lambda n: fault
    ids, notices, seconds = search(data, server.url, 0.4)
    assert ids == fused and notices[-1] == notice and seconds < 2


def test_a_server_that_is_away_costs_no_time(data: Path, fused: list[int]) -> None:
    ids, notices, seconds = search(data, f"http://127.0.0.1:{free_port()}")
    assert ids == fused and notices[-1] == "reranker_away" and seconds < 2
