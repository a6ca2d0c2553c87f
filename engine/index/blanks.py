"""Clears what a graph of vectors takes down of the process's memory: the room for vectors to come.

hnswlib writes it as malloc gave it. In a process that reads forums that may be a private message, or what was erased.
"""

from __future__ import annotations

import struct
from os import SEEK_CUR
from pathlib import Path
from typing import Final

from ..errors import IndexDamaged
from .admission import PART

# header.bin: version, an offset, room for so many vectors, how many there are, bytes of each in data_level0.bin.
_HEADER: Final = struct.Struct("<i4Q")
_VERSION: Final = 1
_FILES: Final = {"data_level0.bin": None, "length.bin": 4}  # bytes of a vector in each; None: as the header says
_ZEROS: Final = bytes(1 << 20)


def clear(folder: Path) -> None:
    """Write zeros wherever these files hold no vector. Call once no more vectors come. Raises IndexDamaged."""
    for header in folder.rglob("header.bin"):
        try:
            version, _offset, _room, held, size = _HEADER.unpack_from(header.read_bytes())
        except struct.error as error:
            raise IndexDamaged(part=PART, reason="header") from error
        if version != _VERSION:
            raise IndexDamaged(part=PART, reason="header")
        for name, each in _FILES.items():
            _zero(header.with_name(name), held * (size if each is None else each))


def _zero(path: Path, start: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        while piece := file.read(len(_ZEROS)):
            if piece != _ZEROS[: len(piece)]:  # most are clear already, perhaps on a disk that can't be written
                file.seek(-len(piece), SEEK_CUR)
                file.write(_ZEROS[: len(piece)])
