"""Writes a file that is being sent straight to the disk as it arrives: whole, or not at all."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO, Final

from engine import DiskFull
from engine.index.room import SPARE_BYTES

from . import received
from .i18n import gettext as _

WRITTEN_AT_A_TIME: Final = 1 << 20
LOOKED_AT_EVERY: Final = 64 << 20  # bytes between two looks at the room that is left


async def write(chunks: AsyncIterator[bytes], data: Path, name: str, length: int) -> Path | None:
    """The place of the file once it is whole and on the disk; None when it is not of that length.

    Whatever ends it early leaves nothing. Raises DiskFull, OSError, and what the chunks raise.
    """
    (data / received.FOLDER).mkdir(mode=0o700, exist_ok=True)
    path = received.free_place(data, name)
    part = received.beside(path)
    count = 0
    file = await asyncio.to_thread(part.open, "xb")
    try:
        try:
            waiting = bytearray()
            async for chunk in chunks:
                waiting += chunk
                count += len(chunk)
                if len(waiting) >= WRITTEN_AT_A_TIME:
                    await asyncio.to_thread(file.write, waiting)
                    waiting = bytearray()
                    if count // LOOKED_AT_EVERY != (count - len(chunk)) // LOOKED_AT_EVERY:
                        check_room(data, max(0, length - count))
            await asyncio.to_thread(_finish, file, waiting)
        finally:
            file.close()
        if count != length:
            return None
        part.replace(path)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise _full(data, length) from error
        raise
    finally:
        part.unlink(missing_ok=True)
    return path


def check_room(data: Path, length: int) -> None:
    """Raises DiskFull when so many bytes would not fit."""
    if shutil.disk_usage(data).free < length + SPARE_BYTES:
        raise _full(data, length)


def too_large(full: DiskFull) -> str:
    """The sentence for a file that does not fit."""
    said = _(
        "The disk is too small for this file: {needed_mb} MB are needed, {free_mb} MB are free. Nothing was kept. Make"
        " some room, or give the path of the file instead."
    )
    return said.format_map(full.details)


def _full(data: Path, length: int) -> DiskFull:
    needed_mb, free_mb = (round(n / 1e6) for n in (length + SPARE_BYTES, shutil.disk_usage(data).free))
    return DiskFull(path=str(data), reason="received", needed_mb=needed_mb, free_mb=free_mb)


def _finish(file: BinaryIO, rest: bytearray) -> None:
    file.write(rest)
    file.flush()
    os.fsync(file.fileno())
