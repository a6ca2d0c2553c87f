"""Opens a backup of Discourse as lines of SQL: `*.tar.gz`, `dump.sql.gz` or `dump.sql`, never extracted.

Knows nothing about what the lines say.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Literal, Self, cast

from ..errors import ArchiveFormatError

DUMP_NAMES = ("dump.sql.gz", "dump.sql")
MAX_LINE_BYTES = 32 * 1024 * 1024  # a COPY row holds raw, cooked and raw_email of one post
TOO_LONG = b"\n\n"  # stands for a line longer than that: no line of a file ends twice
MAX_NAME_BYTES = 1 << 16  # a long name, or attributes, before a member of a tar
# A dump is packed to a fifth or a tenth: one that unpacks to more than this is no dump but a bomb.
MAX_RATIO = 100
RATIO_FLOOR_BYTES = 256 * 1024 * 1024
_LONG_NAMES = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_BUFFER_BYTES = 1 << 18
_HEAD_BYTES = 1 << 16
_PIECE_BYTES = 1 << 13
_GZIP_MAGIC = b"\x1f\x8b"
_TAR_MAGIC = b"ustar"
_TAR_MAGIC_AT = 257

_Form = Literal["tar", "gzip", "plain"]


class DumpCutError(Exception):
    """The lines stop before their end; `code` says how, `where` after which row. Never leaves this room."""

    def __init__(self, code: str, where: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.where = where


@dataclass(frozen=True, slots=True)
class Dump:
    """An open dump. `line` gives b"" at the end; `position` counts the file's own (compressed) bytes."""

    line: Callable[[], bytes]
    position: Callable[[], int]


def recognise(path: Path, *, check: Callable[[], None]) -> None:
    """Return when `path` is a backup that `open_dump` can read, else raise ArchiveFormatError."""
    try:
        form = _form(path)
        if form == "tar":
            with open_tar(path) as (tar, _):
                if _dump_member(tar, path, check) is None:
                    raise ArchiveFormatError(path=str(path), reason="tar_without_dump")
        with open_dump(path) as dump:
            head = io.BytesIO()
            while head.tell() < _HEAD_BYTES:
                try:
                    line = dump.line()
                except DumpCutError:
                    if not head.tell():
                        raise
                    break
                if not line:
                    break
                head.write(line)
    except DumpCutError as cut:
        raise ArchiveFormatError(path=str(path), reason=f"{cut.code}_dump") from cut
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ArchiveFormatError(path=str(path), reason="unreadable_gzip") from error
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:  # what tarfile says of a bad header
        raise ArchiveFormatError(path=str(path), reason="unreadable_tar") from error
    except OSError as error:
        raise ArchiveFormatError(path=str(path), reason="unreadable_file") from error
    if not _reads_like_a_dump(head.getvalue()):
        reason = "pg_custom_format" if head.getvalue().startswith(b"PGDMP") else "not_a_dump"
        raise ArchiveFormatError(path=str(path), reason=reason)


@contextmanager
def open_dump(path: Path) -> Iterator[Dump]:
    """The dump in `path`, from its first line. Reading raises DumpCutError where the file is damaged."""
    with ExitStack() as stack:
        form = _form(path)
        if form == "tar":
            tar, file = stack.enter_context(open_tar(path))
            member = _dump_member(tar, path, lambda: None)
            inner = tar.extractfile(member) if member is not None else None
            if member is None or inner is None:
                raise ArchiveFormatError(path=str(path), reason="tar_without_dump")
            stream = cast(BinaryIO, _SmallReads(inner))
            zipped = member.name.endswith(".gz")
        else:
            file = stream = stack.enter_context(path.open("rb"))
            zipped = form == "gzip"
        if zipped:
            stream = cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=stream)))
        buffered = cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, stream), _BUFFER_BYTES))
        yield Dump(line=_Lines(buffered, file), position=file.tell)


class _SmallReads(io.RawIOBase):
    """Gives a tar's member in small pieces: tarfile gives nothing of a piece that the file's end cuts."""

    def __init__(self, member: IO[bytes]) -> None:
        super().__init__()
        self._member = member

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        data = self._member.read(min(len(view), _PIECE_BYTES))
        view[: len(data)] = data
        return len(data)


class _Lines:
    """The lines of a dump that `stream` unpacks from `file`, one a call; b"" at the end."""

    def __init__(self, stream: BinaryIO, file: BinaryIO) -> None:
        self._stream, self._file = stream, file
        self._unpacked = 0

    def __call__(self) -> bytes:
        line = self._piece()
        if len(line) < MAX_LINE_BYTES:
            return line
        while line and line[-1:] != b"\n":
            line = self._piece()
        return TOO_LONG if line else b""

    def _piece(self) -> bytes:
        piece = _read_line(self._stream)
        self._unpacked += len(piece)
        if self._unpacked > RATIO_FLOOR_BYTES and self._unpacked > MAX_RATIO * self._file.tell():
            raise DumpCutError("swollen")
        return piece


def _read_line(stream: BinaryIO) -> bytes:
    """A line, or the beginning of one that is too long."""
    try:
        return stream.readline(MAX_LINE_BYTES)
    except EOFError as error:
        raise DumpCutError("truncated") from error
    except tarfile.TarError as error:
        raise DumpCutError("truncated") from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise DumpCutError("corrupt") from error
    except OSError as error:
        raise DumpCutError("unreadable") from error


def is_tar(path: Path) -> bool:
    """Whether the file is a tar, compressed or not; False for a folder."""
    try:
        return path.is_file() and _form(path) == "tar"
    except (OSError, EOFError, zlib.error):
        return False


@contextmanager
def open_tar(path: Path) -> Iterator[tuple[tarfile.TarFile, BinaryIO]]:
    """A tar read as a stream, from first to last member, and the file under it."""
    with path.open("rb") as file, tarfile.open(fileobj=file, mode="r|*", tarinfo=_Member) as tar:
        yield tar, file


class _Member(tarfile.TarInfo):
    """A member whose long name is bounded: tarfile reads it into memory whatever length it claims."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.type in _LONG_NAMES and member.size > MAX_NAME_BYTES:
            raise tarfile.ReadError("the name of a member is too long")
        return member


def members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The members of a tar read as a stream, which tarfile would all keep in memory."""
    while (member := tar.next()) is not None:
        tar.members.clear()  # type: ignore[attr-defined]  # not in its stubs
        yield member


def _dump_member(tar: tarfile.TarFile, path: Path, check: Callable[[], None]) -> tarfile.TarInfo | None:
    """The dump inside a backup: a regular file, under a path that stays inside. Nothing is extracted."""
    most = max(RATIO_FLOOR_BYTES, MAX_RATIO * path.stat().st_size)
    for member in members(tar):
        check()
        if tar.offset > most:
            raise DumpCutError("swollen")
        name = PurePosixPath(member.name)
        is_inside = not name.is_absolute() and ".." not in name.parts
        if name.name in DUMP_NAMES and is_inside and member.isreg() and not member.issparse():
            return member
    return None


def _form(path: Path) -> _Form:
    with path.open("rb") as file:
        head = file.read(_TAR_MAGIC_AT + len(_TAR_MAGIC))
        if head.startswith(_GZIP_MAGIC):
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as unzipped:
                head = unzipped.read(_TAR_MAGIC_AT + len(_TAR_MAGIC))
            form: _Form = "gzip"
        else:
            form = "plain"
    return "tar" if head[_TAR_MAGIC_AT:] == _TAR_MAGIC else form


def _reads_like_a_dump(head: bytes) -> bool:
    return b"PostgreSQL database dump" in head or b"\nCOPY " in head or head.startswith(b"COPY ")
