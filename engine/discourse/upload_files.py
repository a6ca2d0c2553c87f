"""The files of a backup, or of a folder beside saved JSON, that are asked for by name; never extracted, never trusted.

No path of a tar is ever written to: what is asked for is compared with the names, and comes out as a stream.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from . import backup

FOLDER = "uploads"
# What a backup holds is compressed already: a larger ratio is no backup but a bomb.
MAX_RATIO = 100
RATIO_FLOOR_BYTES = 1_000_000_000


class Stream:
    """The bytes of one file, from its start; UploadsCutError where the source is damaged."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        """So many bytes at most, b"" at the end."""
        with _cuts():
            return self._content.read(size)


class Found(NamedTuple):
    """One of the files asked for; `stream` is to be read before the next one is asked for."""

    place: str
    size: int
    stream: Stream
    position: int  # in the source, of `total`: bytes of a backup, files of a folder
    total: int


class UploadsCutError(Exception):
    """The source can't be read to its end; what came before is whole. `code` is that of a Flaw."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def _cuts() -> Iterator[None]:
    """Errors of the archive in our words."""
    try:
        yield
    except (tarfile.TarError, EOFError) as error:
        raise UploadsCutError("truncated") from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise UploadsCutError("corrupt") from error


def has_files(source: Path) -> bool:
    """Whether a source may hold files of posts."""
    return backup.is_tar(source) or _folder_of(source) is not None


def find(source: Path, wanted: Collection[str], *, check: Callable[[], None]) -> Iterator[Found]:
    """Those of the `wanted` places (see `upload_names.place_of`) that the source holds, in its own order.

    A link, a device or a sparse file is passed over. Raises UploadsCutError where a backup is damaged, or larger than
    any backup of its size.
    """
    if backup.is_tar(source):
        yield from _in_tar(source, wanted, check)
    elif (folder := _folder_of(source)) is not None:
        yield from _in_folder(folder, wanted, check)


def _in_tar(source: Path, wanted: Collection[str], check: Callable[[], None]) -> Iterator[Found]:
    left, total = set(wanted), source.stat().st_size
    most = max(RATIO_FLOOR_BYTES, MAX_RATIO * total)
    with _cuts(), backup.open_tar(source) as (tar, file):
        for member in backup.members(tar):
            check()
            if tar.offset + member.size > most:
                raise UploadsCutError("too_large")
            place = _place(member.name)
            if place in left and member.isreg() and not member.issparse():
                content = tar.extractfile(member)
                if content is not None:
                    left.discard(place)
                    yield Found(place, member.size, Stream(content), file.tell(), total)
                    if not left:
                        return


def _place(name: str) -> str:
    """The place of a member below `uploads/`, "" when it stands anywhere else."""
    path = PurePosixPath(name)
    parts = path.parts[1:] if path.parts[:1] == (".",) else path.parts
    return "/".join(parts[1:]) if parts[:1] == (FOLDER,) else ""


def _folder_of(source: Path) -> Path | None:
    """The folder of files beside a dump or saved JSON."""
    beside = [source, source.parent] if source.is_dir() and source.name in ("t", "posts") else [source]
    if not source.is_dir():
        beside = [source.parent, source.parent.parent] if source.parent.name in ("t", "posts") else [source.parent]
    return next((folder / FOLDER for folder in beside if (folder / FOLDER).is_dir()), None)


def _in_folder(folder: Path, wanted: Collection[str], check: Callable[[], None]) -> Iterator[Found]:
    root = folder.resolve()
    for done, place in enumerate(sorted(wanted), start=1):
        check()
        path = root / place
        # A link may lead out of the folder: what is read must be where it seems to be.
        if path.is_file() and path.resolve() == path:
            with path.open("rb") as stream:
                yield Found(place, path.stat().st_size, Stream(stream), done, len(wanted))
