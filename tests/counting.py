"""Counts how often each vector is written, by a trigger of SQLite: it holds whatever process writes, killed or not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from engine.store import VectorStore


def watch(data: Path) -> None:
    """Count from now on."""
    store = VectorStore(data)
    try:
        store.db.execute(
            "CREATE TABLE IF NOT EXISTS writes (model TEXT, key BLOB, n INTEGER, PRIMARY KEY (model, key))"
        )
        store.db.execute(
            """CREATE TRIGGER IF NOT EXISTS count_writes AFTER INSERT ON vectors BEGIN
                 INSERT INTO writes VALUES (new.model, new.key, 1) ON CONFLICT DO UPDATE SET n = n + 1; END"""
        )
    finally:
        store.close()


def writes(data: Path) -> tuple[int, int]:
    """How many vectors were written since, and how many times at most the same one."""
    with closing(sqlite3.connect(data / "vectors.db", timeout=30)) as db:
        total, most = db.execute("SELECT COALESCE(SUM(n), 0), COALESCE(MAX(n), 0) FROM writes").fetchone()
    return int(total), int(most)
