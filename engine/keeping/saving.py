"""Makes a backup while the application runs: one compressed tar, written beside its place and renamed once whole."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from ..errors import StoreError
from ..progress import OnProgress
from ..settings import Settings
from ..store import snapshots
from ..store.archive import FILE as ARCHIVE
from .contents import Choice, Contents, taken
from .disk import PIECE, Meter, check_room, told
from .manifest import DATA, HEAD, MANIFEST, Head, Kept, Manifest, head_bytes, manifest_bytes
from .restoring import read_head_of

ENDING = ".archiviste.tar.gz"
STAGE = "backup"
SCRATCH = ".backup-"  # begins the name of the folder where a backup is in the making
FORSAKEN_S = 24 * 3600.0  # a killed process left it
LEVEL = 1  # of gzip: vectors hardly shrink, and higher ones cost more time than they spare room


@dataclass(frozen=True, slots=True)
class Saved:
    """A backup that was made: where, its size in bytes, its two cards."""

    path: Path
    size: int
    head: Head
    manifest: Manifest


def save(
    settings: Settings,
    target: Path,
    choice: Choice,
    *,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
    now: datetime | None = None,
) -> Saved:
    """Write a backup of the data folder to this file, in the place of an older backup if there is one.

    `check` may raise Cancelled; nothing is left then. Raises DiskFull, StoreDamaged, StoreBusy, StoreError, and
    BackupUnusable where another kind of file stands.
    """
    if target.exists():
        read_head_of(target)  # nothing else of the user's is written over
    _sweep(target.parent)
    made_at = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    with told(target, full="backup"), taken(settings, choice) as contents:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=SCRATCH, suffix=".part") as scratch:
            return _save(settings.data, target, Path(scratch), contents, choice, made_at, on_progress, check)


def _save(
    data: Path, target: Path, scratch: Path, contents: Contents, choice: Choice, made_at: str,
    on_progress: OnProgress, check: Callable[[], None],
) -> Saved:  # fmt: skip
    # 1. Every database as it is now.
    with snapshots.moment([data / name for name in contents.databases]) as opened:
        databases = sum(map(snapshots.size, opened.values()))
        rest = sum(_size(file) for file in contents.held.values()) + sum(
            (data / name).stat().st_size for name in contents.others
        )
        # The copies of the databases and the backup lie side by side for a moment, and may not shrink at all.
        check_room(target.parent, 2 * databases + rest, reason="backup_forecast")
        meter = Meter(STAGE, 2 * databases + rest, on_progress, check)
        copies = {}
        for n, (path, db) in enumerate(opened.items()):
            copies[contents.databases[n]] = copy = scratch / f"{n}.db"
            snapshots.copy(
                path, db, copy, clean=choice.cleaned.get(contents.databases[n]), on_bytes=meter.part(snapshots.size(db))
            )
    # 2. Its cards.
    posts, topics, categories, title = snapshots.counts(copies[ARCHIVE]) if ARCHIVE in copies else (0, 0, 0, "")
    schemas = {name: snapshots.schema(copy) for name, copy in copies.items() if "/" not in name}
    size = sum(copy.stat().st_size for copy in copies.values()) + rest
    head = Head(choice.application, made_at, title, schemas, size)
    # 3. One file of all of it.
    whole = scratch / "whole"
    kept: list[Kept] = []
    with _private(whole) as raw, gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as squeezed, _tar(squeezed) as tar:
        _add(tar, HEAD, io.BytesIO(head_bytes(head)), meter)
        for name, copy in copies.items():
            with copy.open("rb") as file:
                kept.append(_add(tar, name, file, meter, folder=DATA))
            copy.unlink()
        for name, held in contents.held.items():
            kept.append(_add(tar, name, held, meter, folder=DATA))
        for name in contents.others:
            with suppress(FileNotFoundError), (data / name).open("rb") as file:  # it went meanwhile
                kept.append(_add(tar, name, file, meter, folder=DATA))
        manifest = Manifest(posts, topics, categories, contents.generation, tuple(kept))
        _add(tar, MANIFEST, io.BytesIO(manifest_bytes(manifest)), meter)
    # 4. In its place, once the disk has it.
    with whole.open("rb") as file:
        os.fsync(file.fileno())
    check()
    whole.replace(target)
    return Saved(target, target.stat().st_size, head, manifest)


def _add(tar: tarfile.TarFile, name: str, file: BinaryIO, meter: Meter, *, folder: str = "") -> Kept:
    """One more file, hashed on its way. Raises StoreError for one that is being cut short meanwhile."""
    info = tarfile.TarInfo(folder + name)
    info.size, info.mode = _size(file), 0o600
    if not isinstance(file, io.BytesIO):
        info.mtime = os.fstat(file.fileno()).st_mtime
    read = _Hashing(file, info.size, meter)
    try:
        tar.addfile(info, read)
    except OSError as error:
        if error.errno is None:  # tarfile's own: the file ended too soon
            raise StoreError(path=name, reason="changed") from error
        raise
    return Kept(name, info.size, read.sha256)


class _Hashing(io.RawIOBase):
    """A file as it is read: no byte beyond its size at the start, and the hash of what was read."""

    def __init__(self, file: BinaryIO, size: int, meter: Meter) -> None:
        self._file, self._left, self._meter, self._hash = file, size, meter, hashlib.sha256()

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(min(PIECE, self._left) if size < 0 else min(size, self._left))
        self._left -= len(piece)
        self._hash.update(piece)
        self._meter.add(len(piece))
        return piece


def _sweep(folder: Path) -> None:
    """Remove what killed backups left."""
    for scratch in folder.glob(f"{SCRATCH}*.part"):
        with suppress(OSError):
            if time.time() - scratch.stat().st_mtime > FORSAKEN_S:
                shutil.rmtree(scratch)


def _private(path: Path) -> BinaryIO:
    """A new file for its owner only: it holds what the data folder holds."""
    return open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb")  # noqa: PTH123


def _tar(squeezed: gzip.GzipFile) -> tarfile.TarFile:
    return tarfile.open(fileobj=squeezed, mode="w|", format=tarfile.PAX_FORMAT, bufsize=PIECE)


def _size(file: BinaryIO) -> int:
    return len(file.getbuffer()) if isinstance(file, io.BytesIO) else os.fstat(file.fileno()).st_size
