"""What a search asks of its two legs, wherever their indexes lie: in the data folder, or on an engine elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..seams import Vectors
from ..store.where import Where
from ..values import PostId, Ranking
from .digests import Ids
from .vocabulary import Vocabulary


class Words(Protocol):
    """Search by words. Only an engine elsewhere raises, IndexAway, when it is searched."""

    @property
    def post_ids(self) -> Ids:
        """The ids of the posts it holds, in no order."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the archive as they are written."""

    def rank(
        self, words: Sequence[str], *, limit: int, allowed: frozenset[PostId] | None = None,
        excluded: frozenset[PostId] = frozenset(), where: Where | None = None,
    ) -> Ranking:  # fmt: skip
        """Posts that hold any of the words, best first. `where` is what `allowed` was made of, to filter by."""

    def matching(self, text: str, *, field: str = "body") -> frozenset[PostId] | None:
        """Posts that hold every term of a phrase; None when nothing of it can be looked up."""

    def having(self, field: str, term: str) -> NDArray[np.bool_] | None:
        """For each of `post_ids`, whether that field holds an analysed term; None where that can't be asked."""

    def has_terms(self, text: str) -> bool:
        """Whether the text holds anything that can be looked up at all."""

    def document_frequency(self, term: str) -> int:
        """How many posts hold an analysed term in their body."""

    def __len__(self) -> int: ...

    def close(self) -> None:
        """The index can't be used afterwards."""


class Meaning(Protocol):
    """Search by vectors. Only an engine elsewhere raises, IndexAway, when it is searched."""

    @property
    def shared(self) -> bool:
        """Whether another process holds the index, so that searches here are slower."""

    @property
    def failed(self) -> bool:
        """Whether opening it again would give what is left of it."""

    def rank(
        self, vector: Vectors, *, limit: int, allowed: frozenset[PostId] | None = None,
        excluded: frozenset[PostId] = frozenset(), where: Where | None = None,
    ) -> Ranking:  # fmt: skip
        """Posts by the cosine of their closest passage, best first."""

    def cosines(self, vector: Vectors, post_ids: Iterable[PostId]) -> dict[PostId, float]:
        """The cosine of these posts' closest passages, for those that have a vector."""

    def passage_cosines(self, vector: Vectors, post_ids: Iterable[PostId]) -> Vectors:
        """Cosines (n,) of every passage of these posts."""

    def population(self, vector: Vectors) -> Vectors:
        """Cosines (n,) of passages taken at random."""

    def post_ids(self) -> frozenset[PostId]:
        """The posts that have a vector."""

    def close(self) -> None:
        """The index can't be used afterwards."""
