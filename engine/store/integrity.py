"""Whether a SQLite file is sound, told without creating, migrating or mending it.

Nothing here opens such a file but through SQLite. When a process closes a file that it has opened in any other way,
POSIX drops every lock that it has on it: another process then believes itself alone, and removes the journal under the
connections that are still open (sqlite.org/howtocorrupt.html §2.2).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from .database import translated
from .snapshots import reader

LEAST_BYTES = 512  # of a page, and so of a database that is not empty
MOST_TOLD = 5  # faults; one is enough to know


def fault(path: Path, *, quick: bool) -> str | None:
    """What is wrong with the file at this path, None when it is sound; `quick` reads its first page and its size only.

    Raises StoreDamaged where SQLite itself refuses the file, StoreError where it can't be read at all.
    """
    with translated(path):
        if 0 < path.stat().st_size < LEAST_BYTES:
            return "header"
        with closing(reader(path)) as db:
            if quick:  # it refuses a file that is shorter than its header says
                db.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
                return None
            said = [str(row[0]) for row in db.execute(f"PRAGMA integrity_check({MOST_TOLD})")]
    return None if said == ["ok"] else "; ".join(said)


def rows(path: Path, table: str, columns: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """What can still be read of a table of a damaged file; nothing where that is nothing."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            found = db.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
    except sqlite3.Error:
        return ()
    return tuple(tuple(map(str, row)) for row in found)


def sources(path: Path) -> tuple[str, ...]:
    """What an archive.db says that it was made from, the newest first; nothing where that can't be read any more."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT source FROM imports GROUP BY source ORDER BY MAX(id) DESC").fetchall()
    except sqlite3.Error:
        return ()
    return tuple(str(row[0]) for row in rows)
