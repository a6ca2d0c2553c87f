"""Finds and loads JSON files saved from a Discourse, one at a time, and narrows their values.

Knows nothing about topics or posts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

LIST_NAMES = ("categories.json", "site.json")
_MAX_ID = 2**63 - 1  # of SQLite
_MAX_FILE_BYTES = 1 << 28  # the longest topic known, 22,000 posts, takes 60 MB
# Values take up to 25 times their bytes in memory ("{},{},…"): 700 MB for so many. That topic has 2.5 million.
_MAX_VALUES = 10_000_000

Record = Mapping[str, object]


class BadJsonError(Exception):
    """A file that holds no JSON object; `code` says why, `line` where (0 when it is not about a line)."""

    def __init__(self, code: str, line: int = 0) -> None:
        super().__init__(code)
        self.code = code
        self.line = line


@dataclass(frozen=True, slots=True)
class SavedFolder:
    """The JSON files under a folder. `files` are relative to `root`, sorted; `lists` describe the forum."""

    root: Path
    files: tuple[str, ...]
    lists: tuple[Path, ...]


def find(root: Path, *, check: Callable[[], None]) -> SavedFolder:
    """Every `*.json` below `root` (links to folders are not followed), category lists apart."""
    files: list[str] = []
    lists: list[Path] = []
    for folder, _, names in os.walk(root):
        check()
        for name in names:
            if name in LIST_NAMES:
                lists.append(Path(folder, name))
            elif name.endswith(".json"):
                files.append(Path(folder, name).relative_to(root).as_posix())
    if root.name == "t":  # the user chose the inner folder
        lists.extend(path for name in LIST_NAMES if (path := root.parent / name).is_file())
    return SavedFolder(root, tuple(sorted(files, key=_by_number)), tuple(sorted(lists)))


def load(path: Path) -> Record:
    """The JSON object in a file; raises BadJsonError when there is none."""
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise BadJsonError("file_too_large")
        data = path.read_bytes()
        if sum(map(data.count, (b",", b"{", b"["))) > _MAX_VALUES:
            raise BadJsonError("file_too_large")
        loaded = json.loads(data)
    except json.JSONDecodeError as error:
        raise BadJsonError("bad_json", error.lineno) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, an endless number, or nested without end
        raise BadJsonError("bad_json") from error
    except OSError as error:
        raise BadJsonError("unreadable_file") from error
    if not isinstance(loaded, dict):
        raise BadJsonError("not_an_object")
    return loaded


def place(name: str, bad: BadJsonError) -> str:
    """Where a flaw stands, as flaws name it: "t/12.json:3"."""
    return f"{name}:{bad.line}" if bad.line else name


def identifier(record: Record, key: str) -> int | None:
    """A positive 64-bit integer, None when the value is anything else."""
    value = integer(record, key)
    return value if value is not None and value > 0 else None


def identifiers(record: Record, key: str) -> list[int]:
    """The positive 64-bit integers of a list, without what else stands in it."""
    values = record.get(key)
    return [v for v in values if type(v) is int and 0 < v <= _MAX_ID] if isinstance(values, list) else []


def integer(record: Record, key: str) -> int | None:
    """A 64-bit integer, None when the value is anything else (true is not 1)."""
    value = record.get(key)
    return value if type(value) is int and abs(value) <= _MAX_ID else None


def string(record: Record, key: str) -> str:
    """A string, "" when the value is anything else."""
    value = record.get(key)
    return value if isinstance(value, str) else ""


def moment(record: Record, key: str) -> datetime | None:
    """A time, taken as UTC when it does not say; None when the value is anything else."""
    value = record.get(key)
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def record_at(record: Record, key: str) -> Record:
    """An inner object, empty when the value is anything else."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def records_at(record: Record, key: str) -> list[Record]:
    """The objects of a list, without what else stands in it."""
    value = record.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _by_number(name: str) -> tuple[str, int, str]:
    path = PurePosixPath(name)
    stem = path.stem
    number = int(stem) if stem.isascii() and stem.isdigit() and len(stem) < 19 else 0
    return str(path.parent), number, name
