"""The three callables through which models come in, each an ordinary absence when it is None."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

TextRole = Literal["query", "passage"]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message for a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


Embed = Callable[[Sequence[str], TextRole], Vectors]  # (n, d) float32, rows of norm 1
Rerank = Callable[[str, Sequence[str]], Sequence[float]]  # one score a text, in input order
# Pieces of text; an empty one says "still at work", so that one can give up. Closing the iterator stops generation.
Generate = Callable[[Sequence[Message]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Turn:
    """A language model that answers one question at a time, for the one question that holds this turn."""

    ahead: Iterator[int]  # questions before this one, again and again, 0 while the model loads; ends when it is ready
    generate: Generate
    count: Callable[[str], int]


class Elsewhere(Protocol):
    """An encoder that another program serves: what answers may change without a word, so vectors must be proved."""

    def probe(self, check: Callable[[], None] | None = None) -> str:
        """What its vectors are like now, as a text to keep beside the first of them. Raises ModelUnavailable."""
        ...

    def held_to(self, kept: str, check: Callable[[], None] | None = None) -> Embed:
        """The encoder, which raises ModelUnavailable where its vectors are no longer like those that were kept.

        With `check`, called several times a second, it waits for minutes for a server that goes away.
        """
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """The three seams; None means that the machine has no such model, an ordinary state."""

    embed: Embed | None = None
    embed_name: str | None = None  # what names these vectors in vectors.db and in the manifest
    reads: frozenset[str] = frozenset()  # names of other vectors that a query of `embed` can be compared with
    others: Mapping[str, Embed] = field(default_factory=dict)  # by the names of their vectors: see `encoder`
    elsewhere: Elsewhere | None = None  # `embed` is a server: whose vectors are kept is asked of it
    rerank: Rerank | None = None
    rerank_name: str | None = None  # names its scale: thresholds on its scores are kept by it
    generate: Generate | None = None
    count: Callable[[str], int] | None = None  # tokens of a text for the model behind `generate`
    turn: Callable[[], AbstractContextManager[Turn]] | None = None  # `generate` and `count` for one question's length
    generate_name: Callable[[], str] | None = None  # names the model behind `generate`: the same name, the same text
    context_tokens: int | None = None  # prompt and answer together; None leaves it to the settings
    remote: Generate | None = None  # a model on a server, taken before `generate` when there is one
    retry: Callable[[], None] = lambda: None  # lets a model that was turned off after a crash be tried again
    close: Callable[[], None] = lambda: None  # gives back the memory and the process of a language model

    def encoder(self, vectors: str | None, probes: str = "") -> Embed | None:
        """What encodes a query for an index of these vectors: another than `embed` until that has read all posts.

        `probes` is what was kept beside these vectors when they come from `elsewhere`.
        """
        if not self.compares(vectors):
            return self.others.get(vectors or "")
        return self.elsewhere.held_to(probes) if self.elsewhere is not None and probes else self.embed

    def compares(self, vectors: str | None) -> bool:
        """Whether a query of `embed` can be compared with the vectors of that name."""
        return self.embed is not None and vectors is not None and (vectors == self.embed_name or vectors in self.reads)
