"""Answers written by a server that speaks OpenAI's chat completions: llama-server, Ollama, vLLM, one machine or many.

The only place that sends anything to another machine for an answer: the question and the public messages found, and
only once an address was given. Same rules as the local model: temperature 0, text streamed, closing stops it.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import threading
from collections.abc import AsyncIterator, Generator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from ..errors import ArchivisteError, GenerationFailed, ModelUnavailable
from ..seams import Message
from .line import TICK_S

CONNECT_S = 10.0
FIRST_TOKEN_S = 300.0  # the server may be answering others, or loading its model
TOKEN_S = 60.0
SEED = 1  # with temperature 0 it decides nothing; some servers sample without one
DATA = "data:"
DONE = "[DONE]"

# What a status says before anything was written; any other is the server's own trouble.
UNAVAILABLE = {401: "remote_key", 403: "remote_key", 404: "remote_model"}
BUSY = frozenset({429, 503})

_Event = str | None | ArchivisteError  # a piece, the end, a failure


@dataclass(frozen=True, slots=True)
class Remote:
    """A server and its model. Holds no connection between two answers.

    `key_variable` names the environment variable that holds the key: the key itself is read when it is sent.
    """

    url: str
    model: str | None = None
    key_variable: str | None = None
    answer_tokens: int = 400
    first_token_s: float = FIRST_TOKEN_S
    token_s: float = TOKEN_S

    def generate(self, messages: Sequence[Message]) -> Generator[str, None, str]:
        """The pieces of the server's answer, empty ones while it is waited for; returns "stop" or "length".

        Closing it ends the connection, at once and at any moment. Raises ModelUnavailable with the reason
        "remote_unreachable", "remote_key" or "remote_model"; GenerationFailed with "remote_busy", "remote_slow",
        "remote_cut" or "remote_server".
        """
        request = {
            "model": self.model or "default",
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": self.answer_tokens,
            "temperature": 0,
            "seed": SEED,
            "stream": True,
        }
        events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        stream = _Stream(self, request, events)
        try:
            while True:
                try:
                    event = events.get(timeout=TICK_S)
                except queue.Empty:
                    yield ""
                    continue
                if isinstance(event, ArchivisteError):
                    raise event
                if event is None:
                    return stream.finish
                yield event
        finally:
            stream.end()

    @property
    def server(self) -> str:
        """What can be told of the address: no path, no key."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def endpoint(self) -> str:
        """Where completions are asked for; a bare address gets the usual /v1."""
        base = self.url.rstrip("/")
        return f"{base if urlsplit(base).path else base + '/v1'}/chat/completions"


class _Stream:
    """One request, run by its own thread and event loop, so that it can be given up while it is silent."""

    def __init__(self, remote: Remote, request: dict[str, Any], events: queue.SimpleQueue[_Event]) -> None:
        self.finish = "stop"
        self._remote, self._request, self._events = remote, request, events
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(self._run())
        self._thread = threading.Thread(target=self._serve, daemon=True, name="remote-answer")
        self._thread.start()

    def end(self) -> None:
        """Close the connection and wait for the thread; nothing to do for an answer that has ended."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()
        self._loop.close()

    def _serve(self) -> None:
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            return
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())

    async def _run(self) -> None:
        last: _Event = GenerationFailed(stage="tokens", reason="remote_server", path=self._remote.server)
        try:
            await self._speak()
            last = None
        except ArchivisteError as error:
            last = error
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL):
            last = self._unavailable("remote_unreachable")
        except (TimeoutError, httpx.TimeoutException):
            last = GenerationFailed(stage="tokens", reason="remote_slow", path=self._remote.server)
        except httpx.HTTPError:
            last = GenerationFailed(stage="tokens", reason="remote_cut", path=self._remote.server)
        finally:
            self._events.put(last)  # whatever happened, nobody is left waiting

    async def _speak(self) -> None:
        timeout = httpx.Timeout(self._remote.token_s, connect=CONNECT_S, read=None)  # reads are timed below
        # The machine's proxy settings are for the internet; the address given here is meant as it stands.
        async with (
            httpx.AsyncClient(timeout=timeout, trust_env=False) as client,
            asyncio.timeout(self._remote.first_token_s) as silence,
            client.stream("POST", self._remote.endpoint, json=self._request, headers=self._headers()) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise self._refused(response.status_code)
            finished = False
            async for piece, finish in _pieces(response):
                silence.reschedule(self._loop.time() + self._remote.token_s)
                if piece:
                    self._events.put(piece)
                if finish:
                    finished, self.finish = True, finish
            if not finished:
                raise GenerationFailed(stage="tokens", reason="remote_cut", path=self._remote.server)

    def _headers(self) -> dict[str, str]:
        """The key that the variable holds, as the server wants it; nothing when there is none."""
        variable = self._remote.key_variable
        key = os.environ.get(variable, "").strip() if variable else ""
        if not (key.isascii() and key.isprintable()):  # it can't be sent, and no error may repeat it
            raise self._unavailable("remote_key")
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _refused(self, status: int) -> ArchivisteError:
        if status in UNAVAILABLE:
            return self._unavailable(UNAVAILABLE[status])
        reason = "remote_busy" if status in BUSY else "remote_server"
        return GenerationFailed(stage="prompt", reason=reason, path=self._remote.server, status=status)

    def _unavailable(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(
            role="generate", path=self._remote.server, reason=reason, model=self._request["model"],
            variable=self._remote.key_variable or "",
        )  # fmt: skip


async def _pieces(response: httpx.Response) -> AsyncIterator[tuple[str, str]]:
    """(text, reason for ending) of each event; both may be empty. Lines that are no event are passed over.

    Raises GenerationFailed for an error told in the middle of a stream and for events that can't be read.
    """
    async for line in response.aiter_lines():
        if not line.startswith(DATA):
            continue
        data = line.removeprefix(DATA).strip()
        if data == DONE:
            return
        try:
            event = json.loads(data)
            choices = event.get("choices") or []
            if "error" in event:
                raise GenerationFailed(stage="tokens", reason="remote_server")
            for choice in choices:
                piece = choice.get("delta", {}).get("content")
                yield piece if isinstance(piece, str) else "", str(choice.get("finish_reason") or "")
        except (ValueError, AttributeError, TypeError) as error:
            raise GenerationFailed(stage="tokens", reason="remote_server") from error
