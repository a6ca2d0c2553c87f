"""The files of a data folder beside databases and indexes: raw pages, measures, questions, logs, searches kept.

A file is replaced whole or not at all; a log is changed in its place, since a program goes on writing to it.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..keeping.contents import BACKUPS
from .erased import FOLDER
from .items import Eraser
from .redact import each_string

RAW, RECEIVED, LOGS, EXPORTS = "raw", "received", "logs", "exports"
ASIDE = ".damaged"  # in the names of databases that the doctor put aside
CERTIFICATES = "certificates"
# Databases and indexes are seen to elsewhere; settings and locks name no member; models and images hold no text.
_NOT_HERE = frozenset((FOLDER, CERTIFICATES, "indexes", "models", "uploads", RECEIVED, BACKUPS, EXPORTS, "jobs"))
_DATABASES = (".db", "-wal", "-shm", "-journal", ".sqlite3", ".damaged", ".lock")
SETTINGS = frozenset(("archiviste.toml", "settings.toml"))
MOST_BYTES = 500_000_000  # a larger file is told as unread
_LIMITS = re.compile(r'[<>"\n\t|]')  # where a text inside a text ends
_JSON_FORMS: tuple[dict[str, Any], ...] = (
    {"separators": (",", ":")}, {}, {"indent": 1}, {"indent": 2}, {"ensure_ascii": False},
    {"ensure_ascii": False, "indent": 1}, {"ensure_ascii": False, "indent": 2},
    {"ensure_ascii": False, "separators": (",", ":")},
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cleaner:
    """What is taken out of a file: what the list names, and every text that holds a fragment of an erased post."""

    eraser: Eraser
    fragments: frozenset[str] = frozenset()
    size: int = field(default=20)

    def text(self, text: str) -> str:
        """A text of a JSON document."""
        if self._tells(text):
            return self.eraser.erased.words.gap
        return self.eraser.text(text)

    def page(self, text: str) -> str:
        """A whole file: what stands between two marks goes where it tells of an erased post."""
        text = self.eraser.text(text)
        if not self._tells(text):
            return text
        pieces, done = [], 0
        for limit in (*_LIMITS.finditer(text), None):
            end = limit.start() if limit else len(text)
            part = text[done:end]
            pieces.append(self.eraser.erased.words.gap if self._tells(part) else part)
            pieces.append(limit[0] if limit else "")
            done = limit.end() if limit else end
        return "".join(pieces)

    def _tells(self, text: str) -> bool:
        if not self.fragments:
            return False
        said = " ".join(text.split()).lower()
        return any(said[n : n + self.size] in self.fragments for n in range(len(said) - self.size + 1))


def clean(data: Path, cleaner: Cleaner, *, dry: bool = False, check: Callable[[], None] = lambda: None) -> Counter[str]:
    """Clean every file of a data folder; how many files changed (or would, when `dry`), by the folder they stand in."""
    changed: Counter[str] = Counter()
    for below, path in _files(data):
        check()
        fresh = _cleaned(path, below, cleaner)
        if fresh is None:
            continue
        changed[below.split("/")[0] if "/" in below else "."] += 1
        if not dry:
            _write(path, fresh, in_place=below.startswith(f"{LOGS}/") or path.suffix == ".log")
    return changed


def copies(data: Path) -> tuple[Path, ...]:
    """What nothing can be taken out of, and lies in the data folder all the same: backups of the forum that were sent
    to the application, its own, and databases that were put aside."""
    found = [path for name in (RECEIVED, BACKUPS) for path in (data / name).rglob("*") if path.is_file()]
    found += [path for path in data.glob(f"*{ASIDE}*") if path.is_file()]
    return tuple(sorted(found))


def exports(data: Path) -> tuple[Path, ...]:
    """The exports that lie in the data folder; they can be made again."""
    return tuple(sorted((data / EXPORTS).iterdir())) if (data / EXPORTS).is_dir() else ()


def _files(data: Path) -> Iterator[tuple[str, Path]]:
    for parent, folders, names in os.walk(data):
        if Path(parent) == data:
            folders[:] = [name for name in folders if name not in _NOT_HERE]
        for name in sorted(names):
            path = Path(parent) / name
            below = path.relative_to(data).as_posix()
            if name.endswith(_DATABASES) or below in SETTINGS or path.is_symlink() or not path.is_file():
                continue
            yield below, path


def _cleaned(path: Path, below: str, cleaner: Cleaner) -> bytes | None:
    """The file as it should be, None when it is well as it is or is no text."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        held = path.read_bytes()
    except FileNotFoundError:
        return None
    if b"\0" in held[:8192]:
        return None
    text = held.decode("utf-8", "surrogateescape")
    fresh = None
    if path.suffix == ".json":
        fresh = json_text(text, cleaner, whole=below.startswith(f"{RAW}/"))
    elif path.suffix == ".jsonl":
        lines = [json_text(line, cleaner, whole=False) for line in text.split("\n")]
        if all(line is not None for line in lines):
            fresh = "\n".join(line for line in lines if line is not None)
    if fresh is None:
        fresh = cleaner.page(text)
    return None if fresh == text else fresh.encode("utf-8", "surrogateescape")


def json_text(text: str, cleaner: Cleaner, *, whole: bool) -> str | None:
    """A JSON text in the form it had; None when it is none."""
    if not text.strip():
        return text
    try:
        document = json.loads(text)
    except ValueError:
        return None
    fresh = cleaner.eraser.record(document) if whole and isinstance(document, dict) else document
    fresh = each_string(fresh, cleaner.text)
    if fresh == document:
        return text
    end = text[len(text.rstrip()) :]
    form = next((form for form in _JSON_FORMS if json.dumps(document, **form) == text.rstrip()), {"indent": 1})
    return json.dumps(fresh, **form) + end


def _write(path: Path, fresh: bytes, *, in_place: bool) -> None:
    if in_place:
        with path.open("r+b") as file:
            file.write(fresh)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        return
    beside = path.with_name(path.name + ".part")
    mode = path.stat().st_mode & 0o777
    with beside.open("wb") as file:
        file.write(fresh)
        file.flush()
        os.fsync(file.fileno())
    beside.chmod(mode)
    beside.replace(path)
