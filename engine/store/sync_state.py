"""What a live sync knows between two requests, in a SQLite file of its own: where it stands, what it holds.

A kill at any moment leaves the last transaction: the cursor of the walk and the posts it found stand or fall together.
The raw JSON of topics is beside it, as files; a row here is written after its file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..erase.items import eraser
from .database import Connection, connect, statements, transaction, translated
from .sync_values import HeldTopic, NewPost, Totals, Walk

FILE = "sync.db"
FREE_PAGES = 1000  # of 4 KiB; less is not worth the writing


def sync_1(db: Connection) -> None:
    """`imported` 0: the archive does not know of this state of the topic yet. `leaving` 1: gone, not yet removed."""
    statements(
        db,
        """
        CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE topics (
            id INTEGER PRIMARY KEY, checked_at INTEGER NOT NULL, category_id INTEGER, gone TEXT NOT NULL,
            skipped TEXT NOT NULL, imported INTEGER NOT NULL, leaving INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX topics_checked ON topics (checked_at);
        CREATE TABLE announced (post_id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, held INTEGER NOT NULL);
        CREATE INDEX announced_topic ON announced (topic_id);
        CREATE TABLE new_posts (id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, record TEXT NOT NULL);
        CREATE INDEX new_posts_topic ON new_posts (topic_id);
        CREATE TABLE wanted (topic_id INTEGER PRIMARY KEY);
        CREATE TABLE uploads (path TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID
        """,
    )


SYNC = (sync_1,)


class SyncState:
    """An open sync.db, for one thread; close it when done."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.db = connect(self.path, SYNC)

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    def compact(self) -> None:
        """Give back the room of new posts that are settled, when it is most of the file."""
        (free,), (pages,) = self.rows("PRAGMA freelist_count") + self.rows("PRAGMA page_count")
        if free > max(pages // 2, FREE_PAGES):
            self.rows("VACUUM")

    # --- facts about the sync as a whole ---

    def fact(self, key: str) -> str:
        """A fact, "" when it was never told."""
        row = self._row("SELECT value FROM facts WHERE key = ?", (key,))
        return str(row[0]) if row else ""

    def number(self, key: str) -> int:
        """A fact that is a number, 0 when it was never told."""
        return int(self.fact(key) or 0)

    def tell(self, **facts: str | int) -> None:
        """Remember facts, all or none."""
        with transaction(self.db, self.path):
            self._tell(facts)

    def walk(self) -> Walk | None:
        """The descent under way."""
        told = self.fact("walk")
        return Walk(*json.loads(told)) if told else None

    def stepped(self, posts: Iterable[NewPost], walk: Walk) -> None:
        """The descent took a step and found these posts; at its end its top becomes what was last seen."""
        erased = eraser(self.path.parent.parent)
        with transaction(self.db, self.path):
            self.db.executemany(
                "INSERT OR REPLACE INTO new_posts VALUES (?, ?, ?)",
                [
                    (post.id, post.topic_id, json.dumps(post.record if erased is None else erased.record(post.record)))
                    for post in posts
                ],
            )
            if walk.ended:
                self._tell({"walk": "", "seen": max(walk.top, self.number("seen"))})
            else:
                self._tell({"walk": json.dumps([walk.top, walk.before, walk.floor])})

    # --- new posts ---

    def topics_with_new_posts(self) -> tuple[int, ...]:
        """Their ids, in order."""
        return tuple(row[0] for row in self.rows("SELECT DISTINCT topic_id FROM new_posts ORDER BY topic_id"))

    def new_posts(self, topic_id: int) -> list[dict[str, object]]:
        """The posts that the walk found in this topic."""
        rows = self.rows("SELECT record FROM new_posts WHERE topic_id = ? ORDER BY id", (topic_id,))
        return [json.loads(row[0]) for row in rows]

    # --- topics ---

    def topic(self, topic_id: int) -> HeldTopic | None:
        """What is known of a topic."""
        row = self._row(f"SELECT {_TOPIC} FROM topics WHERE id = ?", (topic_id,))
        return _topic(row) if row else None

    def announced(self, topic_id: int) -> dict[int, bool]:
        """The posts that a topic announced when it was last read, in order of ids, and whether each was served."""
        rows = self.rows("SELECT post_id, held FROM announced WHERE topic_id = ? ORDER BY post_id", (topic_id,))
        return {row[0]: bool(row[1]) for row in rows}

    def owner(self, post_id: int) -> int | None:
        """The topic that announced this post last."""
        row = self._row("SELECT topic_id FROM announced WHERE post_id = ?", (post_id,))
        return row[0] if row else None

    def want(self, topic_ids: Iterable[int]) -> None:
        """These topics are to be read whole: posts have moved there, or from there."""
        with transaction(self.db, self.path):
            self._want(topic_ids)

    def wanted(self) -> tuple[int, ...]:
        """Topics still to be read whole, in order of ids."""
        return tuple(row[0] for row in self.rows("SELECT topic_id FROM wanted ORDER BY topic_id"))

    def unwant(self, topic_id: int) -> None:
        """No more is expected of this topic."""
        with transaction(self.db, self.path):
            self.db.execute("DELETE FROM wanted WHERE topic_id = ?", (topic_id,))

    def save(
        self, topic: HeldTopic, announced: Mapping[int, bool], *, whole: bool = True, want: Iterable[int] = ()
    ) -> None:
        """A topic was read: what it announces and whether it was served. Its new posts are settled.

        Other topics that held one of these posts are wanted from now on, with those that `want` names.
        """
        with transaction(self.db, self.path):
            self.db.execute("CREATE TEMP TABLE IF NOT EXISTS now (post_id INTEGER PRIMARY KEY, held INTEGER)")
            self.db.execute("DELETE FROM temp.now")
            self.db.executemany("INSERT INTO temp.now VALUES (?, ?)", announced.items())
            if whole:
                self.db.execute("DELETE FROM wanted WHERE topic_id = ?", (topic.id,))
            self.db.execute(
                """INSERT OR IGNORE INTO wanted SELECT DISTINCT topic_id FROM announced
                   WHERE post_id IN (SELECT post_id FROM temp.now) AND topic_id <> ?""",
                (topic.id,),
            )
            self._want(want)
            self.db.execute("DELETE FROM announced WHERE topic_id = ?", (topic.id,))
            self.db.execute("INSERT OR REPLACE INTO announced SELECT post_id, ?, held FROM temp.now", (topic.id,))
            self._put(topic, imported=False)
            self.db.execute("DELETE FROM new_posts WHERE topic_id = ?", (topic.id,))

    def left(self, topic_id: int, why: str, *, at: int, want: Iterable[int] = ()) -> None:
        """The forum does not show this topic (any more); what is held of it stays until `removed`."""
        with transaction(self.db, self.path):
            self.db.execute("DELETE FROM wanted WHERE topic_id = ?", (topic_id,))
            self._want(want)
            self.db.execute("DELETE FROM new_posts WHERE topic_id = ?", (topic_id,))
            self.db.execute(
                """INSERT INTO topics VALUES (?, ?, NULL, ?, '{}', 1, 0) ON CONFLICT (id) DO UPDATE
                   SET checked_at = excluded.checked_at, gone = excluded.gone,
                       leaving = EXISTS (SELECT 1 FROM announced WHERE topic_id = excluded.id)""",
                (topic_id, at, why),
            )

    def leaving(self) -> tuple[int, ...]:
        """Topics that are gone and still held."""
        return tuple(row[0] for row in self.rows("SELECT id FROM topics WHERE leaving ORDER BY id"))

    def removed(self, topic_id: int) -> None:
        """The raw file of a topic that left says so now."""
        with transaction(self.db, self.path):
            count = self.db.execute("DELETE FROM announced WHERE topic_id = ?", (topic_id,)).rowcount
            self.db.execute(
                "UPDATE topics SET leaving = 0, imported = 0, skipped = ? WHERE id = ?",
                (json.dumps({"deleted_topic": count}), topic_id),
            )

    def stay(self, topic_ids: Iterable[int]) -> None:
        """These topics are kept though the forum does not show them; they are the first to be asked for again."""
        with transaction(self.db, self.path):
            self.db.executemany(
                "UPDATE topics SET leaving = 0, gone = '', checked_at = 0 WHERE id = ?", [(i,) for i in topic_ids]
            )

    def unchecked_since(self, moment: int) -> tuple[int, ...]:
        """Public topics that were not read whole since, the one that waits longest first."""
        rows = self.rows("SELECT id FROM topics WHERE gone = '' AND checked_at < ? ORDER BY checked_at, id", (moment,))
        return tuple(row[0] for row in rows)

    def by_category(self) -> dict[int, tuple[int, ...]]:
        """Public topics by category."""
        found: dict[int, list[int]] = {}
        for topic_id, category in self.rows(
            "SELECT id, category_id FROM topics WHERE gone = '' AND category_id IS NOT NULL ORDER BY id"
        ):
            found.setdefault(category, []).append(topic_id)
        return {category: tuple(ids) for category, ids in found.items()}

    def gone_from_categories(self) -> dict[int, int]:
        """Topics that are not public because of their category, with it."""
        rows = self.rows(
            """SELECT id, category_id FROM topics WHERE category_id IS NOT NULL
               AND gone IN ('restricted_category', 'unknown_category')"""
        )
        return dict(rows)

    # --- the archive ---

    def unimported(self) -> tuple[int, ...]:
        """Topics whose raw file the archive has not read since it changed."""
        return tuple(row[0] for row in self.rows("SELECT id FROM topics WHERE NOT imported ORDER BY id"))

    def imported(self, topic_ids: Iterable[int]) -> None:
        """The archive has read the raw files of these topics."""
        with transaction(self.db, self.path):
            self.db.executemany("UPDATE topics SET imported = 1 WHERE id = ?", [(i,) for i in topic_ids])

    def skipped(self, besides: frozenset[int] = frozenset()) -> Counter[str]:
        """Private posts by reason, those of these topics not counted."""
        total: Counter[str] = Counter()
        for topic_id, told in self.rows("SELECT id, skipped FROM topics WHERE skipped <> '{}'"):
            if topic_id not in besides:
                total.update(json.loads(told))
        return total

    def totals(self) -> Totals:
        """The count of everything that the public topics announce."""
        (counts,) = self.rows(
            """SELECT (SELECT COUNT(*) FROM topics WHERE gone = ''), COUNT(*), COALESCE(SUM(NOT held), 0)
               FROM announced WHERE topic_id IN (SELECT id FROM topics WHERE gone = '')"""
        )
        return Totals(*counts)

    # --- uploads ---

    def uploads(self) -> dict[str, str]:
        """Files that were asked for, by path: "held", or why they are not."""
        return dict(self.rows("SELECT path, state FROM uploads"))

    def set_upload(self, path: str, state: str | None) -> None:
        """Remember what became of a file; None forgets it."""
        with transaction(self.db, self.path):
            self.db.execute("DELETE FROM uploads WHERE path = ?", (path,))
            if state is not None:
                self.db.execute("INSERT INTO uploads VALUES (?, ?)", (path, state))

    # --- SQLite ---

    def _want(self, topic_ids: Iterable[int]) -> None:
        self.db.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", [(i,) for i in topic_ids])

    def _put(self, topic: HeldTopic, *, imported: bool) -> None:
        self.db.execute(
            "INSERT OR REPLACE INTO topics VALUES (?, ?, ?, ?, ?, ?, 0)",
            (topic.id, topic.checked_at, topic.category_id, topic.gone, json.dumps(dict(topic.skipped)), imported),
        )

    def _tell(self, facts: Mapping[str, str | int]) -> None:
        self.db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", [(k, str(v)) for k, v in facts.items()])

    def rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query, for the rooms of the store."""
        with translated(self.path):
            return self.db.execute(sql, values).fetchall()

    def _row(self, sql: str, values: tuple[object, ...] = ()) -> tuple[Any, ...] | None:
        rows = self.rows(sql, values)
        return rows[0] if rows else None


_TOPIC = "id, checked_at, category_id, gone, skipped"


def _topic(row: tuple[Any, ...]) -> HeldTopic:
    return HeldTopic(row[0], row[1], row[2], row[3], json.loads(row[4]))
