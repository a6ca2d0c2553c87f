"""A model server on this machine, of embeddings and of both dialects of reranking, that can be told to misbehave."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from engine.seams import Embed

from .factories import word_embed

Score = Callable[[str, Sequence[str]], Sequence[float]]
Fault = Callable[["Served"], None]


class Served(BaseHTTPRequestHandler):
    """One request: answered by the fault that is due, else as it should be."""

    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        self.asked: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), self.asked))
        try:
            fault = self.server.fault(len(self.server.requests))
            if fault is not None:
                self.server.refused += 1
                fault(self)
            elif self.path.endswith("/embeddings"):
                self.tell(embeddings(self.server.embed, self.asked["input"]))
            else:
                self.tell_scores()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def tell_scores(self) -> None:
        field = self.server.dialect
        if field not in self.asked:
            return self.refuse(422)
        scores = enumerate(self.server.score(self.asked["query"], self.asked[field]))
        if field == "texts":  # best first, as Text Embeddings Inference
            return self.tell(sorted(({"index": n, "score": s} for n, s in scores), key=lambda item: -item["score"]))
        return self.tell({"results": [{"index": n, "relevance_score": s} for n, s in scores][::-1]})

    def tell(self, document: object, status: int = 200, **headers: str) -> None:
        self.say(json.dumps(document).encode(), status, **headers)

    def refuse(self, status: int, **headers: str) -> None:
        self.tell({"error": {"message": f"refused: {self.asked}"}}, status, **headers)

    def say(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def embeddings(embed: Embed, texts: Sequence[str]) -> dict[str, Any]:
    """The answer of OpenAI's embeddings, its items in the reverse order."""
    rows = embed(texts, "passage") * 3  # servers need not make unit vectors
    return {"data": [{"index": n, "embedding": row.tolist()} for n, row in enumerate(rows)][::-1]}


class ModelServer(ThreadingHTTPServer):
    """What it was asked, and what it does: `fault` is given the number of the request, from 1."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Served)
        self.embed: Embed = word_embed
        self.score: Score = lambda question, texts: [0.5] * len(texts)
        self.dialect = "documents"
        self.fault: Callable[[int], Fault | None] = lambda n: None
        self.refused = 0
        self.released = threading.Event()
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def texts(self) -> list[str]:
        """Every text that embeddings were asked for."""
        return [text for path, _, asked in self.requests if path.endswith("/embeddings") for text in asked["input"]]


@contextmanager
def serving(port: int = 0) -> Iterator[ModelServer]:
    server = ModelServer(port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
