"""Conditions of a search as Milvus's filter, and what it takes of a post to be filtered by.

The filter spares work; it is never what decides: whoever asks compares the posts found with the exact sets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..store.archive import ArchiveStore
from ..store.where import Where
from ..values import PostId
from .digests import stamp
from .milvus_schema import MAX_NAME_BYTES, MAX_TAGS

MOST_IDS = 5_000  # posts named in a filter; of more than that, only what they have in common is said
NO_CATEGORY = -1


@dataclass(frozen=True, slots=True)
class Facts:
    """What conditions ask of a post, in the forms that Milvus holds."""

    category: int
    author: str
    tags: tuple[str, ...]
    created: int

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of a row."""
        return {"category": self.category, "author": self.author, "tags": list(self.tags), "created": self.created}

    @property
    def digest(self) -> int:
        """64 bits that change with any of them."""
        return stamp(repr((self.category, self.author, self.tags, self.created)))


def facts(store: ArchiveStore, post_ids: Sequence[PostId]) -> dict[PostId, Facts]:
    """The facts of those of these posts, at most 900, that are held."""
    rows = store.rows(
        f"""SELECT p.id, t.category_id, p.username, t.tags, p.created_at FROM posts p JOIN topics t ON t.id = p.topic_id
            WHERE p.id IN ({",".join("?" * len(post_ids))})""",
        post_ids,
    )
    return {
        PostId(row[0]): Facts(
            NO_CATEGORY if row[1] is None else row[1],
            _cut(row[2]),
            tuple(_cut(tag) for tag in json.loads(row[3])[:MAX_TAGS]),
            row[4],
        )
        for row in rows
    }


def only(where: Where | None, allowed: frozenset[PostId] | None, excluded: frozenset[PostId]) -> str:
    """The filter of a search: the posts themselves where they are few, else what they have in common."""
    if allowed is not None and len(allowed) <= MOST_IDS:
        return among(allowed)
    parts = _parts(where) if where is not None else []
    if 0 < len(excluded) <= MOST_IDS:
        parts.append(f"post not in {sorted(excluded)}")
    return " and ".join(parts)


def among(post_ids: Iterable[PostId]) -> str:
    """These posts."""
    return f"post in {sorted(post_ids)}"


def _parts(where: Where) -> list[str]:
    parts = []
    if where.authors is not None:
        parts.append(f"author in {_texts(where.authors)}")
    if where.categories is not None:
        parts.append(f"category in {list(where.categories)}")
    if where.tags is not None:
        parts.append(f"array_contains_any(tags, {_texts(where.tags)})")
    if where.before is not None:
        parts.append(f"created < {where.before}")
    if where.after is not None:
        parts.append(f"created >= {where.after}")
    return parts


def _texts(names: Sequence[str]) -> str:
    return json.dumps([_cut(name) for name in names], ensure_ascii=False)


def _cut(name: str) -> str:
    return name.encode()[:MAX_NAME_BYTES].decode("utf-8", "ignore")
