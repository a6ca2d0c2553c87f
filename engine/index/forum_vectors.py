"""Takes the vectors that the forum itself has computed, one a post, so that those posts are never encoded here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..seams import Vectors
from ..settings import Settings
from ..sources import FORUM_MODEL, PostVector
from ..store.archive import ArchiveStore
from ..store.vectors import VectorStore
from .encoding import passages


def keeper(settings: Settings, store: ArchiveStore, vectors: VectorStore) -> Callable[[Sequence[PostVector]], int]:
    """A function that stores vectors (at most 900 at a time) and returns how many it kept.

    Only those of posts that are held and long enough to have a vector are kept. A post's vector stands under the key of
    its first passage: an edit of the post, its title or the passage settings makes it worthless, as for our own.
    """

    def keep(found: Sequence[PostVector]) -> int:
        by_post = {item.post_id: item.vector for item in found}
        keys: dict[bytes, int] = {}
        rows: list[Vectors] = []
        for post in store.indexable(list(by_post)):
            first = next(passages(settings, [post]), None)
            if first is not None:
                keys.setdefault(first.key, len(rows))
                rows.append(by_post[post.id])
        if rows:
            vectors.put(FORUM_MODEL, list(keys), np.stack([rows[i] for i in keys.values()]))
        return len(rows)

    return keep
