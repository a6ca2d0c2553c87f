"""Opening a SQLite file of the data folder: pragmas, migrations, and SQLite's errors in our words."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import DiskFull, SchemaTooNew, StoreBusy, StoreDamaged, StoreError

Connection = sqlite3.Connection  # named here for those who only receive one
Migration = Callable[[Connection], None]
BUSY_TIMEOUT_S = 30
FULL_BYTES = 1 << 20  # a disk with less than this free is taken for full when SQLite fails


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
        except BaseException as error:
            db.close()
            still = _unwritable(path, migrations) if isinstance(error, sqlite3.OperationalError) else None
            if still is None:
                raise
            db = still
    return db


def _unwritable(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection | None:
    """The file opened to be read only, where nobody can write to its folder; None where that is not so."""
    beside = [path.with_name(path.name + end) for end in ("-wal", "-journal")]
    unmoved = path.exists() and not any(journal.exists() and journal.stat().st_size for journal in beside)
    if not unmoved or os.access(path.parent, os.W_OK):
        return None
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    try:
        db.isolation_level = None
        current = db.execute("PRAGMA user_version").fetchone() == (len(migrations),)
    except BaseException:
        db.close()
        raise
    if not current:
        db.close()
    return db if current else None


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
            raise StoreDamaged(path=str(path), reason=str(error), file=path.name) from error
        # SQLite makes files of its own beside this one: without room for them it can't even open it.
        if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path):
            raise DiskFull(path=str(path)) from error
        raise StoreError(path=str(path), reason=str(error)) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=str(path)) from error
        raise StoreError(path=str(path), reason=error.strerror or str(error)) from error


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < FULL_BYTES
    except OSError:
        return False


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
