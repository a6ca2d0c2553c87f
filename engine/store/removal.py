"""What an import removes: held posts that the source shows to be gone, and the ledger after it.

Works on what the import noted in temporary tables of its connection: ids seen, gone for sure, perhaps gone, and the
extent of saved topics. See docs/decisions/0001-removals.md.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from .archive import ArchiveStore
from .database import transaction

# The temporary tables in which an import notes what it saw, and their columns.
NOTES = dict.fromkeys(("seen", "gone", "unsure", "seen_topics", "seen_categories"), "id INTEGER PRIMARY KEY")
NOTES["extent"] = "id INTEGER PRIMARY KEY, topic_id INTEGER"

# A complete source that lacks more than this share of the held posts is more likely the wrong file.
REMOVAL_LIMIT = 0.5
REMOVAL_FLOOR = 20


@dataclass(frozen=True, slots=True)
class SourceRead:
    """How a source was read. `highest_id` is its newest post id when it shows the whole forum, None otherwise."""

    flaws: int
    cut: bool
    highest_id: int | None


def remove_absent(store: ArchiveStore, read: SourceRead, *, accept_all: bool) -> tuple[int, int]:
    """Remove held posts that the source shows to be no longer public; (removed, kept for want of consent)."""
    sure = "SELECT id FROM temp.gone"
    if not read.cut:
        sure += " UNION SELECT id FROM temp.unsure"
    if read.flaws == 0:
        # A topic's file lists all its posts; a backup lists every post up to its newest id.
        sure += """ UNION SELECT p.id FROM posts p WHERE p.topic_id IN (SELECT topic_id FROM temp.extent)
                    AND p.id NOT IN (SELECT id FROM temp.extent)"""
    absent = "SELECT NULL WHERE 0"
    if read.highest_id is not None and read.flaws == 0:
        absent = f"SELECT id FROM posts WHERE id <= {read.highest_id}"
    db, path = store.db, store.path
    with transaction(db, path):
        db.execute(f"CREATE TEMP TABLE doomed AS SELECT id FROM posts WHERE id IN ({sure}) AND id NOT IN temp.seen")
        (removed,) = db.execute("SELECT COUNT(*) FROM temp.doomed").fetchone()
        db.execute(
            f"CREATE TEMP TABLE missing AS SELECT id FROM posts WHERE id IN ({absent})"
            " AND id NOT IN temp.seen AND id NOT IN temp.doomed"
        )
        (missing,) = db.execute("SELECT COUNT(*) FROM temp.missing").fetchone()
        (held,) = db.execute("SELECT COUNT(*) FROM posts").fetchone()
        kept = 0
        if missing > max(REMOVAL_FLOOR, REMOVAL_LIMIT * held) and not accept_all:
            kept = missing
        else:
            db.execute("INSERT INTO temp.doomed SELECT id FROM temp.missing")
            removed += missing
        db.execute(
            """INSERT INTO ledger SELECT topic_id, 0, 0, 0, COUNT(*) FROM posts WHERE id IN temp.doomed
               GROUP BY topic_id ON CONFLICT (topic_id) DO UPDATE SET deleted = deleted + excluded.deleted"""
        )
        emptied = [row[0] for row in db.execute("SELECT DISTINCT topic_id FROM posts WHERE id IN temp.doomed")]
        db.execute("DELETE FROM posts WHERE id IN temp.doomed")
        # The title of a topic that became private is private too.
        db.executemany(
            """DELETE FROM topics WHERE id = ? AND id NOT IN temp.seen_topics
               AND NOT EXISTS (SELECT 1 FROM posts WHERE topic_id = topics.id)""",
            [(topic_id,) for topic_id in emptied],
        )
        db.execute("DELETE FROM topic_tags WHERE topic_id NOT IN (SELECT id FROM topics)")
        db.execute("DELETE FROM uploads WHERE post_id IN temp.doomed")
        db.execute("DELETE FROM users WHERE username NOT IN (SELECT username FROM posts)")
        if read.highest_id is not None and read.flaws == 0 and kept == 0:
            _remove_empty_shells(db)
        db.execute("DROP TABLE temp.doomed")
        db.execute("DROP TABLE temp.missing")
    return removed, kept


def _remove_empty_shells(db: sqlite3.Connection) -> None:
    """Topics and categories that the forum no longer shows, once no post of theirs is held."""
    db.execute(
        """DELETE FROM topics WHERE id NOT IN temp.seen_topics
           AND id NOT IN (SELECT DISTINCT topic_id FROM posts)"""
    )
    db.execute("DELETE FROM topic_tags WHERE topic_id NOT IN (SELECT id FROM topics)")
    db.execute("DELETE FROM ledger WHERE topic_id NOT IN (SELECT id FROM topics) AND deleted = 0")
    db.execute(
        """DELETE FROM categories WHERE id NOT IN temp.seen_categories
           AND id NOT IN (SELECT category_id FROM topics WHERE category_id IS NOT NULL)"""
    )


def settle_ledger(store: ArchiveStore) -> int:
    """Held and missing posts of each topic; returns how many posts are missing in all."""
    db = store.db
    with transaction(db, store.path):
        # A backup announces no count of its own: what it holds is what it promised.
        db.execute(
            """INSERT INTO ledger SELECT topic_id, COUNT(*), COUNT(*), 0, 0 FROM posts GROUP BY topic_id
               ON CONFLICT (topic_id) DO UPDATE SET held = excluded.held"""
        )
        db.execute(
            """UPDATE ledger SET held = (SELECT COUNT(*) FROM posts p WHERE p.topic_id = ledger.topic_id),
               expected = MAX(expected, (SELECT COUNT(*) FROM posts p WHERE p.topic_id = ledger.topic_id))"""
        )
        db.execute("UPDATE ledger SET missing = MAX(0, expected - held - deleted)")
        (missing,) = db.execute("SELECT COALESCE(SUM(missing), 0) FROM ledger").fetchone()
    return int(missing)
