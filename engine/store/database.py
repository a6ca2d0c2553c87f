"""Opening a SQLite file of the data folder: pragmas, migrations, and SQLite's errors in our words."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import DiskFull, SchemaTooNew, StoreBusy, StoreDamaged, StoreError

Connection = sqlite3.Connection  # named here for those who only receive one
Migration = Callable[[Connection], None]
BUSY_TIMEOUT_S = 30


def connect(path: Path, migrations: Sequence[Migration], *, page_bytes: int = 4096) -> sqlite3.Connection:
    """An open connection whose schema is current, usable from any one thread at a time. A new file has such pages.

    Raises SchemaTooNew for a file of a newer version and StoreDamaged for one that SQLite refuses.
    """
    with translated(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, check_same_thread=False)
        try:
            db.isolation_level = None  # transactions are explicit, see transaction()
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(f"PRAGMA page_size = {page_bytes}")
            # Readers never wait for the writer, and a killed writer loses only its open transaction.
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            _migrate(db, path, migrations)
        except BaseException:
            db.close()
            raise
    return db


def statements(db: Connection, script: str) -> None:
    """Run SQL statements that semicolons separate, inside the transaction that is open."""
    # executescript() would commit it.
    for statement in script.split(";"):
        if statement.strip():
            db.execute(statement)


class Connections:
    """One connection a thread to one file, all closed together."""

    def __init__(self, path: Path, migrations: Sequence[Migration], *, page_bytes: int = 4096) -> None:
        self._path, self._migrations, self._page_bytes = path, migrations, page_bytes
        self._local = threading.local()
        self._lock = threading.Lock()
        self._opened: list[sqlite3.Connection] = []
        self.get()  # now, so that a file that can't be used is known at once

    def get(self) -> sqlite3.Connection:
        """This thread's connection."""
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is None:
            db = self._local.db = connect(self._path, self._migrations, page_bytes=self._page_bytes)
            with self._lock:
                self._opened.append(db)
        return db

    def close(self) -> None:
        """Close every thread's connection; none can be used afterwards."""
        with self._lock:
            for db in self._opened:
                db.close()
            self._opened.clear()


@contextmanager
def transaction(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Everything inside happens or nothing does."""
    with translated(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # A full disk may have rolled the transaction back already.
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's exceptions as errors of the engine."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise DiskFull(path=str(path)) from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusy(holder=str(path)) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise StoreDamaged(path=str(path), reason=str(error)) from error
        raise StoreError(path=str(path), reason=str(error)) from error
    except OSError as error:
        raise StoreError(path=str(path), reason=error.strerror or str(error)) from error


def _migrate(db: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > len(migrations):
        raise SchemaTooNew(path=str(path), found=found, supported=len(migrations))
    if found == len(migrations):
        return
    with transaction(db, path):
        (found,) = db.execute("PRAGMA user_version").fetchone()  # another process may have been faster
        for number, migration in enumerate(migrations[found:], found + 1):
            migration(db)
            db.execute(f"PRAGMA user_version = {number}")
