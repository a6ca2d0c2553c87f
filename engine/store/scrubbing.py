"""Changes texts in any SQLite file of the data folder, and leaves no byte of what they were."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path

from ..errors import StoreBusy
from .database import BUSY_TIMEOUT_S, Connection, transaction, translated

READERS_S = 60.0  # longest wait for those who read the old state of a file


def change_texts(
    path: Path, change: Callable[[str], str], *, where: Mapping[str, str] | None = None, dry: bool = False
) -> dict[str, int]:
    """Change every text of every table that `change` changes; how many rows of each table that was.

    `where` limits the rows of a table by a condition. `dry` only counts. The file keeps its schema.
    """
    with translated(path), closing(_open(path)) as db, transaction(db, path):
        db.create_function("changed", 1, lambda text: change(text) if isinstance(text, str) else text)
        found: dict[str, int] = {}
        for table in _tables(db):
            condition = (where or {}).get(table, "1")
            texts = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")') if "TEXT" in row[2].upper()]
            if not texts:
                continue
            differs = " OR ".join(f'changed("{name}") IS NOT "{name}"' for name in texts)
            sets = ", ".join(f'"{name}" = changed("{name}")' for name in texts)
            if dry:
                (count,) = db.execute(f'SELECT COUNT(*) FROM "{table}" WHERE ({condition}) AND ({differs})').fetchone()
            else:
                sql = f'UPDATE OR REPLACE "{table}" SET {sets} WHERE ({condition}) AND ({differs})'
                count = db.execute(sql).rowcount
            if count:
                found[table] = int(count)
        return found


def compact(path: Path, *, check: Callable[[], None] = lambda: None) -> None:
    """Write the file anew without what was deleted, and empty its journal. Raises StoreBusy while it is read."""
    with translated(path), closing(_open(path)) as db:
        db.execute("VACUUM")
        ends = time.monotonic() + READERS_S
        while True:
            row = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if row is None or not row[0]:
                return
            if time.monotonic() > ends:
                raise StoreBusy(holder=str(path), reason="reading")
            check()
            time.sleep(0.1)


def tables(path: Path) -> frozenset[str]:
    """The tables of a file."""
    with translated(path), closing(_open(path)) as db:
        return frozenset(_tables(db))


def forget_sources(path: Path, post_ids: Iterable[int], *, dry: bool = False) -> int:
    """Take posts out of the lists of sources in the log of questions; in how many questions."""
    gone = frozenset(post_ids)
    if not gone or "questions" not in tables(path):
        return 0
    with translated(path), closing(_open(path)) as db, transaction(db, path):
        changed = []
        for number, told in db.execute("SELECT id, sources FROM questions").fetchall():
            sources = json.loads(told)
            kept = [post for post in sources if post not in gone]
            if kept != sources:
                changed.append((json.dumps(kept), number))
        if not dry:
            db.executemany("UPDATE questions SET sources = ? WHERE id = ?", changed)
        return len(changed)


def _open(path: Path) -> Connection:
    db = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    db.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    return db


def _tables(db: Connection) -> list[str]:
    rows = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    return [row[0] for row in rows.fetchall()]
