"""What is known of a vector index without opening it, since opening a damaged one can end the process.

Three files beside its folder: the seal (how its files were when they were built: reading never changes its graph), the
mark of one that must not be opened again, and a note that stands while a process has it open.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

DATABASE = "chroma.sqlite3"  # changes whenever it is opened, but never shrinks
LINKED = "index_metadata.pickle"  # without it no vector was linked yet, and what stands beside it means nothing
BLOCK = 1 << 22

FileState = tuple[int, int, str]  # bytes, time of the last change in ns, hash


@dataclass(frozen=True, slots=True)
class Seal:
    """The least size of the database, and the state of each file of the graph by its path in the folder."""

    database_bytes: int
    graph: Mapping[str, FileState]


def write(folder: Path) -> None:
    """Remember the files of a folder as they are now, read whole."""
    graph: dict[str, FileState] = {}
    for linked in folder.glob(f"*/{LINKED}"):
        for path in sorted(linked.parent.iterdir()):
            stat = path.stat()
            graph[path.relative_to(folder).as_posix()] = (stat.st_size, stat.st_mtime_ns, _digest(path))
    seal = Seal((folder / DATABASE).stat().st_size, graph)
    with suppress(OSError):  # on a disk that can't be written the folder is only looked at more closely each time
        _replace(_beside(folder, "seal"), json.dumps(asdict(seal)))


def is_sealed(folder: Path) -> bool:
    """Whether it is known how the files of a folder should be."""
    return _seal(folder) is not None


def flaw(folder: Path, *, thorough: bool = False) -> str | None:
    """Why a folder must not be opened: the reason of its mark, or the file that is not as it was sealed.

    A file of the same size and time is taken for the same, unless `thorough`.
    """
    if (reason := marked(folder)) is not None:
        return reason
    seal = _seal(folder)
    if seal is None:
        return None
    moved, name = False, DATABASE
    try:
        if (folder / DATABASE).stat().st_size < seal.database_bytes:
            return DATABASE
        for name, (size, time_ns, digest) in seal.graph.items():
            stat = (folder / name).stat()
            if stat.st_size != size:
                return Path(name).name
            if thorough or stat.st_mtime_ns != time_ns:
                if _digest(folder / name) != digest:
                    return Path(name).name
                moved = moved or stat.st_mtime_ns != time_ns
    except OSError:  # gone, or on a part of the disk that can't be read
        return Path(name).name
    if moved:  # the data folder was copied
        write(folder)
    return None


# --- the mark ---


def mark(folder: Path, reason: str) -> None:
    """From now on nobody opens this folder; an index built anew stands in another."""
    with suppress(OSError):
        _replace(_beside(folder, "damaged"), reason or "?")


def marked(folder: Path) -> str | None:
    """Why this folder was marked, None when it was not."""
    return _text(_beside(folder, "damaged"))


# --- the note of who has it open; call with the lock of the folder held ---


def died(folder: Path) -> int | None:
    """How many in a row died of their first search in this folder; None when the last to open it let go of it."""
    text = _text(_beside(folder, "open"))
    return None if text is None else int(text) if text.isdigit() else 0


def opened(folder: Path, *, tries: int = 0) -> None:
    """This process has it open; so many before it died of their first search."""
    with suppress(OSError):
        _beside(folder, "open").write_text(str(tries), "ascii")


def closed(folder: Path) -> None:
    """This process let go of it."""
    with suppress(OSError):
        _beside(folder, "open").unlink(missing_ok=True)


def _beside(folder: Path, kind: str) -> Path:
    return folder.with_name(f"{folder.name}.{kind}")


def _seal(folder: Path) -> Seal | None:
    try:
        document = json.loads(_text(_beside(folder, "seal")) or "")
        graph = {
            name: (int(size), int(time_ns), str(digest)) for name, (size, time_ns, digest) in document["graph"].items()
        }
        return Seal(int(document["database_bytes"]), graph)
    except (ValueError, TypeError, KeyError, AttributeError):  # no seal, or one that a power cut left in part
        return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except OSError:
        return None


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)


def _digest(path: Path) -> str:
    hasher = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            hasher.update(block)
    return hasher.hexdigest()
