"""How a set of posts divides by category, author, tag and year, and its months; pure arithmetic on columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..index.french import fold
from ..store.columns import Columns, Numbers, Timeline, timeline
from ..values import Category

QUOTES = frozenset('"«»“”„')  # of the grammar of searches
MOST = 20  # values of one facet; beyond them nobody chooses from a list


@dataclass(frozen=True, slots=True)
class Count:
    """`count` posts have this value. `value` is what a search's operator is given, `depth` that of a category."""

    value: str
    label: str
    count: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """The counts of a set of posts, most frequent first (categories in the forum's order, years in time)."""

    posts: int
    categories: tuple[Count, ...]  # each with all that lies below it, as the operator means it
    authors: tuple[Count, ...]
    tags: tuple[Count, ...]
    timeline: Timeline


def facets(columns: Columns, places: Numbers, *, most: int = MOST) -> Facets:
    """The counts of the posts at these places of the columns; at most so many authors and tags."""
    topics = columns.topic[places]
    by_topic = np.bincount(topics, minlength=len(columns.topic_ids))
    by_author = np.bincount(columns.author[places], minlength=len(columns.authors))
    by_tag = np.bincount(columns.tag, weights=by_topic[columns.tagged], minlength=len(columns.tags)).astype(np.int64)
    return Facets(
        posts=len(places),
        categories=tuple(_categories(columns, by_topic)),
        authors=tuple(_named(columns.authors, by_author, most)),
        tags=tuple(_named(columns.tags, by_tag, most)),
        timeline=timeline(columns.month[places]),
    )


def _named(names: tuple[str, ...], counts: Numbers, most: int) -> Iterable[Count]:
    best = np.lexsort((np.arange(len(counts)), -counts))[:most]
    return (Count(names[place], names[place], int(counts[place])) for place in best.tolist() if counts[place])


def _categories(columns: Columns, by_topic: Numbers) -> Iterable[Count]:
    """Every category with a post, each parent before its children."""
    placed = columns.topic_category >= 0
    own = np.bincount(
        columns.topic_category[placed], weights=by_topic[placed], minlength=len(columns.categories)
    ).astype(np.int64)
    for place, depth in columns.tree():
        count = int(sum(own[below] for below in columns.below(place)))
        if count:
            yield Count(operand(columns, place), columns.categories[place].name, count, depth)


def operand(columns: Columns, place: int) -> str:
    """What names this category in a search, and no other where that can be: its name, else its slug."""
    wanted = columns.categories[place]
    others = {fold(name) for n, one in enumerate(columns.categories) if n != place for name in (one.name, one.slug)}
    return wanted.slug if fold(wanted.name) in others else said(wanted)


def said(category: Category) -> str:
    """The name of a category as an operator can take it: its slug when quotes would end the operator's value."""
    return category.slug if QUOTES & set(category.name) else category.name
