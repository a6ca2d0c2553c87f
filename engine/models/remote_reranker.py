"""Scores of a cross-encoder on a server: Text Embeddings Inference, vLLM, llama-server, Jina.

Two dialects: `documents` are answered by `results` with a `relevance_score`, `texts` (Text Embeddings Inference) by a
list with a `score`. The first is tried first; a server that refuses it is spoken to in the other from then on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ModelUnavailable
from .catalogue import plain_name
from .remote_http import Garbled, Pace, Server

AT_A_TIME = 32  # texts a request; Text Embeddings Inference takes no more unless it is told to
REFUSED = frozenset({400, 422})  # how a server says that it does not know a field
CONNECT_S = 2.0
SUREST = 1e-6  # probabilities are kept this far from 0 and 1: their logits are within 14


def name(model: str | None) -> str:
    """What names its scale: the name of the model, in the catalogue's spelling."""
    return plain_name(model or "remote")


class RemoteReranker:
    """The cross-encoder of a server: one logit a text, in the order of the texts. Safe to use from several threads."""

    def __init__(self, server: Server, *, deadline_s: float) -> None:
        self._server = server
        # What comes later than the deadline is not read: it would only keep the next search waiting.
        self._pace = Pace(connect_s=CONNECT_S, answer_s=deadline_s, patience_s=0.0, avoids=True)
        self._ask = self._documents

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Raises ModelUnavailable, with the reasons of `Server.ask`."""
        scores: list[float] = []
        for start in range(0, len(texts), AT_A_TIME):
            part = list(texts[start : start + AT_A_TIME])
            try:
                scores += self._ask(question, part)
            except ModelUnavailable as refused:
                if refused.details.get("status") not in REFUSED:
                    raise
                other = self._texts if self._ask == self._documents else self._documents
                scores += other(question, part)
                self._ask = other
        return scores

    @property
    def endpoint(self) -> str:
        """Where scores are asked for."""
        return f"{self._server.url.rstrip('/')}/rerank"

    def _documents(self, question: str, texts: list[str]) -> list[float]:
        body = {"model": self._server.model or "default", "query": question, "documents": texts, "top_n": len(texts)}
        return self._scores(body, lambda answer: _logits(_by_index(answer["results"], "relevance_score", len(texts))))

    def _texts(self, question: str, texts: list[str]) -> list[float]:
        body = {"query": question, "texts": texts, "raw_scores": True, "truncate": True}
        return self._scores(body, lambda answer: _by_index(answer, "score", len(texts)))

    def _scores(self, body: dict[str, Any], read: Callable[[Any], list[float]]) -> list[float]:
        def checked(answer: Any) -> list[float]:
            try:
                return read(answer)
            except (TypeError, ValueError, KeyError, OverflowError) as error:
                raise Garbled() from error

        return self._server.ask(self.endpoint, body, checked, self._pace)


def _by_index(items: Any, field: str, count: int) -> list[float]:
    found = {int(item["index"]): float(item[field]) for item in items}
    if len(found) != count or not all(map(math.isfinite, found.values())):
        raise Garbled()
    return [found[n] for n in range(count)]


def _logits(scores: list[float]) -> list[float]:
    """Logits as they are (llama-server); probabilities (vLLM, Jina) as the logits that they come from.

    Logits of a list of posts are not all between 0 and 1.
    """
    if not all(0 <= score <= 1 for score in scores):
        return scores
    kept = [min(max(score, SUREST), 1 - SUREST) for score in scores]
    return [math.log(score / (1 - score)) for score in kept]
