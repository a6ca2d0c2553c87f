"""Asks a model server for JSON: its key, its time-outs, and how patiently it is asked again.

Nothing is asked of any machine but the one whose address stands in the settings.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import ssl
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_before_delay, wait_exponential, wait_random

from ..errors import ModelUnavailable

logger = logging.getLogger(__name__)
T = TypeVar("T")
Check = Callable[[], None]  # called several times a second while one waits; it may raise to stop

MOST_BYTES = 256 << 20  # of an answer
STEP_S = 0.2
AVOIDED_S = 5.0  # after a failure, readers are not made to wait for the server again
LONGEST_WAIT_S = 60.0
# Failures that may be over at the next try.
PASSING = frozenset({"server_away", "server_slow", "server_busy", "server_failing", "server_garbled"})
REASONS = {401: "server_key", 403: "server_key", 404: "server_model", 429: "server_busy", 503: "server_busy"}


class Garbled(Exception):
    """An answer is not what was asked for."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds for a connection, for a whole answer, and for all tries together."""

    connect_s: float
    answer_s: float
    patience_s: float
    avoids: bool = False  # whether a server that has just failed is left alone: somebody waits for the result


class Server:
    """One model server. Holds no connection between two requests. Safe to use from several threads.

    `setting` is the name of the setting that holds the address, for the sentence about a failure. `key_variable`
    names the environment variable of the key, which is read when it is sent and kept nowhere.
    """

    def __init__(self, role: str, setting: str, url: str, model: str | None, key_variable: str | None) -> None:
        self.role, self.setting, self.url, self.model, self.key_variable = role, setting, url, model, key_variable
        self._failed: tuple[float, dict[str, object]] | None = None

    def ask(
        self, address: str, body: dict[str, Any], read: Callable[[Any], T], pace: Pace, check: Check | None = None
    ) -> T:
        """What `read` makes of the JSON that the server answers; Garbled from it counts as a failure of the server.

        Raises ModelUnavailable with a reason of PASSING once `pace.patience_s` is over, at once with "server_key",
        "server_model", "server_refused" (with its `status`).
        """
        failed = self._failed
        if pace.avoids and failed is not None and time.monotonic() - failed[0] < AVOIDED_S:
            raise ModelUnavailable(**failed[1])
        retrying = Retrying(
            retry=retry_if_exception(_passing), stop=stop_before_delay(pace.patience_s), wait=_wait,
            sleep=lambda seconds: _sleep(seconds, check), before_sleep=self._told, reraise=True,
        )  # fmt: skip
        try:
            found: T = retrying(self._once, address, body, read, pace, check)
        except ModelUnavailable as error:
            if _passing(error):
                self._failed = time.monotonic(), error.details
            raise
        self._failed = None
        return found

    def unavailable(self, reason: str, **facts: object) -> ModelUnavailable:
        """The error of this server. Of its address the path is not told."""
        parts = urlsplit(self.url)
        return ModelUnavailable(
            role=self.role, reason=reason, path=f"{parts.scheme}://{parts.netloc}", setting=self.setting,
            model=self.model or "", variable=self.key_variable or "", **facts,
        )  # fmt: skip

    def _once(self, address: str, body: dict[str, Any], read: Callable[[Any], T], pace: Pace, check: Check | None) -> T:
        try:
            # A loop of its own, so that a silent server can be given up at any moment.
            with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
                content = runner.run(_watched(self._fetch(address, body, pace), check))
            return read(json.loads(content))
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise self.unavailable("server_away") from error
        except (TimeoutError, httpx.TimeoutException) as error:
            raise self.unavailable("server_slow") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self.unavailable("server_away") from error
        except (Garbled, ValueError, RecursionError) as error:
            raise self.unavailable("server_garbled") from error

    async def _fetch(self, address: str, body: dict[str, Any], pace: Pace) -> bytes:
        # The machine's proxy settings are for the internet; the address given here is meant as it stands.
        verify = _tls() if address.startswith("https:") else False
        timeout = httpx.Timeout(None, connect=min(pace.connect_s, pace.answer_s))
        content = bytearray()
        async with (
            asyncio.timeout(pace.answer_s),
            httpx.AsyncClient(timeout=timeout, trust_env=False, verify=verify) as client,
            client.stream("POST", address, json=body, headers=self._headers()) as answer,
        ):
            if answer.status_code != httpx.codes.OK:
                raise self._refused(answer)
            async for piece in answer.aiter_bytes():
                content += piece
                if len(content) > MOST_BYTES:
                    raise self.unavailable("server_garbled")
        return bytes(content)

    def _told(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome is not None else None
        logger.warning("the server of %s is asked again in %.1f s: %s", self.setting, state.upcoming_sleep, error)

    def _refused(self, answer: httpx.Response) -> ModelUnavailable:
        status = answer.status_code
        reason = REASONS.get(status, "server_failing" if status >= 500 else "server_refused")
        told = answer.headers.get("Retry-After", "")
        wait_s = float(told) if told.isascii() and told.isdigit() else 0.0
        return self.unavailable(reason, status=status, wait_s=min(wait_s, LONGEST_WAIT_S))

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self.key_variable, "").strip() if self.key_variable else ""
        if not (key.isascii() and key.isprintable()):  # it can't be sent, and no error may repeat it
            raise self.unavailable("server_key")
        return {"Authorization": f"Bearer {key}"} if key else {}


async def _watched(answer: Coroutine[Any, Any, bytes], check: Check | None) -> bytes:
    """The answer, while `check` is called; what that raises ends the request."""
    asked = asyncio.ensure_future(answer)
    try:
        while not (await asyncio.wait([asked], timeout=STEP_S))[0]:
            if check is not None:
                check()
        return asked.result()
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)


@cache
def _tls() -> ssl.SSLContext:
    """Made once: it takes longer than a request does."""
    return httpx.create_ssl_context()


def _passing(error: BaseException) -> bool:
    return isinstance(error, ModelUnavailable) and error.details.get("reason") in PASSING


_BACK_OFF = wait_exponential(multiplier=0.2, max=LONGEST_WAIT_S / 2) + wait_random(0, 0.1)


def _wait(state: RetryCallState) -> float:
    """Seconds before the next try: ever more, and no less than the server asked for."""
    error = state.outcome.exception() if state.outcome is not None else None
    asked = error.details.get("wait_s", 0.0) if isinstance(error, ModelUnavailable) else 0.0
    return max(_BACK_OFF(state), asked if isinstance(asked, float) else 0.0)


def _sleep(seconds: float, check: Check | None) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if check is not None:
            check()
        time.sleep(min(left, STEP_S))
