"""A server that writes the answers: llama.cpp's own on this machine, and one that misbehaves in every way we know."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.errors import ArchivisteError, GenerationFailed, ModelUnavailable
from engine.models import load_models
from engine.models.remote import Remote
from engine.seams import Message
from tests.factories import settings

from .chat_server import DONE, Script, Served, event, serving
from .waiting import first, wait_until

QUESTION = [Message("system", "Vous êtes un guide."), Message("user", "La capitale de la France est")]
KEY = "sk-une-cle-secrete"


def text_of(remote: Remote) -> tuple[str, str]:
    """The whole answer and why it ended."""
    pieces: list[str] = []
    running = remote.generate(QUESTION)
    while True:
        try:
            pieces.append(next(running))
        except StopIteration as end:
            return "".join(pieces), end.value


def failure(script: Script, **values: Any) -> ArchivisteError:
    with serving(script) as server, pytest.raises(ArchivisteError) as raised:
        text_of(Remote(server.url, **values))
    return raised.value


def test_pieces_and_the_reason_for_ending_arrive() -> None:
    noise = b': still here\n\ndata: {"choices": []}\n\nevent: x\n\n'
    role = b'data: {"choices": [{"delta": {"role": "assistant", "content": null}}]}\n\n'
    with serving(
        lambda served: served.say(noise, role, event("Par"), event("is"), event(finish="length"), DONE)
    ) as server:
        assert text_of(Remote(server.url, model="petit", answer_tokens=7)) == ("Paris", "length")
    ((path, headers, request),) = server.requests
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert request == {
        "model": "petit",
        "messages": [{"role": m.role, "content": m.content} for m in QUESTION],
        "max_tokens": 7,
        "temperature": 0,
        "seed": 1,
        "stream": True,
    }


def test_an_event_cut_anywhere_is_put_together_again() -> None:
    whole = event("é") + event("tat", "stop") + DONE
    with serving(lambda served: served.say(*(whole[n : n + 1] for n in range(len(whole))))) as server:
        assert text_of(Remote(server.url)) == ("état", "stop")


def test_the_key_is_read_from_its_variable_and_told_nowhere(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CLE_DU_SERVEUR", f"  {KEY}\n")
    caplog.set_level(logging.DEBUG)
    with serving(lambda served: served.refuse(401)) as server:
        remote = Remote(server.url, key_variable="CLE_DU_SERVEUR")
        with pytest.raises(ModelUnavailable) as raised:
            text_of(remote)
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    assert raised.value.details["reason"] == "remote_key"
    assert raised.value.details["variable"] == "CLE_DU_SERVEUR"
    assert KEY not in str(raised.value) + repr(remote) + caplog.text
    assert "capitale" not in str(raised.value) + caplog.text  # nor the question, which the server repeats


@pytest.mark.parametrize("key", ["clé", "deux\nlignes"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_told(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLE_DU_SERVEUR", key)
    refused = failure(lambda served: served.say(event("Oui", "stop")), key_variable="CLE_DU_SERVEUR")
    assert refused.details["reason"] == "remote_key"
    assert key not in str(refused)


@pytest.mark.parametrize(
    ("status", "kind", "reason"),
    [
        (401, ModelUnavailable, "remote_key"),
        (403, ModelUnavailable, "remote_key"),
        (404, ModelUnavailable, "remote_model"),
        (429, GenerationFailed, "remote_busy"),
        (503, GenerationFailed, "remote_busy"),
        (400, GenerationFailed, "remote_server"),
        (500, GenerationFailed, "remote_server"),
        (302, GenerationFailed, "remote_server"),
    ],
)
def test_a_refusal_says_what_to_do(status: int, kind: type[ArchivisteError], reason: str) -> None:
    refused = failure(lambda served: served.refuse(status))
    assert (type(refused), refused.details["reason"]) == (kind, reason)
    assert str(refused.details["path"]).startswith("http://127.0.0.1:")


def cut(served: Served) -> None:
    served.begin()
    served.chunk(event("Par"))
    served.connection.shutdown(socket.SHUT_RDWR)


def stuck(served: Served) -> None:
    served.begin()
    served.chunk(event("Par"))
    served.server.released.wait(10)


def silent(served: Served) -> None:
    served.server.released.wait(10)


@pytest.mark.parametrize(
    ("script", "values", "reason"),
    [
        (cut, {}, "remote_cut"),
        (lambda served: served.say(event("Par")), {}, "remote_cut"),  # the stream ends without a reason
        (lambda served: served.say(event("Par"), DONE), {}, "remote_cut"),
        (lambda served: served.connection.shutdown(socket.SHUT_RDWR), {}, "remote_cut"),
        (stuck, {"token_s": 0.3}, "remote_slow"),
        (silent, {"first_token_s": 0.3}, "remote_slow"),
        (lambda served: served.say(b"data: {ceci n'est pas\n\n"), {}, "remote_server"),
        (lambda served: served.say(b"data: [1, 2]\n\n"), {}, "remote_server"),
        (lambda served: served.say(event("Par"), b'data: {"error": {"message": "non"}}\n\n'), {}, "remote_server"),
    ],
)
def test_an_answer_that_does_not_come_whole_fails(script: Script, values: dict[str, float], reason: str) -> None:
    failed = failure(script, **values)
    assert isinstance(failed, GenerationFailed)
    assert failed.details["reason"] == reason


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/v1", "http://nulle-part.invalid/v1"):
        with pytest.raises(ModelUnavailable) as raised:
            text_of(Remote(url))
        assert raised.value.details["reason"] == "remote_unreachable"


def patient(served: Served) -> None:
    """Says one thing, then that it is still there, until its client has gone."""
    served.begin()
    served.chunk(event("Par"))
    while not served.server.released.wait(0.02):
        served.chunk(b": still here\n\n")


def deaf(served: Served) -> None:
    """Says nothing at all, and sees when its client has gone."""
    if served.rfile.read(1) == b"":
        served.server.left.set()


@pytest.mark.parametrize(("script", "said"), [(patient, "Par"), (deaf, "")])
def test_giving_up_closes_the_connection_at_any_moment(script: Script, said: str) -> None:
    threads = threading.active_count()
    with serving(script) as server:
        running = Remote(server.url).generate(QUESTION)
        assert not said or first(running) == said
        assert next(running) == ""  # still waiting
        start = time.monotonic()
        running.close()
        assert time.monotonic() - start < 1.0
        assert server.left.wait(5)
    wait_until(lambda: threading.active_count() <= threads)


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://machine:8000", "http://machine:8000/v1/chat/completions"),
        ("http://machine:8000/", "http://machine:8000/v1/chat/completions"),
        ("http://machine/v1/", "http://machine/v1/chat/completions"),
        ("https://machine/api/openai", "https://machine/api/openai/chat/completions"),
    ],
)
def test_a_bare_address_gets_the_usual_path(url: str, endpoint: str) -> None:
    assert Remote(url).endpoint == endpoint


def test_off_by_default_and_the_proxy_of_the_machine_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_models(settings(tmp_path)).remote is None
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serving(lambda served: served.say(event("Oui", "stop"), DONE)) as server:
        generate = load_models(settings(tmp_path, llm_url=server.url)).remote
        assert generate is not None
        assert "".join(generate(QUESTION)) == "Oui"


@pytest.mark.models
def test_the_server_of_llama_cpp_answers_as_any_other(gguf: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(gguf), "--port", str(port)]
    command += ["--n_ctx", "512", "--n_threads", "1", "--api_key", KEY]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until(lambda: _answers(url), 60)
            with pytest.MonkeyPatch.context() as patched:
                patched.setenv("CLE_LLAMA", KEY)
                remote = Remote(url, key_variable="CLE_LLAMA", answer_tokens=24)
                text, finish = text_of(remote)
                assert text.strip() and finish in ("stop", "length")
                assert text_of(remote) == (text, finish)
                running = Remote(url, key_variable="CLE_LLAMA", answer_tokens=400).generate(QUESTION)
                first(running)
                start = time.monotonic()
                running.close()
                assert time.monotonic() - start < 1.0
                assert text_of(remote)[0]  # and it is free for the next one
            with pytest.raises(ModelUnavailable) as refused:
                text_of(Remote(url, key_variable="CLE_LLAMA"))
            assert refused.value.details["reason"] == "remote_key"
        finally:
            server.kill()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/v1/models", trust_env=False).status_code in (200, 401)
    except httpx.HTTPError:
        return False
