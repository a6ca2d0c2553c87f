"""Loads models: the encoders, the reranker, and the language model in its own process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar

from ..seams import Elsewhere, Embed, Generate, Models, Rerank
from ..settings import Settings
from ..sources import FORUM_MODEL, beside_forum_model
from . import bge, e5, machine, reranker, shelf
from .llm import Llm

if TYPE_CHECKING:
    from .remote_http import Server

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
    elsewhere: Elsewhere | None = None
    if settings.encoder_url is not None:
        from . import remote_encoder  # only here, as below: without a server nothing of HTTP is loaded

        served = _server(settings, "encoder")
        encoder = remote_encoder.RemoteEncoder(served, settings.encoder_query_prefix, settings.encoder_passage_prefix)
        embed, name, elsewhere = encoder.embed, remote_encoder.name(settings), encoder
        if (small := e5.name()) is not None:
            others[small] = _lazy(e5.load)
    elif settings.bge_model is not None:
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
    if settings.reranker_url is not None:
        from . import remote_reranker

        served = _server(settings, "reranker")
        rerank = remote_reranker.RemoteReranker(served, deadline_s=settings.rerank_deadline_s).rerank
        rerank_name = remote_reranker.name(settings.reranker_remote_model)
    elif settings.reranker_model is not None:
        crossing = settings.reranker_model
        reranker.check(crossing)
        rerank, rerank_name = _lazy(lambda: reranker.load(crossing)), reranker.name(crossing)
    models = Models(
        embed=embed, embed_name=name, reads=reads, others=others, elsewhere=elsewhere, rerank=rerank,
        rerank_name=rerank_name, remote=_remote(settings),
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


def _server(settings: Settings, role: Literal["encoder", "reranker"]) -> Server:
    from .remote_http import Server

    return Server(
        {"encoder": "embed", "reranker": "rerank"}[role], f"{role}_url", getattr(settings, f"{role}_url"),
        getattr(settings, f"{role}_remote_model"), getattr(settings, f"{role}_key_variable"),
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
