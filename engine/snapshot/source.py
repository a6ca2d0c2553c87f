"""Where snapshots come from: a folder, or the address of who publishes them. The only module of this room with httpx.

A source gives the name of the newest snapshot, a text by its name, contents by their hash: never more bytes than asked.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Protocol
from urllib.parse import urlsplit

import httpx

from ..errors import SnapshotUnusable
from ..keeping.disk import PIECE
from . import card as cards
from . import folder as places

PATH: Final = "/instantane"  # where a publisher serves its folder
TIMEOUT: Final = httpx.Timeout(20.0, connect=5.0)
RETRIES: Final = 2  # of a connection; a whole fetch is tried again by whoever follows a source
_REFUSED: Final = (401, 403, 404)


class Source(Protocol):
    """Where snapshots come from. Each raises SnapshotUnusable: away, refused, nothing, cut."""

    @property
    def said(self) -> str:
        """How to name it to people."""
        ...

    def current(self) -> str:
        """The name of the newest snapshot."""
        ...

    def text(self, name: str, most: int) -> bytes:
        """A file beside the contents, of at most so many bytes."""
        ...

    def take(self, sha256: str, size: int, target: Path, on_bytes: Callable[[int], None]) -> None:
        """Contents of that size into a new file; the caller verifies them."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


def open_source(where: str, *, token: str = "") -> Source:
    """The source at an address (https:// or http://) or in a folder; `token` lets in at an address."""
    return _Address(where, token) if where.startswith(("https://", "http://")) else _Folder(Path(where))


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder, self.said = folder, str(folder)

    def current(self) -> str:
        if not self._folder.is_dir():
            raise SnapshotUnusable(path=self.said, reason="away")
        with self._told():
            name = places.current_name(self._folder)
        if name is None:
            raise SnapshotUnusable(path=self.said, reason="nothing")
        return name

    def text(self, name: str, most: int) -> bytes:
        with self._told(), (self._folder / name).open("rb") as file:
            return _bounded(file.read(most + 1), most, self.said)

    def take(self, sha256: str, size: int, target: Path, on_bytes: Callable[[int], None]) -> None:
        contents = places.contents(self._folder, sha256)
        with self._told():
            if contents.stat().st_size != size:
                raise SnapshotUnusable(path=self.said, reason="damaged", file=sha256)
            try:
                os.link(contents, target)  # nobody ever changes them
            except OSError:
                shutil.copy2(contents, target)
        on_bytes(size)

    def close(self) -> None:
        pass

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise SnapshotUnusable(path=self.said, reason="cut") from error
        except PermissionError as error:
            raise SnapshotUnusable(path=self.said, reason="refused") from error


class _Address:
    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self.said = f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
        self._client = httpx.Client(
            base_url=url.rstrip("/") + PATH, headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=TIMEOUT, follow_redirects=False, trust_env=False,  # nobody else is given the token
            transport=httpx.HTTPTransport(retries=RETRIES),
        )  # fmt: skip
        self._known: tuple[str, str] | None = None  # the mark of CURRENT as it was last seen, and what it said

    def current(self) -> str:
        marked = {"If-None-Match": self._known[0]} if self._known else {}
        with self._told(), self._client.stream("GET", f"/{places.CURRENT}", headers=marked) as answer:
            if answer.status_code == httpx.codes.NOT_MODIFIED and self._known:
                return self._known[1]
            if answer.status_code == httpx.codes.NO_CONTENT:
                raise SnapshotUnusable(path=self.said, reason="nothing")
            name = self._read(answer, 100).decode("ascii", "replace").strip()
            mark = answer.headers.get("ETag", "")
        if not cards.is_name(name):
            raise SnapshotUnusable(path=self.said, reason="damaged")
        self._known = (mark, name) if mark else None
        return name

    def text(self, name: str, most: int) -> bytes:
        with self._told(), self._client.stream("GET", f"/{name}") as answer:
            return self._read(answer, most)

    def take(self, sha256: str, size: int, target: Path, on_bytes: Callable[[int], None]) -> None:
        with self._told(), self._client.stream("GET", f"/{places.FILES}/{sha256}") as answer:
            self._check(answer)
            with _private(target) as file:
                for piece in _pieces(answer, size, self.said):
                    file.write(piece)
                    on_bytes(len(piece))

    def close(self) -> None:
        self._client.close()

    def _read(self, answer: httpx.Response, most: int) -> bytes:
        self._check(answer)
        return b"".join(_pieces(answer, most, self.said))

    def _check(self, answer: httpx.Response) -> None:
        if answer.status_code in _REFUSED:
            raise SnapshotUnusable(path=self.said, reason="refused", status=answer.status_code)
        if answer.status_code != httpx.codes.OK:
            raise SnapshotUnusable(path=self.said, reason="away", status=answer.status_code)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SnapshotUnusable(path=self.said, reason="away") from error


def _pieces(answer: httpx.Response, most: int, said: str) -> Iterator[bytes]:
    """The bytes of an answer, no more than so many: a source that goes on is no source of ours."""
    left = most
    for piece in answer.iter_raw(PIECE):
        left -= len(piece)
        if left < 0:
            raise SnapshotUnusable(path=said, reason="damaged")
        yield piece


def _bounded(text: bytes, most: int, said: str) -> bytes:
    if len(text) > most:
        raise SnapshotUnusable(path=said, reason="damaged")
    return text


def _private(path: Path) -> BinaryIO:
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb")  # noqa: PTH123
