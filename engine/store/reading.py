"""Reading one topic: windows of its posts both ways, when each was written, where a post stands, which files it shows.

A topic may be read through one author only: `author` is then their user name, else "".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from ..values import PostId, PostNumber, TopicId
from .archive import ArchiveStore, PostRow


@dataclass(frozen=True, slots=True)
class Span:
    """How many posts are held, and the numbers of the first and the last one (0 when there is none)."""

    count: int
    first: PostNumber
    last: PostNumber


@dataclass(frozen=True, slots=True)
class Moment:
    """When the post of this number was written."""

    number: PostNumber
    at: datetime


@dataclass(frozen=True, slots=True)
class Place:
    """Where a post stands."""

    topic_id: TopicId
    number: PostNumber


def span(store: ArchiveStore, topic_id: int, author: str = "") -> Span:
    """The posts of a topic that are held."""
    where, values = _of(topic_id, author)
    row = store.row(f"SELECT COUNT(*), MIN(post_number), MAX(post_number) FROM posts WHERE {where}", values)
    count, first, last = row or (0, None, None)
    return Span(count, PostNumber(first or 0), PostNumber(last or 0))


def window(
    store: ArchiveStore, topic_id: int, number: int, *, before: int = 0, after: int = 0, author: str = ""
) -> tuple[PostRow, ...]:
    """`before` posts that come before this number, and `after` posts from it on, in the topic's order."""
    where, values = _of(topic_id, author)
    earlier = store.rows(
        f"SELECT id FROM posts WHERE {where} AND post_number < ? ORDER BY post_number DESC, id DESC LIMIT ?",
        (*values, number, before),
    )
    later = store.rows(
        f"SELECT id FROM posts WHERE {where} AND post_number >= ? ORDER BY post_number, id LIMIT ?",
        (*values, number, after),
    )
    ids = [PostId(post_id) for (post_id,) in (*reversed(earlier), *later)]
    held = store.posts(ids)
    return tuple(held[post_id] for post_id in ids if post_id in held)  # a sync may remove one in between


def nearest(store: ArchiveStore, topic_id: int, number: int, author: str = "") -> PostNumber | None:
    """The number of the first post from this number on, else of the last one; None when there is none."""
    where, values = _of(topic_id, author)
    row = store.row(
        f"SELECT MIN(post_number) FROM posts WHERE {where} AND post_number >= ?", (*values, number)
    )  # fmt: skip
    if row and row[0] is not None:
        return PostNumber(row[0])
    return span(store, topic_id, author).last or None


def moments(store: ArchiveStore, topic_id: int, author: str = "") -> tuple[Moment, ...]:
    """The date of every post, in the topic's order."""
    where, values = _of(topic_id, author)
    rows = store.rows(f"SELECT post_number, created_at FROM posts WHERE {where} ORDER BY post_number, id", values)
    return tuple(Moment(PostNumber(number), datetime.fromtimestamp(at, UTC)) for number, at in rows)


def display_name(store: ArchiveStore, username: str) -> str:
    """The name that a member shows, their user name when there is none other."""
    row = store.row("SELECT display_name FROM users WHERE username = ?", (username,))
    return str(row[0]) if row and row[0] else username


def place(store: ArchiveStore, post_id: int) -> Place | None:
    """Where a post stands, None when it is not held."""
    row = store.row("SELECT topic_id, post_number FROM posts WHERE id = ?", (post_id,))
    return Place(TopicId(row[0]), PostNumber(row[1])) if row else None


def holds(store: ArchiveStore, topic_id: int, number: int) -> bool:
    """Whether the post of that number in a topic is held."""
    return store.row("SELECT 1 FROM posts WHERE topic_id = ? AND post_number = ?", (topic_id, number)) is not None


def upload_urls(store: ArchiveStore, post_id: int) -> tuple[str, ...]:
    """Addresses of the images and files that a held post shows; none for any other post."""
    rows = store.rows(
        "SELECT url FROM uploads WHERE post_id = ? AND EXISTS (SELECT 1 FROM posts WHERE id = ?)", (post_id, post_id)
    )
    return tuple(str(url) for (url,) in rows)


def _of(topic_id: int, author: str) -> tuple[str, tuple[object, ...]]:
    """The condition on posts, and its values."""
    return ("topic_id = ? AND username = ?", (topic_id, author)) if author else ("topic_id = ?", (topic_id,))
