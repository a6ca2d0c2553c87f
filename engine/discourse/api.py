"""Asks one forum for JSON over HTTP: slowly, patiently, without ever talking to another host.

The only module of this room that imports httpx. Knows nothing about topics or posts. What is refused for good comes
back as a value (Gone); what may work later is tried again, then raised as ForumUnavailable.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import re
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO, TypeVar

import httpx

from ..errors import ForumUnavailable
from .address import Address
from .interruptible import interruptible
from .pacing import Clock, Pace, growing, wait_asked
from .saved_json import Record

TRIES = 7  # of one request, when the network or the server fails: about two minutes of growing waits
FIRST_TRIES = 3  # of the first one: somebody waits for it at the keyboard
REFUSALS = 8  # "too many requests" in a row for one request
MAX_WAIT_S = 900.0  # a server that asks for more is left alone until another time
MAX_JSON_BYTES = 64 << 20
MAX_REDIRECTS = 4
TIMEOUT = httpx.Timeout(30.0, connect=15.0)
ANSWER_S = 300.0  # for one whole answer, however slowly it drips
USER_KEY_INTERVAL_S = 3.1  # Discourse allows 20 requests a minute to a member's key
CRAWLER_WORDS = ("bot", "archive", "crawl", "spider")  # Discourse takes who names them for a search engine
_REFUSED = (401, 403, 404, 410)
_AT_ONCE = ("not_discourse", "certificate")  # no second attempt changes these
_TOPIC = re.compile(r"/t/(?:[^/]+/)?(\d{1,18})(?:/\d+)?(?:\.json)?/?$")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Key:
    """A key that the forum's owner gave, never shown: a member's own, or one of the API with the name it acts for."""

    user_api_key: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    api_username: str = field(default="", repr=False)

    def __bool__(self) -> bool:
        return bool(self.user_api_key or self.api_key)

    def headers(self) -> dict[str, str]:
        """What to send with a request."""
        named = {"User-Api-Key": self.user_api_key, "Api-Key": self.api_key, "Api-Username": self.api_username}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Gone:
    """The forum does not show this to us, and asking again would not help.

    `kind` is Discourse's own word ("not_found", "invalid_access", "not_logged_in"), "elsewhere" when a redirect leads
    to another `host`, "moved" when it leads to a page (`topic_id`: of this topic), "" when the answer says nothing.
    """

    status: int
    kind: str = ""
    host: str = ""
    topic_id: int | None = None


class _TroubleError(Exception):
    """A request that may work when it is tried again; `reason` is that of ForumUnavailable, `wait` what was asked."""

    def __init__(self, reason: str, status: int = 0, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.wait = reason, status, wait


Found = TypeVar("Found")
Read = Callable[[httpx.Response], Found]


class Forum:
    """A forum to ask. Not for several threads at once; close it when done. `requests` counts what was sent."""

    def __init__(
        self,
        where: Address,
        *,
        key: Key | None = None,
        interval_s: float = 1.0,
        contact: str | None = None,
        clock: Clock | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.where, self.key, self.clock = where, key or Key(), clock or Clock()
        self.requests = 0
        if self.key.user_api_key:
            interval_s = max(interval_s, USER_KEY_INTERVAL_S)
        self.pace = Pace(interval_s, self.clock, check)
        self._check = check
        self._answered = False
        self._client = httpx.Client(
            headers=_identity(contact),
            timeout=TIMEOUT,
            trust_env=not where.loopback,  # a proxy, for instance; this very computer is never behind one
            verify=where.base_url.startswith("https:"),  # plain http loads no certificates
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def get(self, path: str, query: Iterable[tuple[str, int | str]] = (), *, anonymous: bool = False) -> Record | Gone:
        """The JSON object at a path such as "/t/12.json", or why the forum won't show it.

        Raises ForumUnavailable, whose reason is offline, certificate, failing, garbled, not_discourse or too_many.
        """
        url = httpx.URL(self.where.base_url + path)
        if asked := [(name, str(value)) for name, value in query]:
            url = url.copy_merge_params(httpx.QueryParams(tuple(asked)))
        headers = {} if anonymous else self.key.headers()
        return self._patiently(path, lambda: self._follow(url, headers, self._document))

    def download(self, path: str, sink: BinaryIO, *, max_bytes: int) -> int | Gone | None:
        """Write a public file of the forum into `sink`, asking without a key; its size, None above `max_bytes`."""

        def pour(response: httpx.Response) -> int | None:
            if _length(response) > max_bytes:
                return None
            sink.seek(0)
            sink.truncate()
            for chunk in self._chunks(response):
                if sink.tell() + len(chunk) > max_bytes:
                    return None
                sink.write(chunk)
            return sink.tell()

        url = httpx.URL(self.where.base_url + path)
        return self._patiently(path, lambda: self._follow(url, {"Accept": "*/*"}, pour))

    def unavailable(self, reason: str, **facts: object) -> ForumUnavailable:
        """The error to raise about this forum."""
        return ForumUnavailable(reason=reason, url=self.where.base_url, **facts)

    def _patiently(self, path: str, once: Callable[[], Found]) -> Found:
        """What `once` returns, tried again with growing waits while it has trouble."""
        failures = refusals = 0
        while True:
            try:
                found = once()
            except _TroubleError as trouble:
                if trouble.reason == "too_many":
                    refusals += 1
                    self.pace.complained()
                    wait = growing(refusals) if trouble.wait is None else trouble.wait
                    hopeless = refusals >= REFUSALS
                else:
                    failures += 1
                    wait = max(growing(failures), trouble.wait or 0.0)
                    hopeless = failures >= (TRIES if self._answered else FIRST_TRIES)
                _log.info("%s: %s (%s)", path, trouble.reason, trouble.status)
                if hopeless or trouble.reason in _AT_ONCE or wait > MAX_WAIT_S:
                    raise self.unavailable(trouble.reason, path=path, status=trouble.status, wait_s=wait) from trouble
                self.pace.wait(wait)
                continue
            self._answered = self._answered or not isinstance(found, Gone)
            self.pace.answered()
            return found

    def _follow(self, url: httpx.URL, headers: dict[str, str], read: Read[Found]) -> Found | Gone:
        """What `read` makes of a good answer, after the redirects that stay on the forum and lead to data."""
        for _ in range(MAX_REDIRECTS):
            self.pace.turn()
            self.requests += 1
            found = interruptible(partial(self._send, url, headers, read), self._check)
            if not isinstance(found, httpx.URL):
                return found
            url = found
        return Gone(302, "moved")

    # --- one request; this part runs in a thread of its own ---

    def _send(self, url: httpx.URL, headers: dict[str, str], read: Read[Found]) -> Found | Gone | httpx.URL:
        try:
            with self._client.stream("GET", url, headers=headers) as response:
                _log.debug("%s: %d", url.path, response.status_code)
                if response.status_code == 200:
                    return read(response)
                if response.has_redirect_location:
                    return self._target(url, response)
                return self._refusal(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _TroubleError("certificate" if _is_certificate(error) else "offline") from error

    def _target(self, url: httpx.URL, response: httpx.Response) -> httpx.URL | Gone:
        """Where a redirect leads, unless it leaves the forum or its data."""
        target, status = url.join(response.headers["Location"]), response.status_code
        if (target.scheme, target.host, target.port) != (url.scheme, url.host, url.port):
            return Gone(status, "elsewhere", host=target.host)
        path = target.path.removeprefix(httpx.URL(self.where.base_url).path.rstrip("/"))
        if path.split("/")[1:2] in (["login"], ["session"]):
            return Gone(status, "not_logged_in")
        if "." in path.rpartition("/")[2] and target != url:
            return target
        topic = _TOPIC.search(path)
        return Gone(status, "moved", topic_id=int(topic[1]) if topic else None)

    def _refusal(self, response: httpx.Response) -> Gone:
        """Why an answer is none, as a value when it is for good."""
        status = response.status_code
        body = b"".join(self._chunks(response, MAX_JSON_BYTES))
        if status in _REFUSED:
            return Gone(status, _error_type(body))
        asked = wait_asked(response.headers.get("Retry-After"), body, self.clock.time())
        raise _TroubleError("too_many" if status == 429 else "failing", status, asked)

    def _document(self, response: httpx.Response) -> Record:
        body = b"".join(self._chunks(response, MAX_JSON_BYTES))
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _TroubleError(self._no_json(body), 200) from error
        if not isinstance(document, dict):
            raise _TroubleError(self._no_json(body), 200)
        return document

    def _no_json(self, body: bytes) -> str:
        """Another site answers with a page; a forum that has answered before had an accident."""
        page = body.lstrip()[:1] in (b"<", b"[", b"")
        return "not_discourse" if page and not self._answered else "garbled"

    def _chunks(self, response: httpx.Response, max_bytes: int | None = None) -> Iterable[bytes]:
        began, size = self.clock.monotonic(), 0
        for chunk in response.iter_bytes():
            size += len(chunk)
            if (max_bytes is not None and size > max_bytes) or self.clock.monotonic() - began > ANSWER_S:
                raise _TroubleError("garbled", response.status_code)
            yield chunk


def _identity(contact: str | None) -> dict[str, str]:
    """Who asks, said honestly. A contact whose words pass for a search engine's goes where mail addresses go."""
    try:
        version = importlib.metadata.version("archiviste")
    except importlib.metadata.PackageNotFoundError:  # run from a checkout
        version = "0"
    contact = "".join(c for c in contact or "" if " " <= c <= "~").strip()
    named = contact and not any(word in contact.lower() for word in CRAWLER_WORDS)
    headers = {"User-Agent": f"Archiviste/{version}" + (f" (+{contact})" if named else "")}
    return {**headers, "Accept": "application/json"} | ({"From": contact} if contact and not named else {})


def _error_type(body: bytes) -> str:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    kind = document.get("error_type") if isinstance(document, dict) else None
    return kind if isinstance(kind, str) else ""


def _length(response: httpx.Response) -> int:
    told = response.headers.get("Content-Length", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 19 else 0


def _is_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError) or "CERTIFICATE_VERIFY" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
