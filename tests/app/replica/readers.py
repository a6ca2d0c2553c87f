"""Readers who search without a pause, and what came of each of their requests."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from engine.sources import SourceItem
from tests.app.access.visitor import HTML, Visitor
from tests.factories import post, topic

GENERATION = re.compile(r"génération (\d+)z")
SEARCH = "/chercher?q=mandoline"


def marked(generation: int, *, posts: int = 40, number: int = 1) -> list[SourceItem]:
    """A topic all of whose messages tell of which generation they are; their ids begin at its own."""
    said = "La mandoline {} de la génération {}z sonne bien."
    return [
        topic(number, "Mandolines", category=None),
        *(post(number + n, said.format(n, generation), topic_id=number, number=n + 1, edited=generation)
          for n in range(posts)),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """One request: when it began and how long it took (s), its status (0: none came), the generations of its hits."""

    at: float
    took_s: float
    status: int
    generations: frozenset[int]
    said: str  # what was answered instead of hits: an error, or a page whose hits come over its websocket

    @property
    def failed(self) -> bool:
        return self.status != 200 or '"alert"' in self.said


class Readers:
    """Readers at work; `requests` grows until the block of `reading` ends."""

    def __init__(self, url: str, token: str, count: int, paths: Sequence[str] = (SEARCH,)) -> None:
        self.requests: list[Request] = []
        self._url, self._token, self._paths = url, token, paths
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(n,)) for n in range(count)]

    def since(self, moment: float) -> list[Request]:
        """The requests that began after this moment."""
        return [request for request in [*self.requests] if request.at >= moment]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _read(self, number: int) -> None:
        visitor = Visitor(self._url)
        visitor.http.cookies.set("archiviste", self._token)
        n = number
        while not self._over.is_set():
            began = time.time()
            try:
                answer = visitor.http.get(self._paths[n % len(self._paths)], headers=HTML)
                status, said = answer.status_code, answer.text
            except httpx.HTTPError:
                status, said = 0, ""
            n += 1
            found = frozenset(map(int, GENERATION.findall(said)))
            self.requests.append(Request(began, time.time() - began, status, found, "" if found else said))


@contextmanager
def reading(url: str, token: str, count: int, paths: Sequence[str] = (SEARCH,)) -> Iterator[Readers]:
    """So many readers for the time of the block."""
    readers = Readers(url, token, count, paths)
    readers.start()
    try:
        yield readers
    finally:
        readers.end()
