"""What the imports kept and left out: each of them with its counts, and the topics that miss messages.

A topic misses messages when its source announced more of them than it served; what was removed since is not missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from ..values import TopicId
from .archive import ArchiveStore
from .database import translated

PAGE = 50
RECENT = 10


@dataclass(frozen=True, slots=True)
class Totals:
    """Posts of all topics together; `topics` counts those that miss some."""

    expected: int
    held: int
    deleted: int
    missing: int
    topics: int


@dataclass(frozen=True, slots=True)
class Hole:
    """A topic that misses posts. `title` and `slug` are empty when the topic itself is not in the archive."""

    topic_id: TopicId
    title: str
    slug: str
    expected: int
    held: int
    deleted: int
    missing: int

    @property
    def path(self) -> str:
        """Where the topic is read, "" when it is not held."""
        return f"/t/{self.slug or 'sujet'}/{self.topic_id}" if self.title else ""


class HoleOrder(StrEnum):
    """How a list of holes is sorted."""

    MISSING = "missing"  # the most first
    SHARE = "share"  # the largest part of a topic first
    NEWEST = "newest"  # the topic that was opened last first


@dataclass(frozen=True, slots=True)
class HolePage:
    """Some of the holes; pages are numbered from 1."""

    holes: tuple[Hole, ...]
    total: int
    page: int

    @property
    def pages(self) -> int:
        """How many pages there are, one at least."""
        return max(1, -(-self.total // PAGE))


@dataclass(frozen=True, slots=True)
class Imported:
    """One import as it was written down: running, done, partial, cancelled, interrupted or failed; counts of posts."""

    source: str
    kind: str
    state: str
    started_at: datetime
    ended_at: datetime | None
    added: int
    changed: int
    removed: int


_SQL = {
    HoleOrder.MISSING: "l.missing DESC, l.topic_id",
    HoleOrder.SHARE: "CAST(l.missing AS REAL) / MAX(1, l.expected) DESC, l.missing DESC, l.topic_id",
    HoleOrder.NEWEST: "l.topic_id DESC",
}
_HOLES = """SELECT l.topic_id, COALESCE(t.title, ''), COALESCE(t.slug, ''), l.expected, l.held, l.deleted, l.missing
    FROM ledger l LEFT JOIN topics t ON t.id = l.topic_id WHERE l.missing > 0 ORDER BY """


def totals(store: ArchiveStore) -> Totals:
    """The sums of the whole ledger."""
    (row,) = store.rows(
        """SELECT COALESCE(SUM(expected), 0), COALESCE(SUM(held), 0), COALESCE(SUM(deleted), 0),
           COALESCE(SUM(missing), 0), COALESCE(SUM(missing > 0), 0) FROM ledger"""
    )
    return Totals(*row)


def holes(store: ArchiveStore, *, order: HoleOrder = HoleOrder.MISSING, page: int = 1) -> HolePage:
    """A page of the topics that miss posts; a page after the last is the last."""
    (total,) = store.rows("SELECT COUNT(*) FROM ledger WHERE missing > 0")[0]
    page = min(max(1, page), max(1, -(-total // PAGE)))
    rows = store.rows(f"{_HOLES} {_SQL[order]} LIMIT ? OFFSET ?", (PAGE, (page - 1) * PAGE))
    return HolePage(tuple(Hole(*row) for row in rows), total, page)


def all_holes(store: ArchiveStore) -> Iterator[Hole]:
    """Every topic that misses posts, the most first. Streams."""
    with translated(store.path):
        for row in store.db.execute(f"{_HOLES} {_SQL[HoleOrder.MISSING]}"):
            yield Hole(*row)


def imports(store: ArchiveStore, limit: int = RECENT) -> tuple[Imported, ...]:
    """The last imports, the newest first."""
    rows = store.rows(
        "SELECT source, kind, state, started_at, ended_at, report FROM imports ORDER BY id DESC LIMIT ?", (limit,)
    )
    return tuple(_imported(*row) for row in rows)


def _imported(source: str, kind: str, state: str, started: int, ended: int | None, report: str) -> Imported:
    counts: dict[str, Any] = json.loads(report) if report else {}
    added, changed, removed = (int(counts.get(name, 0)) for name in ("added", "changed", "removed"))
    return Imported(source, kind, state, _moment(started), _moment(ended) if ended else None, added, changed, removed)


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
