"""What lists and counts need of every post and topic, as arrays.

Counting 400,000 posts by SQL takes seconds, by arrays milliseconds; they are read once and kept while the archive stays
as it is. Knows no text but names: rows that are shown are read by id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..values import Category
from .database import Connection

Places = NDArray[np.int32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Posts by month, from the month `first` (0 is January 1970) without gaps."""

    first: int
    counts: tuple[int, ...]

    @property
    def years(self) -> tuple[tuple[int, int], ...]:
        """(year, posts) of every year from the first to the last."""
        found: dict[int, int] = {}
        for month, count in enumerate(self.counts, self.first):
            found[1970 + month // 12] = found.get(1970 + month // 12, 0) + count
        return tuple(found.items())


@dataclass(frozen=True, slots=True)
class Columns:
    """One place a held post in the order of ids (n), one a topic in the order of ids (t), one a pair topic–tag (k).

    What stands for a topic, an author, a category or a tag is its place in the list of them.
    """

    ids: Numbers  # (n,)
    topic: Places  # (n,)
    author: Places  # (n,)
    number: Places  # (n,) in its topic
    created: Numbers  # (n,) seconds since 1970
    month: Places  # (n,) months since January 1970, UTC, as the dates of a search are
    likes: Places  # (n,)
    topic_ids: Numbers  # (t,)
    topic_category: Places  # (t,), -1 for none
    topic_created: Numbers  # (t,)
    topic_active: Numbers  # (t,) when it was last posted in
    topic_views: Numbers  # (t,)
    topic_likes: Numbers  # (t,)
    topic_posts: Numbers  # (t,) held
    tag: Places  # (k,)
    tagged: Places  # (k,) topics
    authors: tuple[str, ...]  # every member with a post
    tags: tuple[str, ...]
    categories: tuple[Category, ...]  # in the forum's order

    def places(self, ids: Numbers) -> Numbers:
        """The places of these posts, rising; those that are not held have none."""
        return np.flatnonzero(np.isin(self.ids, ids))

    def tree(self) -> Iterator[tuple[int, int]]:
        """(place, depth) of every category: parents in the forum's order, each followed by its children."""
        ids = {category.id for category in self.categories}

        def under(parent: int | None, depth: int) -> Iterator[tuple[int, int]]:
            for place, category in enumerate(self.categories):
                if (category.parent_id if category.parent_id in ids else None) == parent:
                    yield place, depth
                    yield from under(category.id, depth + 1)

        return under(None, 0)

    def below(self, category: int) -> frozenset[int]:
        """The places of a category and of all that lie below it."""
        found, grown = {category}, True
        while grown:
            ids = {self.categories[place].id for place in found}
            more = {n for n, one in enumerate(self.categories) if one.parent_id in ids} - found
            found |= more
            grown = bool(more)
        return frozenset(found)


def read(db: Connection) -> Columns:
    """Every post whose topic is held, every topic; takes about a second for 400,000 posts."""
    categories = tuple(
        Category(*row)
        for row in db.execute(
            "SELECT id, name, slug, parent_id, color, position, description FROM categories ORDER BY position, id"
        )
    )
    category_at = {category.id: place for place, category in enumerate(categories)}
    topics = db.execute(
        "SELECT id, category_id, created_at, last_posted_at, views, likes FROM topics ORDER BY id"
    ).fetchall()
    topic_ids, views = _column(topics, 0), _column(topics, 4)
    # An index holds all of these: the texts, fifty times as large, are not read.
    posts = db.execute("SELECT id, topic_id, post_number, created_at, likes, username FROM posts").fetchall()
    ids, topic = _column(posts, 0), _places_of(topic_ids, _column(posts, 1))
    order = np.argsort(ids)
    order = order[topic[order] >= 0]
    authors, author = _numbered(row[5] for row in posts)
    created = _column(posts, 3)[order]
    topic = topic[order]
    pairs = db.execute("SELECT tag, topic_id FROM topic_tags ORDER BY tag, topic_id").fetchall()
    tags, tag = _numbered(row[0] for row in pairs)
    tagged = _places_of(topic_ids, _column(pairs, 1))
    known = tagged >= 0
    return Columns(
        ids=ids[order], topic=topic, author=author[order], number=_column(posts, 2)[order].astype(np.int32),
        created=created, month=months(created), likes=_column(posts, 4)[order].astype(np.int32),
        topic_ids=topic_ids, topic_category=np.array([category_at.get(row[1], -1) for row in topics], np.int32),
        topic_created=_column(topics, 2), topic_active=_column(topics, 3), topic_views=views,
        topic_likes=_column(topics, 5), topic_posts=np.bincount(topic, minlength=len(topics)),
        tag=tag[known], tagged=tagged[known], authors=authors, tags=tags, categories=categories,
    )  # fmt: skip


def timeline(months: Places) -> Timeline:
    """The posts of each month, given the month of each post."""
    if not len(months):
        return Timeline(0, ())
    first = int(months.min())
    return Timeline(first, tuple(np.bincount(months - first).tolist()))


def months(seconds: Numbers) -> Places:
    """The month of each moment, counted from January 1970, UTC."""
    return seconds.astype("datetime64[s]").astype("datetime64[M]").astype(np.int32)


def _column(rows: Sequence[tuple[Any, ...]], n: int) -> Numbers:
    return np.fromiter((row[n] for row in rows), np.int64, len(rows))


def _places_of(rising: Numbers, wanted: Numbers) -> Places:
    """Where each wanted number stands in the rising ones, -1 where it does not."""
    if not len(rising):
        return np.full(len(wanted), -1, np.int32)
    found = np.minimum(np.searchsorted(rising, wanted), len(rising) - 1)
    return np.where(rising[found] == wanted, found, -1).astype(np.int32)


def _numbered(names: Iterable[str]) -> tuple[tuple[str, ...], Places]:
    """The distinct names in the order in which they come, and the place of each."""
    place: dict[str, int] = {}
    found = np.fromiter((place.setdefault(name, len(place)) for name in names), np.int32)
    return tuple(place), found
