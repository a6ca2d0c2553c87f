"""What a live sync learns from the archive: topics that another source brought, topics that the archive lost."""

from __future__ import annotations

from collections.abc import Callable

from .archive import ArchiveStore
from .database import transaction
from .sync_state import SyncState


def adopt(state: SyncState, store: ArchiveStore, *, has_file: Callable[[int], bool]) -> None:
    """Make the state of the sync agree with the archive, which may have changed since.

    `has_file` tells whether the raw file of a topic is there. Topics that the archive holds though the forum did not
    show them when it was asked are wanted again: another source brought them back.
    """
    archived: dict[int, int | None] = dict(
        store.rows("SELECT DISTINCT t.id, t.category_id FROM topics t JOIN posts p ON p.topic_id = t.id")
    )
    rows = state.rows("SELECT id, gone <> '', imported AND NOT leaving FROM topics")
    known = {row[0] for row in rows}
    lost = [i for i, gone, settled in rows if settled and not gone and i not in archived]
    back = [i for i, gone, settled in rows if settled and gone and i in archived]
    fresh = (archived.keys() - known).union(back)
    posts = store.rows("SELECT id, topic_id FROM posts") if fresh else []
    with transaction(state.db, state.path):
        state.db.executemany(
            "INSERT OR REPLACE INTO topics VALUES (?, 0, ?, '', '{}', 1, 0)", [(i, archived[i]) for i in fresh]
        )
        state.db.executemany(
            "INSERT OR IGNORE INTO announced VALUES (?, ?, 1)", [row for row in posts if row[1] in fresh]
        )
        state.db.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", [(i,) for i in back])
        state.db.executemany("UPDATE topics SET imported = 0 WHERE id = ?", [(i,) for i in lost])
        unknown = [(i,) for i in lost if not has_file(i)]
        if unknown:  # nobody has them any more: look at every id again
            state.db.executemany("DELETE FROM topics WHERE id = ?", unknown)
            state.db.executemany("DELETE FROM announced WHERE topic_id = ?", unknown)
            state.db.execute("DELETE FROM facts WHERE key IN ('walk', 'seen')")
