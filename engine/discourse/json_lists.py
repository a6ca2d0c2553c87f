"""Reads `categories.json` and `site.json`: the public categories, and which of them can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..sources import Flaw, Site
from ..values import Category, CategoryId
from . import visibility
from .cooked import parse
from .plain_text import one_line
from .saved_json import (
    BadJsonError,
    Record,
    SavedFolder,
    identifier,
    integer,
    load,
    place,
    record_at,
    records_at,
    string,
)


@dataclass(frozen=True, slots=True)
class ForumLists:
    """What stands beside saved topics. `verdicts` None when no list of categories does."""

    site: Site
    categories: tuple[Category, ...]
    verdicts: visibility.Verdicts | None
    flaws: tuple[Flaw, ...]


def read_lists(folder: SavedFolder) -> ForumLists:
    """The lists of a folder, merged; a category that one of them calls restricted is restricted.

    A list that cannot be read counts as a list without categories: everything is then private, since
    what it would have restricted is not known.
    """
    site = Site()
    categories: dict[int, Category] = {}
    facts: dict[int, visibility.CategoryFacts] = {}
    flaws: list[Flaw] = []
    listed = False
    for path in folder.lists:
        try:
            record = load(path)
        except BadJsonError as bad:
            flaws.append(Flaw(bad.code, place(path.name, bad)))
            listed = True
            continue
        site = _site(record, site)
        listed = listed or "categories" in record or "category_list" in record
        for entry, parent_id in _entries(record):
            id_ = identifier(entry, "id")
            if id_ is None:
                continue
            restricted = entry.get("read_restricted")
            if id_ in facts and not visibility.is_false(facts[id_].read_restricted):
                restricted = facts[id_].read_restricted
            facts[id_] = visibility.CategoryFacts(restricted, parent_id)
            categories.setdefault(id_, _category(entry, id_, parent_id))
    verdicts = visibility.category_verdicts(facts)
    public = tuple(category for id_, category in categories.items() if verdicts[id_] is None)
    return ForumLists(site, public, verdicts if listed else None, tuple(flaws))


def _entries(record: Record) -> Iterator[tuple[Record, int | None]]:
    """Each category of a list with the id of its parent, whether nested under it or naming it."""
    pending: list[tuple[Record, int | None]] = [
        (entry, None)
        for holder in (record_at(record, "category_list"), record)
        for entry in records_at(holder, "categories")
    ]
    while pending:
        entry, above = pending.pop(0)
        parent_id = above
        if entry.get("parent_category_id") is not None:
            parent_id = integer(entry, "parent_category_id") or -1  # unreadable: a parent nobody knows
        yield entry, parent_id
        pending.extend((inner, identifier(entry, "id")) for inner in records_at(entry, "subcategory_list"))


def _category(entry: Record, id_: int, parent_id: int | None) -> Category:
    return Category(
        id=CategoryId(id_),
        name=one_line(string(entry, "name")),
        slug=one_line(string(entry, "slug")),
        parent_id=None if parent_id is None else CategoryId(parent_id),
        color=one_line(string(entry, "color")),
        position=integer(entry, "position") or 0,
        description=parse(string(entry, "description_text") or string(entry, "description")).text,
    )


def _site(record: Record, known: Site) -> Site:
    base_url = one_line(string(record, "base_url")).rstrip("/")
    return Site(
        title=one_line(string(record, "title")) or known.title,
        base_url=base_url if base_url.startswith(("https://", "http://")) else known.base_url,
    )
