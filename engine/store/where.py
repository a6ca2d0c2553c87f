"""A query's conditions as the archive's own names and seconds, for an engine that filters by itself."""

from __future__ import annotations

from dataclasses import dataclass

from ..index.french import fold
from ..values import CategoryId, Query
from .archive import ArchiveStore
from .filters import categories_named, midnight, users_named


@dataclass(frozen=True, slots=True)
class Where:
    """What `filters.allowed` goes by. None: no such condition; an empty tuple: one that nothing meets."""

    authors: tuple[str, ...] | None = None
    categories: tuple[CategoryId, ...] | None = None
    tags: tuple[str, ...] | None = None
    before: int | None = None
    after: int | None = None


def where(store: ArchiveStore, query: Query) -> Where | None:
    """The conditions of a query, None when it has none of these."""
    if not query.has_filters:
        return None
    columns, wanted = store.columns(), {fold(tag) for tag in query.tags}
    return Where(
        tuple(sorted(users_named(store, query.authors))) if query.authors else None,
        tuple(sorted(columns.categories[place].id for place in categories_named(columns, query.categories)))
        if query.categories else None,
        tuple(tag for tag in columns.tags if fold(tag) in wanted) if query.tags else None,
        midnight(query.before) if query.before else None,
        midnight(query.after) if query.after else None,
    )  # fmt: skip
