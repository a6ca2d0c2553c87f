"""Reading the whole archive in order, as it stands at one moment: what an export needs.

Everything here streams: topics by their id, the posts of a topic by their number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ..values import PostId, PostNumber, Topic, TopicId
from .archive import ArchiveStore
from .columns import Numbers
from .database import translated

_ROWS = 500  # read ahead of those who write


@dataclass(frozen=True, slots=True)
class StoredPost:
    """A held post with all that the archive says of it. `cooked` is the forum's HTML, not yet sanitised."""

    id: PostId
    topic_id: TopicId
    number: PostNumber
    username: str
    display_name: str
    user_id: int | None
    post_type: int
    created_at: datetime
    updated_at: datetime
    revised_at: datetime | None
    reply_to: PostNumber | None
    likes: int
    text: str
    code: str
    spoilers: str
    cooked: str

    @property
    def author(self) -> str:
        """The name that its author shows, "" of a deleted account."""
        return self.display_name or self.username


@contextmanager
def one_moment(store: ArchiveStore) -> Iterator[None]:
    """Inside, this thread reads the archive as it stands now, whatever is written to it meanwhile."""
    with translated(store.path):
        store.db.execute("BEGIN")
        try:
            store.db.execute("SELECT COUNT(*) FROM meta").fetchone()  # a snapshot begins with its first read
            yield
        finally:
            store.db.execute("ROLLBACK")


def topics(store: ArchiveStore) -> Iterator[Topic]:
    """Every topic by its id, those without a held post too."""
    rows = store.db.execute(
        """SELECT id, title, slug, category_id, created_at, last_posted_at, tags, views, likes, closed, archived,
           pinned, accepted_post_id FROM topics ORDER BY id"""
    )
    while some := rows.fetchmany(_ROWS):
        for row in some:
            yield Topic(
                id=TopicId(row[0]), title=row[1], slug=row[2], category_id=row[3], created_at=_moment(row[4]),
                last_posted_at=_moment(row[5]), tags=tuple(json.loads(row[6])), views=row[7], likes=row[8],
                closed=bool(row[9]), archived=bool(row[10]), pinned=bool(row[11]), accepted_post_id=row[12],
            )  # fmt: skip


def posts(store: ArchiveStore, topic_id: int) -> Iterator[StoredPost]:
    """The held posts of a topic by their number."""
    rows = store.db.execute(
        """SELECT p.id, p.topic_id, p.post_number, p.username, COALESCE(u.display_name, ''), u.user_id, p.post_type,
           p.created_at, p.updated_at, p.revised_at, p.reply_to, p.likes, p.text, p.code, p.spoilers, p.cooked
           FROM posts p LEFT JOIN users u ON u.username = p.username
           WHERE p.topic_id = ? ORDER BY p.post_number, p.id""",
        (topic_id,),
    )
    while some := rows.fetchmany(_ROWS):
        for row in some:
            values = list(row)
            values[7:10] = [None if at is None else _moment(at) for at in row[7:10]]
            yield StoredPost(*values)


def numbers(store: ArchiveStore) -> tuple[Numbers, Numbers]:
    """(ids of topics, numbers of posts) of every held post, by topic, then by number."""
    rows = store.rows("SELECT topic_id, post_number FROM posts ORDER BY topic_id, post_number")
    return (
        np.fromiter((row[0] for row in rows), np.int64, len(rows)),
        np.fromiter((row[1] for row in rows), np.int64, len(rows)),
    )


def accepted(store: ArchiveStore) -> dict[int, int]:
    """The number of the accepted answer of each topic that has one that is held."""
    return dict(
        store.rows(
            "SELECT t.id, p.post_number FROM topics t JOIN posts p ON p.id = t.accepted_post_id WHERE p.topic_id = t.id"
        )
    )


def announced(store: ArchiveStore) -> dict[int, int]:
    """How many public posts the forum announced of each topic that misses some; what was removed since is no miss."""
    return dict(store.rows("SELECT topic_id, held + missing FROM ledger WHERE missing > 0"))


def moved(store: ArchiveStore) -> list[tuple[int, int, int]]:
    """(topic, number, post) of every place where a held post once stood."""
    return store.rows("SELECT topic_id, post_number, post_id FROM moved WHERE post_id IN (SELECT id FROM posts)")


def moved_to(store: ArchiveStore) -> dict[tuple[int, int], tuple[int, int]]:
    """The same by (topic, number), with where the post stands now; only places that no post has taken since."""
    rows = store.rows(
        """SELECT m.topic_id, m.post_number, p.topic_id, p.post_number FROM moved m JOIN posts p ON p.id = m.post_id
           WHERE NOT EXISTS (SELECT 1 FROM posts q WHERE q.topic_id = m.topic_id AND q.post_number = m.post_number)"""
    )
    return {(row[0], row[1]): (row[2], row[3]) for row in rows}


def shown(store: ArchiveStore) -> Iterator[tuple[int, tuple[object, ...]]]:
    """(id of a post, what an export shows of it and who may be known by it), every post by its id."""
    rows = store.db.execute(
        """SELECT p.id, p.topic_id, p.username, u.display_name, t.title, p.cooked
           FROM posts p JOIN topics t ON t.id = p.topic_id LEFT JOIN users u ON u.username = p.username ORDER BY p.id"""
    )
    while some := rows.fetchmany(_ROWS):
        for row in some:
            yield row[0], row[1:]


def bytes_held(store: ArchiveStore) -> int:
    """The size of the database, without what is free in it."""
    ((pages, size, free),) = store.rows(
        "SELECT page_count, page_size, freelist_count FROM pragma_page_count, pragma_page_size, pragma_freelist_count"
    )
    return int((pages - free) * size)


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
