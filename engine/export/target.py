"""Where an export is written: beside its folder, which only takes its name once everything is there."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import DiskFull, ExportRefused

SUFFIX = ".archiviste-part"  # of the folder that is being written; whoever finds one may delete it
SPARE_BYTES = 50 << 20  # left to everything else on the disk


@contextmanager
def written_beside(folder: Path, *, needed_bytes: int) -> Iterator[Path]:
    """An empty folder to write in, which becomes `folder` at the end of the block; it is gone if the block raises.

    What an earlier export left when it was killed goes first. Raises ExportRefused when `folder` holds something or is
    a file, DiskFull when so many bytes do not fit or the disk fills up.
    """
    folder = folder.absolute()
    beside = folder.with_name(folder.name + SUFFIX)
    check_free(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if beside.exists():
            shutil.rmtree(beside)
        _check_room(folder.parent, needed_bytes)
        beside.mkdir()
    except OSError as error:
        raise _refusal(folder, error) from error
    try:
        yield beside
        if folder.is_dir():
            folder.rmdir()  # empty: Windows renames onto nothing
        beside.replace(folder)
    except OSError as error:
        raise _refusal(folder, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)  # nothing is left of it after the renaming


def check_free(folder: Path) -> None:
    """Raises ExportRefused when something stands where the export should go."""
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise ExportRefused(path=str(folder), reason="not_a_folder")
        if folder.is_dir() and any(folder.iterdir()):
            raise ExportRefused(path=str(folder), reason="not_empty")
    except OSError as error:
        raise _refusal(folder, error) from error


def _check_room(place: Path, needed: int) -> None:
    free = shutil.disk_usage(place).free
    if needed + SPARE_BYTES > free:
        needed_mb, free_mb = (round(size / 1e6) for size in (needed + SPARE_BYTES, free))
        raise DiskFull(path=str(place), reason="export", needed_mb=needed_mb, free_mb=free_mb)


def _refusal(folder: Path, error: OSError) -> DiskFull | ExportRefused:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(path=str(folder), reason="export_full")
    return ExportRefused(path=str(folder), reason="unwritable", cause=error.strerror or str(error))
