"""The posts that a query's author, category, tag and date conditions allow, as sets of ids."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

from ..index.french import fold
from ..values import CategoryId, PostId, Query
from .archive import ArchiveStore


def allowed(store: ArchiveStore, query: Query) -> tuple[frozenset[PostId] | None, tuple[str, ...]]:
    """Posts that meet the query's author, category, tag and date conditions, and notices for unknown names.

    None means that there is no such condition. Several values of one operator are alternatives.
    """
    if not query.has_filters:
        return None, ()
    conditions: list[str] = []
    values: list[object] = []
    notices: list[str] = []

    def one_of(column: str, names: Sequence[object], notice: str) -> None:
        if not names:
            notices.append(notice)
        conditions.append(f"{column} IN ({','.join('?' * len(names))})")
        values.extend(names)

    if query.authors:
        one_of("p.username", _users_named(store, query.authors), "unknown_author")
    if query.categories:
        one_of("t.category_id", _categories_named(store, query.categories), "unknown_category")
    if query.tags:
        tags = _tags_named(store, query.tags)
        if not tags:
            notices.append("unknown_tag")
        marks = ",".join("?" * len(tags))
        conditions.append(f"p.topic_id IN (SELECT topic_id FROM topic_tags WHERE tag IN ({marks}))")
        values.extend(tags)
    if query.before:
        conditions.append("p.created_at < ?")
        values.append(_midnight(query.before))
    if query.after:
        conditions.append("p.created_at >= ?")
        values.append(_midnight(query.after))
    rows = store.rows(
        f"SELECT p.id FROM posts p JOIN topics t ON t.id = p.topic_id WHERE {' AND '.join(conditions)}",
        values,
    )
    return frozenset(PostId(row[0]) for row in rows), tuple(notices)


def _users_named(store: ArchiveStore, names: Sequence[str]) -> list[str]:
    wanted = {fold(name) for name in names}
    rows = store.rows("SELECT username, display_name FROM users")
    return [username for username, display in rows if fold(username) in wanted or fold(display) in wanted]


def _tags_named(store: ArchiveStore, names: Sequence[str]) -> list[str]:
    wanted = {fold(name) for name in names}
    return [tag for (tag,) in store.rows("SELECT DISTINCT tag FROM topic_tags") if fold(tag) in wanted]


def _categories_named(store: ArchiveStore, names: Sequence[str]) -> list[CategoryId]:
    """Categories of that name or slug, and all that lie below them."""
    wanted = {fold(name) for name in names}
    held = store.categories()
    chosen = {c.id for c in held if fold(c.name) in wanted or fold(c.slug) in wanted}
    grown = True
    while grown:
        below = {c.id for c in held if c.parent_id in chosen} - chosen
        chosen |= below
        grown = bool(below)
    return sorted(chosen)


def _midnight(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
