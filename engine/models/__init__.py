"""Loads models: the encoders, and the language model in its own process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ..seams import Embed, Models, TextRole, Vectors
from ..settings import Settings
from . import bge, e5
from .llm import Llm


def load_models(settings: Settings) -> Models:
    """What this machine can run, each loaded at its first use. What is not there is None.

    Raises ModelUnavailable for a bge-m3 folder that was asked for and can't be read.
    """
    embed: Embed | None = None
    name: str | None = None
    if settings.bge_model is not None:
        folder = settings.bge_model
        embed, name = _lazy(lambda: bge.load(folder)), bge.name(folder)
    elif (name := e5.name()) is not None:
        embed = _lazy(e5.load)
    if settings.llm_model is None:
        return Models(embed=embed, embed_name=name)
    llm = Llm(
        settings.llm_model,
        context_tokens=settings.llm_context_tokens,
        answer_tokens=settings.llm_answer_tokens,
        threads=settings.llm_threads,
    )
    return Models(embed=embed, embed_name=name, generate=llm.generate, count=llm.count, close=llm.close)


def _lazy(load: Callable[[], Embed]) -> Embed:
    """An encoder that loads itself at its first call; one thread loads, the others wait."""
    lock = threading.Lock()
    loaded: list[Embed] = []

    def embed(texts: Sequence[str], role: TextRole) -> Vectors:
        with lock:
            if not loaded:
                loaded.append(load())
        return loaded[0](texts, role)

    return embed
