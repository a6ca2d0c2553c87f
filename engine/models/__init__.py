"""Loads models: the encoders, the reranker, and the language model in its own process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

from ..seams import Embed, Models, Rerank
from ..settings import Settings
from ..sources import FORUM_MODEL, beside_forum_model
from . import bge, e5, reranker
from .llm import Llm

P = ParamSpec("P")
R = TypeVar("R")


def load_models(settings: Settings) -> Models:
    """What this machine can run, each loaded at its first use. What is not there is None.

    Raises ModelUnavailable for a folder of bge-m3 or of a reranker that was asked for and can't be read.
    """
    embed: Embed | None = None
    name: str | None = None
    reads: frozenset[str] = frozenset()
    if settings.bge_model is not None:
        folder, precision = settings.bge_model, bge.resolve(settings.bge_precision)
        embed, name = _lazy(lambda: bge.load(folder, precision)), bge.name(folder, precision)
        if bge.is_m3(folder):
            reads = frozenset({FORUM_MODEL, beside_forum_model(name)})
    elif (name := e5.name()) is not None:
        embed = _lazy(e5.load)
    rerank: Rerank | None = None
    if settings.reranker_model is not None:
        crossing = settings.reranker_model
        reranker.check(crossing)
        rerank = _lazy(lambda: reranker.load(crossing))
    models = Models(embed=embed, embed_name=name, reads=reads, rerank=rerank)
    if settings.llm_model is None:
        return models
    llm = Llm(
        settings.llm_model,
        context_tokens=settings.llm_context_tokens,
        answer_tokens=settings.llm_answer_tokens,
        threads=settings.llm_threads,
    )
    return replace(models, generate=llm.generate, count=llm.count, close=llm.close)


def _lazy(load: Callable[[], Callable[P, R]]) -> Callable[P, R]:
    """A model that loads itself at its first call; one thread loads, the others wait."""
    lock = threading.Lock()
    loaded: list[Callable[P, R]] = []

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with lock:
            if not loaded:
                loaded.append(load())
        return loaded[0](*args, **kwargs)

    return call
