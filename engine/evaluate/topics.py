"""Topic grain, as a baseline: one vector a topic, the mean of its posts' vectors, compared exactly. Encodes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

import numpy as np

from ..index.dense import unit
from ..seams import Vectors
from ..store.vectors import VectorStore
from ..values import PostId, TopicId

TopicsOf = Callable[[Iterable[PostId]], dict[PostId, TopicId]]


class TopicVectors:
    """The mean vectors of all topics of an archive: (t, d) float32, rows of norm 1."""

    def __init__(self, vectors: VectorStore, model: str, topics_of: TopicsOf) -> None:
        sums: dict[TopicId, Vectors] = {}
        for topic_id, vector in _posts(vectors, model, topics_of):
            sums[topic_id] = sums[topic_id] + vector if topic_id in sums else vector
        self.topic_ids = sorted(sums)
        self._rows = unit(np.stack([sums[t] for t in self.topic_ids])) if sums else np.zeros((0, 0), np.float32)

    def rank(self, vector: Vectors, *, limit: int) -> tuple[TopicId, ...]:
        """Topics by the cosine of their mean to a (d,) float32 vector, best first, ties by topic id."""
        if not self.topic_ids:
            return ()
        # A stable sort of rows in the order of ids.
        order = np.argsort(-(self._rows @ vector), kind="stable")[:limit]
        return tuple(self.topic_ids[i] for i in order)


def _posts(vectors: VectorStore, model: str, topics_of: TopicsOf) -> Iterator[tuple[TopicId, Vectors]]:
    """The topic and the vector of each post that has one; a long post's is the mean of its windows."""

    def rows() -> Iterator[tuple[PostId, TopicId | None, Vectors]]:
        for places, batch in vectors.passages_with_vectors(model):
            topics = topics_of({post_id for post_id, _ in places})
            for (post_id, _), row in zip(places, batch, strict=True):
                yield post_id, topics.get(post_id), row

    for (_post_id, topic_id), windows in groupby(rows(), key=lambda r: (r[0], r[1])):
        if topic_id is not None:  # the post left the store since
            yield topic_id, unit(np.sum([row for *_, row in windows], axis=0))
