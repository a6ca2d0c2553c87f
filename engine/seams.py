"""The three callables through which models come in, each an ordinary absence when it is None."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

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
Generate = Callable[[Sequence[Message]], Iterator[str]]  # closing the iterator stops generation


@dataclass(frozen=True, slots=True)
class Models:
    """The three seams; None means that the machine has no such model, an ordinary state."""

    embed: Embed | None = None
    embed_name: str | None = None  # what names these vectors in vectors.db and in the manifest
    reads: frozenset[str] = frozenset()  # names of other vectors that a query of `embed` can be compared with
    rerank: Rerank | None = None
    generate: Generate | None = None
    count: Callable[[str], int] | None = None  # tokens of a text for the model behind `generate`
    close: Callable[[], None] = lambda: None  # gives back the memory and the process of a language model

    def compares(self, vectors: str | None) -> bool:
        """Whether a query of `embed` can be compared with the vectors of that name."""
        return self.embed is not None and vectors is not None and (vectors == self.embed_name or vectors in self.reads)
