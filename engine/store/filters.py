"""The posts that a query's author, category, tag and date conditions allow, as sets of ids."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import cast

import numpy as np

from ..index.french import fold
from ..values import PostId, Query
from .archive import ArchiveStore
from .columns import Columns


def allowed(store: ArchiveStore, query: Query) -> tuple[frozenset[PostId] | None, tuple[str, ...]]:
    """Posts that meet the query's author, category, tag and date conditions, and notices for unknown names.

    None means that there is no such condition. Several values of one operator are alternatives.
    """
    if not query.has_filters:
        return None, ()
    columns = store.columns()
    keep = np.ones(len(columns.ids), np.bool_)
    notices: list[str] = []
    if query.authors:
        names = users_named(store, query.authors)
        if not names:
            notices.append("unknown_author")
        keep &= np.isin(columns.author, [place for place, name in enumerate(columns.authors) if name in names])
    if query.categories:
        categories = categories_named(columns, query.categories)
        if not categories:
            notices.append("unknown_category")
        keep &= np.isin(columns.topic_category, sorted(categories))[columns.topic]
    if query.tags:
        wanted = {fold(name) for name in query.tags}
        tags = [place for place, tag in enumerate(columns.tags) if fold(tag) in wanted]
        if not tags:
            notices.append("unknown_tag")
        tagged = np.zeros(len(columns.topic_ids), np.bool_)
        tagged[columns.tagged[np.isin(columns.tag, tags)]] = True
        keep &= tagged[columns.topic]
    if query.before:
        keep &= columns.created < midnight(query.before)
    if query.after:
        keep &= columns.created >= midnight(query.after)
    return frozenset(cast("list[PostId]", columns.ids[keep].tolist())), tuple(notices)


def users_named(store: ArchiveStore, names: Sequence[str]) -> frozenset[str]:
    """The members of that user name or display name."""
    wanted = {fold(name) for name in names}
    rows = store.rows("SELECT username, display_name FROM users")
    return frozenset(username for username, display in rows if fold(username) in wanted or fold(display) in wanted)


def categories_named(columns: Columns, names: Sequence[str]) -> frozenset[int]:
    """The places of the categories of that name or slug, and of all that lie below them."""
    wanted = {fold(name) for name in names}
    named = (n for n, one in enumerate(columns.categories) if fold(one.name) in wanted or fold(one.slug) in wanted)
    return frozenset().union(*map(columns.below, named))


def midnight(day: date) -> int:
    """The first second of a day, UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
