"""Files that held posts show: kept under `uploads/kept/` by the hash of their content, as data, never run.

A file is reached only by an address that a held post shows; when no post shows it any more it goes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .archive import IDS_AT_A_TIME, ArchiveStore
from .database import transaction

FOLDER = "uploads"
KEPT = "kept"  # no file of a live forum stands there: theirs have an extension
_PIECE_BYTES = 1 << 18
_PART = ".part"


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that is kept: where (below `uploads/`), and the name that its author gave it."""

    url: str  # as the posts that show it write it
    stored: str
    size: int  # bytes
    name: str


class Readable(Protocol):
    """Where the bytes of a file come from."""

    def read(self, size: int, /) -> bytes: ...


class FileTooLarge(Exception):
    """The stream holds more bytes than it may; nothing of it was kept. Never leaves the engine."""


def place(folder: Path, stored: str) -> Path:
    """The file on the disk; `folder` is the data folder."""
    return folder / FOLDER / stored


def of_post(store: ArchiveStore, post_id: int) -> dict[str, Kept]:
    """The kept files of a held post by their address in it; none for any other post."""
    rows = store.rows(
        """SELECT f.url, f.stored, f.bytes, f.name FROM uploads u JOIN files f ON f.url = u.url
           WHERE u.post_id = ? AND EXISTS (SELECT 1 FROM posts WHERE id = u.post_id)""",
        (post_id,),
    )
    return {row[0]: Kept(*row) for row in rows}


def kept(store: ArchiveStore) -> dict[str, Kept]:
    """Every kept file by its address."""
    return {row[0]: Kept(*row) for row in store.rows("SELECT url, stored, bytes, name FROM files")}


def disk_bytes(store: ArchiveStore) -> int:
    """What the kept files take, each content once."""
    (row,) = store.rows("SELECT COALESCE(SUM(b), 0) FROM (SELECT MAX(bytes) AS b FROM files GROUP BY stored)")
    return int(row[0])


def write(folder: Path, stream: Readable, *, max_bytes: int) -> tuple[str, int]:
    """Keep what the stream holds; (stored, size). Raises FileTooLarge, and OSError of the disk; no half is left."""
    root = folder / FOLDER / KEPT
    root.mkdir(parents=True, exist_ok=True)
    beside, hasher, size = root / _PART, hashlib.sha256(), 0
    try:
        with beside.open("wb") as file:
            while piece := stream.read(_PIECE_BYTES):
                size += len(piece)
                if size > max_bytes:
                    raise FileTooLarge
                hasher.update(piece)
                file.write(piece)
        digest = hasher.hexdigest()
        stored = f"{KEPT}/{digest[:2]}/{digest}"
        target = place(folder, stored)
        target.parent.mkdir(exist_ok=True)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return stored, size


def record(store: ArchiveStore, files: Iterable[Kept]) -> None:
    """Make the files known under their addresses."""
    rows = [(file.url, file.stored, file.size, file.name) for file in files]
    with transaction(store.db, store.path):
        store.db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", rows)


def prune(store: ArchiveStore) -> int:
    """Remove the kept files that no held post shows any more; how many addresses went.

    The file goes before what is known of it: after a kill in between, the next call ends what was begun.
    """
    folder = store.path.parent
    rows = store.rows("SELECT url, stored FROM files WHERE url NOT IN (SELECT url FROM uploads)")
    if not rows:
        return 0
    urls = [url for url, _ in rows]
    still = {
        stored for (stored,) in store.rows("SELECT DISTINCT stored FROM files WHERE url IN (SELECT url FROM uploads)")
    }
    for stored in {stored for _, stored in rows} - still:
        place(folder, stored).unlink(missing_ok=True)
    with transaction(store.db, store.path):
        for start in range(0, len(urls), IDS_AT_A_TIME):
            part = urls[start : start + IDS_AT_A_TIME]
            store.db.execute(f"DELETE FROM files WHERE url IN ({','.join('?' * len(part))})", part)
    return len(urls)


def sweep(store: ArchiveStore) -> None:
    """Remove what an interrupted import left on the disk without making it known."""
    root = store.path.parent / FOLDER / KEPT
    known = {stored for (stored,) in store.rows("SELECT DISTINCT stored FROM files")}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            if path.relative_to(root.parent).as_posix() not in known:
                path.unlink(missing_ok=True)


def present(folder: Path, files: Mapping[str, Kept]) -> dict[str, Kept]:
    """Those that are on the disk with their size."""
    found = {}
    for url, file in files.items():
        path = place(folder, file.stored)
        if path.is_file() and path.stat().st_size == file.size:
            found[url] = file
    return found
