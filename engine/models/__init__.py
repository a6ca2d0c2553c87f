"""Loads models: the encoders, the reranker, and the language model in its own process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

from ..seams import Embed, Generate, Models, Rerank
from ..settings import Settings
from ..sources import FORUM_MODEL, beside_forum_model
from . import bge, e5, machine, reranker, shelf
from .llm import Llm

P = ParamSpec("P")
R = TypeVar("R")


def load_models(settings: Settings) -> Models:
    """What this machine can run, each loaded at its first use. What is not there is None.

    What the settings do not name is looked for among the models of the data folder. Raises ModelUnavailable for a
    folder of bge-m3 or of a reranker that was asked for and can't be read.
    """
    settings = shelf.completed(settings)
    embed: Embed | None = None
    name: str | None = None
    reads: frozenset[str] = frozenset()
    others: dict[str, Embed] = {}
    if settings.bge_model is not None:
        folder, precision = settings.bge_model, bge.resolve(settings.bge_precision)
        embed, name = _lazy(lambda: bge.load(folder, precision)), bge.name(folder, precision)
        if bge.is_m3(folder):
            reads = frozenset({FORUM_MODEL, beside_forum_model(name)})
        if (small := e5.name()) is not None:  # answers while bge-m3 reads an archive, which takes days
            others[small] = _lazy(e5.load)
    elif (name := e5.name()) is not None:
        embed = _lazy(e5.load)
    rerank: Rerank | None = None
    rerank_name: str | None = None
    if settings.reranker_model is not None:
        crossing = settings.reranker_model
        reranker.check(crossing)
        rerank, rerank_name = _lazy(lambda: reranker.load(crossing)), reranker.name(crossing)
    models = Models(
        embed=embed, embed_name=name, reads=reads, others=others, rerank=rerank, rerank_name=rerank_name,
        remote=_remote(settings),
    )  # fmt: skip
    if settings.llm_model is None:
        return models
    context = machine.context_tokens(settings, settings.llm_model)
    llm = Llm(
        settings.llm_model,
        context_tokens=context,
        answer_tokens=settings.llm_answer_tokens,
        threads=settings.llm_threads,
        batch_tokens=machine.batch_tokens(settings),
        idle_s=settings.llm_idle_s,
    )
    return replace(
        models, generate=llm.generate, count=llm.count, turn=llm.turn, generate_name=lambda: llm.name,
        context_tokens=context, retry=llm.retry, close=llm.close,
    )  # fmt: skip


def _remote(settings: Settings) -> Generate | None:
    if settings.llm_url is None:
        return None
    from .remote import Remote  # only here: without a server nothing of HTTP is loaded

    return Remote(
        settings.llm_url,
        model=settings.llm_remote_model,
        key_variable=settings.llm_key_variable,
        answer_tokens=settings.llm_answer_tokens,
    ).generate


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
