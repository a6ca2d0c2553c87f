"""Reads a backup: every file is compared with the manifest, and nothing is trusted before that is done.

Only plain files with plain relative names are accepted, and never more bytes than the disk has room for.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from ..errors import BackupUnusable
from ..progress import OnProgress
from ..store.archive import FILE as ARCHIVE
from ..store.archive import ArchiveStore
from .disk import PIECE, Meter, check_room, told
from .manifest import DATA, HEAD, MANIFEST, MOST_BYTES, Head, Kept, Manifest, read_head, read_manifest

STAGE = "restore"
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{p}{n}" for p in ("com", "lpt") for n in range(10))})


def read_head_of(backup: Path) -> Head:
    """What a backup says that it is; the rest is not read. Raises BackupUnusable."""
    with _opened(backup) as (tar, _squeezed):
        return _head(tar, backup)


def check(
    backup: Path,
    *,
    schemas: Mapping[str, int],
    on_progress: OnProgress = lambda progress: None,
    go_on: Callable[[], None] = lambda: None,
) -> tuple[Head, Manifest]:
    """Read a backup whole and compare everything, writing nothing. Raises BackupUnusable."""
    return _read(backup, None, schemas, on_progress, go_on)


def unpack(
    backup: Path,
    folder: Path,
    *,
    schemas: Mapping[str, int],
    on_progress: OnProgress = lambda progress: None,
    go_on: Callable[[], None] = lambda: None,
) -> tuple[Head, Manifest]:
    """Write what a backup holds into a new folder, which is worthless when this raises.

    `schemas` are the newest that this version reads, by database. Raises BackupUnusable, DiskFull.
    """
    with told(folder, full="restore"):
        folder.mkdir(mode=0o700)
        found = _read(backup, folder, schemas, on_progress, go_on)
        if hasattr(os, "sync"):
            os.sync()  # once, rather than file by file: there may be tens of thousands of images
    manifest = found[1]
    if (folder / ARCHIVE).exists():
        with closing(ArchiveStore(folder)) as store:
            if store.counts() != (manifest.posts, manifest.topics, manifest.categories):
                raise BackupUnusable(path=str(backup), reason="damaged")
    return found


def _read(
    backup: Path, folder: Path | None, schemas: Mapping[str, int], on_progress: OnProgress, go_on: Callable[[], None]
) -> tuple[Head, Manifest]:
    found: dict[str, Kept] = {}
    manifest: Manifest | None = None
    with _opened(backup) as (tar, squeezed):
        head = _head(tar, backup)
        if any(number > schemas.get(name, number) for name, number in head.schemas.items()):
            raise BackupUnusable(path=str(backup), reason="newer")
        meter = Meter(STAGE, head.size, on_progress, go_on)
        if folder is not None:
            check_room(folder, head.size, reason="restore_forecast")
        while (member := tar.next()) is not None:
            if manifest is not None:  # it is the last
                raise BackupUnusable(path=str(backup), reason="damaged")
            if member.name == MANIFEST:
                manifest = read_manifest(_card(tar, member, backup), str(backup))
                continue
            name = safe_name(member)
            if name is None or name in found:
                raise BackupUnusable(path=str(backup), reason="unsafe", member=member.name[:200])
            file = tar.extractfile(member)
            assert file is not None  # it is a plain file
            if folder is None:
                found[name] = Kept(name, *_copied(file, None, meter))
            else:
                check_room(folder, member.size, reason="restore_forecast")  # the head may lie
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with (folder / name).open("xb") as output:
                    found[name] = Kept(name, *_copied(file, output, meter))
                os.utime(folder / name, (member.mtime, member.mtime))
        while squeezed.read(PIECE):  # to its checksum
            pass
    if manifest is None:
        raise BackupUnusable(path=str(backup), reason="cut")
    if found != {kept.path: kept for kept in manifest.files}:
        raise BackupUnusable(path=str(backup), reason="damaged")
    return head, manifest


def _copied(file: IO[bytes], output: IO[bytes] | None, meter: Meter) -> tuple[int, str]:
    """(bytes, SHA-256) of what was read, and written where there is an output."""
    hasher, size = hashlib.sha256(), 0
    while piece := file.read(PIECE):
        hasher.update(piece)
        size += len(piece)
        if output is not None:
            output.write(piece)
        meter.add(len(piece))
    return size, hasher.hexdigest()


def safe_name(member: tarfile.TarInfo, *, windows: bool = os.name == "nt") -> str | None:
    """The path of a member in the data folder; None for whatever is no plain file, or could land elsewhere."""
    name = member.name.removeprefix(DATA)
    parts = name.split("/")
    if not member.isreg() or not member.name.startswith(DATA) or "\0" in name or {"", ".", ".."} & set(parts):
        return None
    if windows:
        odd = any(c in '<>:"|?*\\' or ord(c) < 32 for c in name) or any(p.endswith((" ", ".")) for p in parts)
        if odd or any(part.partition(".")[0].lower() in _RESERVED for part in parts):
            return None
    return name


def _head(tar: tarfile.TarFile, backup: Path) -> Head:
    first = tar.next()
    if first is None or first.name != HEAD:
        raise BackupUnusable(path=str(backup), reason="not_a_backup")
    return read_head(_card(tar, first, backup), str(backup))


def _card(tar: tarfile.TarFile, member: tarfile.TarInfo, backup: Path) -> bytes:
    file = tar.extractfile(member) if member.isreg() and member.size <= MOST_BYTES else None
    if file is None:
        raise BackupUnusable(path=str(backup), reason="damaged")
    return file.read()


@contextmanager
def _opened(backup: Path) -> Iterator[tuple[tarfile.TarFile, gzip.GzipFile]]:
    """The tar of a backup, read once from its start to its end, its checksums included."""
    path = str(backup)
    try:
        with gzip.open(backup, "rb") as squeezed:
            try:
                tar = tarfile.open(fileobj=squeezed, mode="r|", bufsize=PIECE)  # noqa: SIM115 - closed below
            except tarfile.ReadError as error:
                raise BackupUnusable(path=path, reason="not_a_backup") from error
            with tar:
                yield tar, squeezed
    except gzip.BadGzipFile as error:
        reason = "not_a_backup" if "Not a gzipped" in str(error) else "damaged"
        raise BackupUnusable(path=path, reason=reason) from error
    except EOFError as error:
        raise BackupUnusable(path=path, reason="cut") from error
    except (tarfile.TarError, zlib.error, UnicodeError) as error:
        raise BackupUnusable(path=path, reason="damaged") from error
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        if error.filename is None or Path(error.filename) != backup:
            raise
        raise BackupUnusable(path=path, reason="unreadable") from error
