"""A folder of snapshots over HTTP, as a primary serves it or as it should not: the fault of the moment is `fault`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOKEN = "le jeton des répliques".encode().hex()


class Served(ThreadingHTTPServer):
    """The server; `asked` holds the status and path of each answer."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.fault, self.asked = folder, "", []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """The server for the time of the block."""
    with Served(folder) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self) -> None:
        path = self.path.removeprefix("/instantane/")
        found = self.server.folder / path
        if self.headers["Authorization"] != f"Bearer {TOKEN}" or not found.is_file():
            self._answer(404)
            return
        body = found.read_bytes()
        mark = f'"{body.decode().strip()}"' if path == "CURRENT" else ""
        if mark and self.headers["If-None-Match"] == mark:
            self._answer(304)
            return
        match self.server.fault if path.startswith("files/") else "":
            case "more":
                self._answer(200, body + b"!" * 5_000_000)
            case "other":
                self._answer(200, bytes(len(body)))
            case "cut":
                self._answer(200, body[: len(body) // 2], length=len(body))
            case "failing":
                self._answer(500)
            case "redirect":
                self._answer(302, location="http://192.0.2.1/elsewhere")
            case _:
                self._answer(200, body, mark=mark)

    def _answer(self, status: int, body: bytes = b"", *, length: int = -1, mark: str = "", location: str = "") -> None:
        self.server.asked.append((status, self.path))
        self.send_response(status)
        if status != 304:
            self.send_header("Content-Length", str(length if length >= 0 else len(body)))
        for name, value in (("ETag", mark), ("Location", location)):
            if value:
                self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # who asked may hang up: that is what is looked at
            self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_arguments: object) -> None:
        pass
