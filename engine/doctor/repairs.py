"""What mends a data folder, short of the indexing itself. Nothing here touches archive.db or what was fetched."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from ..index import generations
from ..locks import writing
from ..settings import Settings
from . import indexes
from .findings import Finding, Level, Repair

BESIDE = ("", "-wal", "-shm")  # a SQLite file and what belongs to it


def sweep(settings: Settings) -> None:
    """Remove what interrupted builds left. Raises StoreBusy while something else writes."""
    with writing(settings):
        generations.sweep(settings)


def condemn(settings: Settings, findings: Iterable[Finding]) -> None:
    """Have the next indexing build anew what is broken, whatever it believes of it. Raises StoreBusy."""
    broken = frozenset(f.check for f in findings if f.level is Level.ERROR and f.repair is Repair.REBUILD)
    with writing(settings):
        indexes.condemn(settings, broken)


def set_aside(path: Path) -> Path:
    """Give a database another name, under which it stays; the new path. Raises OSError where it is open (Windows)."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    aside = path.with_name(f"{path.name}.{stamp}.damaged")
    for end in BESIDE:
        part = path.with_name(path.name + end)
        if part.exists():
            part.rename(aside.with_name(aside.name + end))
    return aside
