"""The child of the check: reads a folder block by block, compressed files as they are and as they are inside."""

from __future__ import annotations

import gzip
import json
import os
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from .needles import Needles
from .spellings import spellings

BLOCK = 1 << 22
SHORT = 5  # bytes; a shorter name counts between two bytes that no word holds, or every picture would hold it
DEPTH = 4  # a dump in a tar in a gzip
_FORMS = ("@{}", "/u/{}", "/users/{}", 'data-username="{}"', "data-username='{}'", '[quote="{}', "username:{}")
_UNREADABLE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, RuntimeError, NotImplementedError)


class Search:
    """What is looked for, in every spelling."""

    def __init__(self, asked: dict[str, Any]) -> None:
        names = [spelling for name in asked["names"] for spelling in spellings(name)]
        names += [s for name in asked["attributed"] for form in _FORMS for s in spellings(form.format(name))]
        self.names = sorted(set(names))
        self.fragments = Needles(s for fragment in asked["fragments"] for s in spellings(fragment, capitals=False))
        longer = {spelling for word in asked["excused"] for spelling in spellings(word)}
        self._excused = {
            name: [(word, word.find(name)) for word in longer if word.find(name) >= 0] for name in self.names
        }
        self.overlap = max([self.fragments.longest, *map(len, longer), *map(len, self.names), 64]) + 1

    def hits(self, block: bytes, fresh: int) -> tuple[int, int]:
        """(names, fragments) that end after the first `fresh` bytes of a lower-case block: the rest was read before."""
        names = 0
        for name in self.names:
            at = block.find(name)
            while at >= 0:
                names += at + len(name) > fresh and self._counts(block, at, name)
                at = block.find(name, at + 1)
        return names, sum(at + len(needle) > fresh for at, needle in self.fragments.find(block))

    def _counts(self, block: bytes, at: int, name: bytes) -> bool:
        if len(name) < SHORT:
            around = block[max(0, at - 1) : at] + block[at + len(name) : at + len(name) + 1]
            if any(_in_word(byte) for byte in around):
                return False
        return not any(at >= shift and block.startswith(word, at - shift) for word, shift in self._excused[name])


def streams(name: str, file: Any, depth: int = 0) -> Iterator[tuple[str, IO[bytes]]]:
    """The file itself, then what is inside when it is compressed."""
    head = file.read(6)
    file.seek(0)
    yield name, file
    if depth >= DEPTH:
        return
    file.seek(0)
    if head[:2] == b"\x1f\x8b":
        with gzip.open(file) as inside:
            yield from _unpacked(f"{name}!", inside, depth)
    elif head[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(file) as members:
            for member in members.infolist():
                with members.open(member) as inside:
                    yield from streams(f"{name}!{member.filename}", inside, depth + 1)


def _unpacked(name: str, file: Any, depth: int) -> Iterator[tuple[str, IO[bytes]]]:
    """What a gzip holds: a tar, or one file."""
    try:
        with tarfile.open(fileobj=file, mode="r:") as members:
            for member in members:
                inside = members.extractfile(member) if member.isreg() else None
                if inside is not None:
                    with inside:
                        yield from streams(f"{name}{member.name}", inside, depth + 1)
    except tarfile.ReadError:
        file.seek(0)
        yield name, file


def look(search: Search, file: IO[bytes]) -> tuple[int, int, int]:
    """(names, fragments, bytes read) of a stream."""
    names = fragments = read = 0
    kept = b""
    while piece := file.read(BLOCK):
        read += len(piece)
        block = kept + piece.lower()
        more = search.hits(block, len(kept))
        names, fragments = names + more[0], fragments + more[1]
        kept = block[-search.overlap :]
    return names, fragments, read


def files_of(folder: Path, skipped: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Every regular file below the folder, but for those whose path begins with one of `skipped`."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            below = path.relative_to(folder).as_posix()
            if path.is_file() and not below.startswith(tuple(skipped)):
                yield below, path


def main(_arguments: Sequence[str] = ()) -> int:
    """Do what standard input asks; the answer as JSON on standard output."""
    asked = json.loads(sys.stdin.buffer.read())
    search = Search(asked)
    files = read = 0
    hits: list[dict[str, object]] = []
    unread: list[str] = []
    for below, path in files_of(Path(asked["folder"]), asked["skipped"]):
        files += 1
        try:
            with path.open("rb") as file:
                for name, stream in streams(below, file):
                    names, fragments, more = look(search, stream)
                    read += more
                    if names or fragments:
                        hits.append({"file": name, "names": names, "fragments": fragments})
        except FileNotFoundError:  # removed meanwhile
            files -= 1
        except _UNREADABLE:
            unread.append(below)
    sys.stdout.write(json.dumps({"files": files, "bytes": read, "hits": hits, "unread": unread}))
    sys.stdout.flush()
    return 0


def _in_word(byte: int) -> bool:
    return byte >= 0x80 or chr(byte).isalnum() or byte == 0x5F


if __name__ == "__main__":
    sys.exit(main())
