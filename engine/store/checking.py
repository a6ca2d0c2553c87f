"""What is held of some posts, for those who compare it with a source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..sources import Post
from .archive import IDS_AT_A_TIME, ArchiveStore
from .database import translated


class HeldPost(NamedTuple):
    """A held post: what it was imported as, and what stands in the database now."""

    id: int
    topic_id: int
    number: int
    digest: bytes
    updated: int  # seconds since 1970
    cooked: str
    text: str

    def is_intact(self, post: Post) -> bool:
        """Whether what was imported as this very post still stands there."""
        return self.cooked == post.cooked and self.text == post.parts.text


def held(store: ArchiveStore, ids: Sequence[int]) -> dict[int, HeldPost]:
    """Those of these posts that are held."""
    found: dict[int, HeldPost] = {}
    for start in range(0, len(ids), IDS_AT_A_TIME):
        part = ids[start : start + IDS_AT_A_TIME]
        rows = store.rows(
            f"""SELECT id, topic_id, post_number, digest, updated_at, cooked, text FROM posts
                WHERE id IN ({",".join("?" * len(part))})""",
            part,
        )
        found.update((row[0], HeldPost(*row)) for row in rows)
    return found


def places(store: ArchiveStore) -> Iterator[tuple[int, int]]:
    """(id, topic) of every held post. Streams."""
    with translated(store.path):
        yield from store.db.execute("SELECT id, topic_id FROM posts ORDER BY id")


def usernames(store: ArchiveStore) -> Iterator[str]:
    """Of every member who wrote a held post."""
    return (str(name) for (name,) in store.rows("SELECT username FROM users"))


def titles(store: ArchiveStore) -> dict[int, str]:
    """Every held topic's title."""
    return dict(store.rows("SELECT id, title FROM topics"))


def announced(store: ArchiveStore) -> Iterator[tuple[int, int, int, int]]:
    """(topic, posts that its sources announced, removed since, held now) of the whole ledger, counted anew."""
    yield from store.rows(
        """SELECT l.topic_id, l.expected, l.deleted, COUNT(p.id) FROM ledger l
           LEFT JOIN posts p ON p.topic_id = l.topic_id GROUP BY l.topic_id ORDER BY l.topic_id"""
    )
