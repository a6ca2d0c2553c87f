"""Copies of SQLite files that other processes are writing to: all of them as they were at one moment.

A transaction that reads is begun on every file before anything is copied: it pins what the file holds, and neither a
writer nor a checkpoint disturbs it. A backup without one starts again whenever another process writes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from .database import BUSY_TIMEOUT_S, Connection, translated

ENDINGS = (".db", ".sqlite3")  # how the SQLite files of a data folder are called
BESIDE = ("-wal", "-shm", "-journal")
STEP_PAGES = 1024  # copied between two looks at whether to go on
_COUNTS = """SELECT (SELECT COUNT(*) FROM posts), (SELECT COUNT(*) FROM topics), (SELECT COUNT(*) FROM categories),
             (SELECT value FROM meta WHERE key = 'title')"""


@contextmanager
def moment(paths: Sequence[Path]) -> Iterator[Mapping[Path, Connection]]:
    """What these files hold now, for as long as the block lasts. Raises StoreDamaged, StoreBusy, StoreError."""
    with ExitStack() as stack:
        opened: dict[Path, Connection] = {}
        for path in paths:
            with translated(path):
                opened[path] = stack.enter_context(closing(reader(path)))
        for path, db in opened.items():
            with translated(path):
                db.execute("BEGIN")
                db.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()  # BEGIN alone pins nothing
        yield opened


def size(db: Connection) -> int:
    """Bytes of the copy of an open file."""
    pages, page = db.execute("PRAGMA page_count").fetchone()[0], db.execute("PRAGMA page_size").fetchone()[0]
    return int(pages) * int(page)


def copy(
    path: Path,
    db: Connection,
    target: Path,
    *,
    clean: Callable[[Connection], None] | None = None,
    on_bytes: Callable[[int], None] = lambda done: None,
) -> None:
    """Copy an open file to a new one, without what `clean` removes from it; the copy is read whole.

    `on_bytes` hears how much was copied and may raise to give up. Raises StoreDamaged for a file that is, DiskFull.
    """
    page = int(db.execute("PRAGMA page_size").fetchone()[0])
    with translated(target), closing(sqlite3.connect(target, isolation_level=None)) as fresh:
        with translated(path):
            db.backup(fresh, pages=STEP_PAGES, progress=lambda _status, left, total: on_bytes((total - left) * page))
        # One file, with nothing beside it, and nothing left in it of what is removed.
        fresh.execute("PRAGMA journal_mode = DELETE")
        if clean is not None:
            clean(fresh)
            fresh.execute("VACUUM")
        with translated(path):  # damage is that of the file that was copied
            _whole(fresh)


def schema(path: Path) -> int:
    """The number of the schema of a file that nobody else uses."""
    with translated(path), closing(_at_rest(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def leave_to_readers(path: Path) -> None:
    """Make a file that nobody uses one that stores open to read without changing a byte: in the mode that they set."""
    with translated(path), closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")


def counts(path: Path) -> tuple[int, int, int, str]:
    """(posts, topics, categories, title) of an archive.db that nobody else uses."""
    with translated(path), closing(_at_rest(path)) as db:
        posts, topics, categories, title = db.execute(_COUNTS).fetchone()
    return posts, topics, categories, title or ""


def reader(path: Path) -> Connection:
    """Open to read. Not "ro": what a killed writer left beside it could not be read without its index of pages."""
    uri = path.absolute().as_uri()
    with suppress(sqlite3.OperationalError):
        db = sqlite3.connect(f"{uri}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        try:
            db.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
            return db
        except BaseException:
            db.close()
            raise
    # A disk that can't be written: nobody changes the file, unless a journal says that its end is elsewhere.
    journals = [path.with_name(path.name + end) for end in ("-wal", "-journal")]
    unmoved = not any(journal.exists() and journal.stat().st_size for journal in journals)
    options = "mode=ro&immutable=1" if unmoved else "mode=ro"
    return sqlite3.connect(f"{uri}?{options}", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)


def _at_rest(path: Path) -> Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _whole(db: Connection) -> None:
    """Raises sqlite3's own error where the copy does not hold together."""
    said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        error = sqlite3.DatabaseError(said)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
