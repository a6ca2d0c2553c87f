"""Vectors of a server: what is sent, what is understood, and what each misbehaviour is called."""

from __future__ import annotations

import base64
import logging
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled, ModelUnavailable
from engine.models import load_models, remote_encoder
from engine.models.remote_encoder import PROBES, RemoteEncoder, vectors_in
from engine.models.remote_http import Garbled, Pace, Server
from tests.factories import settings, word_embed
from tests.model_server import Fault, ModelServer, Served, free_port, serving

TEXTS = ["Les freins grincent.", "Une huile pour la chaîne.", "Sortie au lac."]
KEY = "sk-une-cle-secrete"
SHORT = Pace(connect_s=0.5, answer_s=0.3, patience_s=0.0)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as running:
        yield running


def encoder(server: ModelServer | str, **prefixes: str) -> RemoteEncoder:
    url = server if isinstance(server, str) else server.url
    return RemoteEncoder(Server("embed", "encoder_url", url, "petit", "CLE_DU_SERVEUR"), **prefixes)


def other_embed(texts: Any, role: Any) -> Any:
    """Another model of as many dimensions: the same words in other buckets."""
    return np.roll(word_embed(texts, role), 7, axis=1)


def short_embed(texts: Any, role: Any) -> Any:
    return word_embed(texts, role)[:, :64] + 0.01


def failure(asked: RemoteEncoder, role: Any = "query") -> dict[str, object]:
    with pytest.raises(ModelUnavailable) as raised:
        asked.embed(TEXTS, role)
    return raised.value.details


def test_the_vectors_are_those_of_the_texts_in_their_order(server: ModelServer) -> None:
    rows = encoder(server).embed(TEXTS, "passage")
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, word_embed(TEXTS, "passage"), atol=1e-6)
    ((path, headers, asked),) = server.requests
    assert path == "/v1/embeddings" and "Authorization" not in headers
    assert asked == {"model": "petit", "input": TEXTS, "encoding_format": "float"}
    assert encoder(server).embed([], "passage").shape[0] == 0 and len(server.requests) == 1


def test_a_prefix_goes_before_each_text_by_its_role(server: ModelServer) -> None:
    asked = encoder(server, query_prefix="query:", passage_prefix="passage:")
    asked.embed(["huile"], "query")
    asked.embed(["huile"], "passage")
    assert server.texts == ["query: huile", "passage: huile"]


def test_no_request_holds_more_texts_than_a_server_takes_by_default(server: ModelServer) -> None:
    texts = [f"texte {n}" for n in range(70)]
    asked = encoder(server)
    kept = asked.probe()
    for rows in (asked.embed(texts, "passage"), asked.held_to(kept)(texts, "passage")):
        np.testing.assert_allclose(rows, word_embed(texts, "passage"), atol=1e-6)
    assert max(len(body["input"]) for _, _, body in server.requests) == 32


def test_the_key_is_read_from_its_variable_and_neither_it_nor_a_text_is_told(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CLE_DU_SERVEUR", f" {KEY}\n")
    caplog.set_level(logging.DEBUG)
    server.fault = lambda n: lambda served: served.refuse(401)
    with pytest.raises(ModelUnavailable) as raised:
        encoder(server.url + "/chemin-secret").embed(TEXTS, "query")
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    assert raised.value.details["reason"] == "server_key"
    assert KEY not in str(raised.value) + caplog.text
    assert "grincent" not in str(raised.value) + caplog.text and "chemin" not in str(raised.value)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "server_key"), (403, "server_key"), (404, "server_model"), (429, "server_busy"), (503, "server_busy"),
        (500, "server_failing"), (502, "server_failing"), (302, "server_refused"), (418, "server_refused"),
        (400, "server_refused"),
    ],
)  # fmt: skip
def test_a_refusal_has_its_reason(
    status: int, reason: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_encoder, "QUESTION", SHORT)
    server.fault = lambda n: lambda served: served.refuse(status)
    details = failure(encoder(server))
    assert details["reason"] == reason and details["status"] == status
    assert str(details["path"]) == server.url


def silent(served: Served) -> None:
    served.server.released.wait(5)


def dribble(served: Served) -> None:
    """A byte now and then: never silent for long, never whole."""
    served.send_response(200)
    served.send_header("Content-Length", "100000")
    served.end_headers()
    while not served.server.released.wait(0.05):
        served.wfile.write(b" ")


def cut(served: Served) -> None:
    served.send_response(200)
    served.send_header("Content-Length", "100000")
    served.end_headers()
    served.wfile.write(b'{"data": [')
    served.connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(("fault", "reason"), [(silent, "server_slow"), (dribble, "server_slow"), (cut, "server_away")])
def test_an_answer_that_does_not_come_whole(
    fault: Fault, reason: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_encoder, "QUESTION", SHORT)
    server.fault = lambda n: fault
    start = time.monotonic()
    assert failure(encoder(server))["reason"] == reason
    assert time.monotonic() - start < 2


ROW = [1.0, 0.0]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>Bienvenue</html>", b"[]", b"[" * 100_000, b'{"data": null}', b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2]}]}',  # two are missing
        *(
            b'{"data": [{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [1, 0]}, {"index": 2, '
            b'"embedding": %s}]}' % last
            for last in (b"[0, 0]", b"[NaN, 1]", b"[1]", b"[[1, 0]]", b'"pas du base64"', b'"AAA="', b"null", b'["x", 1]')
        ),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_one(body: bytes, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_encoder, "QUESTION", SHORT)
    server.fault = lambda n: lambda served: served.say(body)
    assert failure(encoder(server))["reason"] == "server_garbled"


@given(st.permutations(range(5)), st.lists(st.booleans(), min_size=5, max_size=5))
def test_items_come_in_any_order_and_either_encoding(order: list[int], coded: list[bool]) -> None:
    rows = np.eye(5, 3, dtype=np.float32) + 1
    items = [
        {"index": n, "embedding": base64.b64encode(rows[n].tobytes()).decode() if coded[n] else rows[n].tolist()}
        for n in order
    ]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors_in({"data": items}, 5), unit, atol=1e-6)
    with pytest.raises(Garbled):
        vectors_in({"data": [*items, {"index": 5, "embedding": ROW}]}, 5)


def test_a_server_that_is_away_makes_only_the_first_question_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    asked = encoder(f"http://127.0.0.1:{port}")
    assert failure(asked)["reason"] == "server_away"
    start = time.monotonic()
    assert failure(asked)["reason"] == "server_away"
    assert time.monotonic() - start < 0.05
    monkeypatch.setattr("engine.models.remote_http.AVOIDED_S", 0.0)
    with serving(port):
        assert len(asked.embed(TEXTS, "query")) == 3  # and it is taken up again by itself


def test_a_busy_server_is_given_the_time_it_asks_for(server: ModelServer) -> None:
    server.fault = lambda n: (lambda served: served.refuse(429, Retry_After="1")) if n == 2 else None
    asked = encoder(server)
    held = asked.held_to(asked.probe(), lambda: None)
    start = time.monotonic()
    assert len(held(TEXTS, "passage")) == 3
    assert time.monotonic() - start >= 1.0 and len(server.requests) == 3


def test_a_wait_ends_when_it_is_asked_to(server: ModelServer) -> None:
    server.fault = lambda n: (lambda served: served.refuse(503, Retry_After="30")) if n > 2 else None
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) > 2:
            raise Cancelled()

    asked = encoder(server)
    held = asked.held_to(asked.probe(), check)
    held(TEXTS, "passage")
    start = time.monotonic()
    with pytest.raises(Cancelled):
        held(TEXTS, "passage")
    assert time.monotonic() - start < 2


def test_of_a_text_that_the_model_finds_too_long_the_beginning_is_encoded(server: ModelServer) -> None:
    def fault(_n: int) -> Fault | None:
        long = any(len(text) > 400 for text in server.requests[-1][2]["input"])
        return (lambda served: served.refuse(413)) if long else None

    server.fault = fault
    long = "frein " * 200
    rows = encoder(server).embed([*TEXTS, long], "passage")
    np.testing.assert_allclose(rows, word_embed([*TEXTS, long[:300]], "passage"), atol=1e-6)


def test_only_the_model_whose_probes_were_kept_is_taken(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = encoder(server)
    kept = asked.probe()
    held = encoder(server).held_to(kept)  # as another process would
    np.testing.assert_allclose(held(TEXTS, "query"), word_embed(TEXTS, "query"), atol=1e-6)
    np.testing.assert_allclose(held(TEXTS, "passage"), word_embed(TEXTS, "passage"), atol=1e-6)
    monkeypatch.setattr(remote_encoder, "PROVED_S", 0.0)
    for embed, reason in ((other_embed, "server_other"), (short_embed, "server_dimension")):
        server.embed = embed
        for role in ("query", "passage"):
            with pytest.raises(ModelUnavailable) as raised:
                held(TEXTS, role)  # type: ignore[arg-type]
            assert raised.value.details["reason"] == reason
    server.embed = word_embed
    assert len(held(TEXTS, "query")) == 3  # the right one is back


def test_what_batches_change_in_a_vector_is_allowed(server: ModelServer) -> None:
    kept = encoder(server).probe()
    random = np.random.default_rng(1)

    def nearly(texts: Any, role: Any) -> Any:
        rows = word_embed(texts, role)
        return rows + random.normal(scale=0.0012, size=rows.shape).astype(np.float32)  # a cosine of about 0.9996

    server.embed = nearly
    assert len(encoder(server).held_to(kept)(TEXTS, "passage")) == 3


def test_questions_bring_probes_along_once_a_minute_and_passages_always(server: ModelServer) -> None:
    asked = encoder(server)
    kept = asked.probe()
    held = asked.held_to(kept)
    server.requests.clear()
    held(["huile"], "query")
    held(["huile"], "query")
    held(["huile"], "passage")
    assert [len(body["input"]) for _, _, body in server.requests] == [len(PROBES) + 1, 1, 2]


def test_off_by_default_and_named_by_all_that_changes_its_vectors(tmp_path: Path, server: ModelServer) -> None:
    assert load_models(settings(tmp_path)).elsewhere is None
    names = [
        load_models(settings(tmp_path, encoder_url=server.url, **values)).embed_name
        for values in (
            {}, {"encoder_remote_model": "BAAI/bge-m3"}, {"encoder_remote_model": "autre/bge-m3"},
            {"encoder_query_prefix": "query:"}, {"encoder_passage_prefix": "query:"},
        )
    ]  # fmt: skip
    assert len(set(names)) == 5 and str(names[1]).startswith("remote-bge-m3-")
    moved = load_models(settings(tmp_path, encoder_url="http://ailleurs:8000/v1"))
    assert moved.embed_name == names[0]  # a model may move
    assert server.requests == []  # and nothing is asked before it is needed
