"""A hub on this machine: the two routes that a download needs, and the ways in which they can fail."""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "a" * 40
REPO = "essai/petit-GGUF"


class HubServer(ThreadingHTTPServer):
    """Files of one repository at one commit. Large ones are behind a redirection, as on the hub."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Served)
        self.files = files
        self.cuts: Iterator[int] = iter(())  # of each content asked for, the bytes sent before the connection ends
        self.lie: bytes | None = None  # sent in place of a file's content
        self.refuses: int | None = None  # a status for everything
        self.sent = 0  # bytes of content
        self.ranges: list[str] = []
        self.paths: list[str] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that leaves is part of the tests
            super().handle_error(request, client_address)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Served(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubServer

    def do_HEAD(self) -> None:
        self._answer(content=False)

    def do_GET(self) -> None:
        self._answer(content=True)

    def _answer(self, *, content: bool) -> None:
        hub = self.server
        hub.paths.append(f"{self.command} {self.path}")
        if hub.refuses is not None:
            return self._end(hub.refuses)
        if self.path.startswith("/cdn/"):
            return self._content(hub.files[self.path.removeprefix("/cdn/")], content)
        repo, _, rest = self.path.removeprefix("/").partition("/resolve/")
        revision, _, name = rest.partition("/")
        if repo != REPO:
            return self._end(404, {"X-Error-Code": "RepoNotFound"})
        if revision not in ("main", COMMIT):
            return self._end(404, {"X-Error-Code": "RevisionNotFound"})
        if name not in hub.files:
            return self._end(404, {"X-Error-Code": "EntryNotFound"})
        data = hub.files[name]
        if name.endswith(".json"):
            git = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            return self._content(data, content, {"X-Repo-Commit": COMMIT, "ETag": f'"{git}"'})
        host = f"http://localhost:{hub.server_port}/cdn/{name}"  # another host, as the hub's storage is
        linked = {"X-Linked-Etag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Linked-Size": str(len(data))}
        return self._end(302, {"Location": host, "X-Repo-Commit": COMMIT, **linked})

    def _content(self, data: bytes, content: bool, headers: dict[str, str] | None = None) -> None:
        hub = self.server
        wanted = self.headers.get("Range")
        start = int(wanted.removeprefix("bytes=").split("-")[0]) if wanted else 0
        if wanted:
            hub.ranges.append(wanted)
        sent = (hub.lie or data)[start:] if content else b""
        self.send_response(206 if wanted else 200)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) - start))
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        if content and (cut := next(hub.cuts, None)) is not None:
            sent, self.close_connection = sent[:cut], True
        self.wfile.write(sent)
        hub.sent += len(sent)

    def _end(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": "0", **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[HubServer]:
    """The hub, until the context ends."""
    server = HubServer(files)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
