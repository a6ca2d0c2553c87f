"""The members who wrote in the archive, by the names they sign with; nothing else is known of anybody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import numpy as np

from ..index.french import fold
from ..values import PostId
from .archive import ArchiveStore, PostRow
from .columns import Columns, Numbers, Timeline, timeline


class MemberOrder(StrEnum):
    """How members are sorted."""

    POSTS = "posts"
    NAME = "name"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Member:
    """Who wrote, how much, and from when to when."""

    username: str
    display_name: str
    posts: int
    topics: int  # opened
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class MemberPage:
    """One page of a list of members, which has `total`."""

    members: tuple[Member, ...]
    page: int
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class MemberLife:
    """A member, and the posts by month."""

    member: Member
    likes: int
    life: Timeline


def members(
    store: ArchiveStore, *, order: MemberOrder = MemberOrder.POSTS, page: int = 1, size: int = 50
) -> MemberPage:
    """Everybody with a post, so sorted."""
    columns = store.columns()
    posts = np.bincount(columns.author, minlength=len(columns.authors))
    places = np.flatnonzero(posts)
    if order is MemberOrder.NAME:  # French order: É is an E
        places = np.array(sorted(places.tolist(), key=lambda place: fold(columns.authors[place])), np.int64)
    elif order is MemberOrder.LATEST:
        places = places[np.lexsort((places, -_last(columns)[places]))]
    else:
        places = places[np.lexsort((places, -posts[places]))]
    pages = max(1, -(-len(places) // size))
    page = max(1, min(page, pages))
    return MemberPage(_lines(store, columns, places[(page - 1) * size : page * size]), page, pages, len(places))


def member(store: ArchiveStore, name: str) -> MemberLife | None:
    """The member of that user name (in any case), None when nobody of that name has a post."""
    columns = store.columns()
    place = _place(columns, name)
    if place is None:
        return None
    mine = columns.author == place
    (line,) = _lines(store, columns, np.array([place]))
    return MemberLife(line, int(columns.likes[mine].sum()), timeline(columns.month[mine]))


def liked_posts(store: ArchiveStore, name: str, limit: int = 5) -> tuple[PostRow, ...]:
    """The posts of a member that were liked most."""
    columns = store.columns()
    place = _place(columns, name)
    mine = np.flatnonzero((columns.author == place) & (columns.likes > 0)) if place is not None else np.zeros(0, int)
    best = mine[np.lexsort((-columns.created[mine], -columns.likes[mine]))[:limit]]
    ids = [PostId(int(post_id)) for post_id in columns.ids[best]]
    held = store.posts(ids)
    return tuple(held[post_id] for post_id in ids if post_id in held)


def _place(columns: Columns, name: str) -> int | None:
    if name in columns.authors:
        return columns.authors.index(name)
    wanted = fold(name)
    return next((place for place, author in enumerate(columns.authors) if fold(author) == wanted), None)


def _lines(store: ArchiveStore, columns: Columns, places: Numbers) -> tuple[Member, ...]:
    names = [columns.authors[place] for place in places.tolist()]
    marks = ",".join("?" * len(names))
    display: dict[str, str] = dict(
        store.rows(f"SELECT username, display_name FROM users WHERE username IN ({marks})", names)
    )
    posts = np.bincount(columns.author, minlength=len(columns.authors))
    opened = np.bincount(columns.author[columns.number == 1], minlength=len(columns.authors))
    last = _last(columns)
    first = np.full(len(columns.authors), np.iinfo(np.int64).max)
    np.minimum.at(first, columns.author, columns.created)
    return tuple(
        Member(
            name, display.get(name, ""), int(posts[place]), int(opened[place]), _moment(first[place]),
            _moment(last[place]),
        )
        for place, name in zip(places.tolist(), names, strict=True)
    )  # fmt: skip


def _last(columns: Columns) -> Numbers:
    last = np.zeros(len(columns.authors), np.int64)
    np.maximum.at(last, columns.author, columns.created)
    return last


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
