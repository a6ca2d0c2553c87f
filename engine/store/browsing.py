"""Reading the archive without a question: categories, topics, tags, a day of every year, the forum's life."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

import numpy as np

from ..values import Category, PostId, TopicId
from .archive import IDS_AT_A_TIME, ArchiveStore, PostRow, Row
from .columns import Columns, Numbers, Timeline, timeline


class TopicOrder(StrEnum):
    """How a list of topics is sorted, the most or the newest first."""

    ACTIVE = "active"
    CREATED = "created"
    POSTS = "posts"
    VIEWS = "views"
    LIKES = "likes"


@dataclass(frozen=True, slots=True)
class CategoryLine:
    """A category with what it and all below it hold. `depth` is 0 for one that has none above it."""

    category: Category
    depth: int
    topics: int
    posts: int
    life: Timeline


@dataclass(frozen=True, slots=True)
class TopicLine:
    """A topic in a list. `posts` are those held."""

    id: TopicId
    title: str
    slug: str
    category: str
    author: str  # of the opening post, "" when it is not held
    tags: tuple[str, ...]
    created_at: datetime
    active_at: datetime
    posts: int
    views: int
    likes: int

    @property
    def path(self) -> str:
        """The topic's address on a Discourse, without the forum's own address."""
        return f"/t/{self.slug or 'sujet'}/{self.id}"


@dataclass(frozen=True, slots=True)
class TopicPage:
    """One page of a list of topics, which has `total`."""

    topics: tuple[TopicLine, ...]
    page: int
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class TagLine:
    """A tag, its topics and their posts."""

    tag: str
    topics: int
    posts: int


@dataclass(frozen=True, slots=True)
class YearOfDay:
    """The posts of one day of one year, the most liked of them first."""

    day: date
    posts: int
    best: tuple[PostRow, ...]


def life(store: ArchiveStore) -> Timeline:
    """The posts of each month of the forum."""
    return timeline(store.columns().month)


def categories(store: ArchiveStore) -> tuple[CategoryLine, ...]:
    """Every category that holds a topic, each parent before its children."""
    columns = store.columns()
    category = columns.topic_category[columns.topic]
    if not len(category):
        return ()
    first = int(columns.month.min())
    span = int(columns.month.max()) - first + 1
    # A row a category, a column a month: one pass over the posts.
    own = np.bincount(
        category[category >= 0] * span + columns.month[category >= 0] - first,
        minlength=len(columns.categories) * span,
    ).reshape(len(columns.categories), span)
    held = columns.topic_category[(columns.topic_category >= 0) & (columns.topic_posts > 0)]
    topics = np.bincount(held, minlength=len(columns.categories))
    lines = []
    for place, depth in columns.tree():
        below = sorted(columns.below(place))
        if topics[below].sum():
            months = own[below].sum(axis=0)
            lines.append(
                CategoryLine(
                    columns.categories[place], depth, int(topics[below].sum()), int(months.sum()),
                    Timeline(first, tuple(months.tolist())),
                )
            )  # fmt: skip
    return tuple(lines)


def topics(
    store: ArchiveStore,
    *,
    category: int | None = None,
    tag: str | None = None,
    author: str | None = None,
    order: TopicOrder = TopicOrder.ACTIVE,
    page: int = 1,
    size: int = 30,
) -> TopicPage:
    """The topics of a category and those below it (by id), with a tag, opened by an author; of all without these."""
    columns = store.columns()
    keep = columns.topic_posts > 0
    if category is not None:
        place = next((n for n, one in enumerate(columns.categories) if one.id == category), None)
        keep &= np.isin(columns.topic_category, sorted(columns.below(place)) if place is not None else [])
    if tag is not None:
        tagged = columns.tagged[columns.tag == columns.tags.index(tag)] if tag in columns.tags else []
        keep &= np.isin(np.arange(len(keep)), tagged)
    if author is not None:
        mine = columns.authors.index(author) if author in columns.authors else -1
        keep &= np.isin(np.arange(len(keep)), columns.topic[(columns.author == mine) & (columns.number == 1)])
    places = np.flatnonzero(keep)
    places = places[np.lexsort((-columns.topic_ids[places], -_key(columns, order)[places]))]
    pages = max(1, -(-len(places) // size))
    page = max(1, min(page, pages))
    return TopicPage(topic_lines(store, places[(page - 1) * size : page * size]), page, pages, len(places))


def has_tag(store: ArchiveStore, tag: str) -> bool:
    """Whether a topic has this tag."""
    return store.row("SELECT 1 FROM topic_tags WHERE tag = ? LIMIT 1", (tag,)) is not None


def tags(store: ArchiveStore) -> tuple[TagLine, ...]:
    """Every tag with a topic, the most frequent first."""
    columns = store.columns()
    held = columns.topic_posts[columns.tagged]
    tag_topics = np.bincount(columns.tag[held > 0], minlength=len(columns.tags))
    posts = np.bincount(columns.tag, weights=held, minlength=len(columns.tags))
    order = np.lexsort((np.arange(len(tag_topics)), -tag_topics))
    return tuple(TagLine(columns.tags[n], int(tag_topics[n]), int(posts[n])) for n in order.tolist() if tag_topics[n])


def on_day(store: ArchiveStore, month: int, day: int, *, best: int = 3) -> tuple[YearOfDay, ...]:
    """What was written on that day (UTC) of each year, the latest year first."""
    columns = store.columns()
    days = columns.created.astype("datetime64[s]").astype("datetime64[D]")
    that_month = np.flatnonzero(columns.month % 12 == month - 1)
    first = days[that_month].astype("datetime64[M]").astype("datetime64[D]")
    chosen = that_month[(days[that_month] - first).astype(int) == day - 1]
    order = chosen[np.lexsort((columns.ids[chosen], -columns.likes[chosen], -columns.month[chosen]))]
    years, starts, counts = np.unique(-columns.month[order], return_index=True, return_counts=True)
    shown = [order[start : start + min(best, count)] for start, count in zip(starts, counts, strict=True)]
    rows = store.posts(PostId(int(columns.ids[place])) for places in shown for place in places)
    found = []
    for month_number, count, places in zip((-years).tolist(), counts.tolist(), shown, strict=True):
        ids = [PostId(int(columns.ids[place])) for place in places]
        at = date(1970 + month_number // 12, month, day)
        found.append(YearOfDay(at, count, tuple(rows[post_id] for post_id in ids if post_id in rows)))
    return tuple(found)


def most_linked(store: ArchiveStore, limit: int = 20) -> tuple[tuple[TopicLine, int], ...]:
    """The topics that most posts of other topics link to or quote, and by how many. Takes seconds at first."""
    columns, (ids, counts) = store.columns(), store.linked()
    held = np.isin(ids, columns.topic_ids[columns.topic_posts > 0])
    ids, counts = ids[held], counts[held]
    best = np.lexsort((ids, -counts))[:limit]
    linked_by = dict(zip(ids[best].tolist(), counts[best].tolist(), strict=True))
    lines = topic_lines(store, np.searchsorted(columns.topic_ids, ids[best]))
    return tuple((line, linked_by[line.id]) for line in lines)


def topic_lines(store: ArchiveStore, places: Numbers) -> tuple[TopicLine, ...]:
    """The topics at these places of the columns, in this order."""
    columns = store.columns()
    ids = columns.topic_ids[places].tolist()
    rows: dict[int, Row] = {}
    for start in range(0, len(ids), IDS_AT_A_TIME):
        part = ids[start : start + IDS_AT_A_TIME]
        found = store.rows(
            f"""SELECT t.id, t.title, t.slug, COALESCE(c.name, ''), COALESCE(p.username, '') FROM topics t
                LEFT JOIN categories c ON c.id = t.category_id
                LEFT JOIN posts p ON p.topic_id = t.id AND p.post_number = 1
                WHERE t.id IN ({",".join("?" * len(part))})""",
            part,
        )
        rows |= {row[0]: row for row in found}
    tags_of = _tags_of(columns, places)
    return tuple(
        TopicLine(
            id=rows[topic_id][0], title=rows[topic_id][1], slug=rows[topic_id][2], category=rows[topic_id][3],
            author=rows[topic_id][4], tags=tags_of.get(place, ()), created_at=_moment(columns.topic_created[place]),
            active_at=_moment(columns.topic_active[place]), posts=int(columns.topic_posts[place]),
            views=int(columns.topic_views[place]), likes=int(columns.topic_likes[place]),
        )
        for place, topic_id in zip(places.tolist(), ids, strict=True)
        if topic_id in rows
    )  # fmt: skip


def _tags_of(columns: Columns, places: Numbers) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for pair in np.flatnonzero(np.isin(columns.tagged, places)).tolist():
        place = int(columns.tagged[pair])
        found[place] = (*found.get(place, ()), columns.tags[columns.tag[pair]])
    return found


def _key(columns: Columns, order: TopicOrder) -> Numbers:
    return {
        TopicOrder.ACTIVE: columns.topic_active,
        TopicOrder.CREATED: columns.topic_created,
        TopicOrder.POSTS: columns.topic_posts,
        TopicOrder.VIEWS: columns.topic_views,
        TopicOrder.LIKES: columns.topic_likes,
    }[order]


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
