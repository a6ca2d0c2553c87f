"""Where posts once stood: the old addresses of those that were moved, merged or split keep leading to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..sources import PostMoved
from .archive import ArchiveStore
from .database import Connection, transaction
from .reading import Place, place


def elsewhere(store: ArchiveStore, topic_id: int, number: int | None = None) -> Place | None:
    """Where the post that stood at this place stands now; without a number, where the first of its topic went.

    None when nothing says so, or when that post is not held.
    """
    row = store.row(
        """SELECT post_id FROM moved WHERE topic_id = ? AND (? IS NULL OR post_number = ?)
           AND post_id IN (SELECT id FROM posts) ORDER BY post_number LIMIT 1""",
        (topic_id, number, number),
    )
    return place(store, row[0]) if row else None


def note_moves(db: Connection, places: Sequence[tuple[int, int, int]]) -> None:
    """Remember places (topic, number) that posts (id) are about to leave; inside their transaction."""
    db.executemany("INSERT OR REPLACE INTO moved VALUES (?, ?, ?)", places)


def save_moves(store: ArchiveStore, moves: Iterable[PostMoved]) -> None:
    """Remember what the source itself tells of moves; forget those of posts that are not held any more."""
    rows = [(move.topic_id, move.number, move.post_id) for move in moves]
    with transaction(store.db, store.path):
        store.db.executemany("INSERT OR REPLACE INTO moved VALUES (?, ?, ?)", rows)
        store.db.execute("DELETE FROM moved WHERE post_id NOT IN (SELECT id FROM posts)")
