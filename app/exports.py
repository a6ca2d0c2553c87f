"""Exports of the archive: making one, and those that the page left in the data folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from engine import Progress, Settings
from engine.export import Exported, export
from engine.export.target import SUFFIX

from .job_states import Kind, Work

FOLDER: Final = "exports"  # of the data folder
FORMATS: Final = ("json", "html")


@dataclass(frozen=True, slots=True)
class Kept:
    """An export in the data folder."""

    path: Path
    made_at: datetime


def make(
    engine: Settings,
    folder: Path,
    format_: str,
    *,
    on_progress: Callable[[Progress], None],
    check: Callable[[], None] = lambda: None,
) -> Exported:
    """An export in this folder. Raises ExportRefused, DiskFull, StoreError, Cancelled; nothing is left of it then."""
    from .export_words import look  # with what sanitises posts

    _forget_unfinished(engine.data)
    if format_ == "html":
        return export(engine, folder, "html", look=look(engine.data), on_progress=on_progress, check=check)
    return export(engine, folder, "json", on_progress=on_progress, check=check)


def work(folder: Path, format_: str) -> Work:
    """The job that makes an export."""
    return Work(Kind.EXPORT, (str(folder.absolute()),), measured=(format_,))


def new_folder(data: Path, format_: str) -> Path:
    """A folder of the data folder that no export has yet."""
    stamp = datetime.now(UTC).astimezone().strftime("%Y-%m-%d-%H%M%S")
    return data / FOLDER / f"archive-{format_}-{stamp}"


def kept(data: Path) -> tuple[Kept, ...]:
    """The exports of the data folder, the newest first."""
    root = data / FOLDER
    found = [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []
    whole = [Kept(path, _made_at(path)) for path in found if not path.name.endswith(SUFFIX)]
    return tuple(sorted(whole, key=lambda one: one.made_at, reverse=True))


def remove(data: Path, name: str) -> None:
    """Remove an export of the data folder; nothing when there is none of this name."""
    for one in kept(data):
        if one.path.name == name:
            shutil.rmtree(one.path)


def _forget_unfinished(data: Path) -> None:
    """What killed exports left in the data folder, unless it may still be in the making."""
    for left in (data / FOLDER).glob(f"*{SUFFIX}"):
        if datetime.now(UTC) - _made_at(left) > timedelta(days=1):
            shutil.rmtree(left, ignore_errors=True)


def _made_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
