"""Fetches the newest snapshot of a source into a folder of its own; whatever fails, what is there stays as it was.

File by file: what was fetched and verified stays for the next try, what is there already is not fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import SnapshotUnusable
from ..keeping.disk import Meter, check_room, told
from ..progress import OnProgress
from ..settings import Settings, index_fingerprint
from . import card as cards
from . import folder as places
from .card import Card, File
from .source import Source

STAGE = "fetch"


def fetch(
    source: Source,
    folder: Path,
    settings: Settings,
    *,
    held: Card | None,
    schemas: Mapping[str, int],
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Card | None:
    """The newest snapshot of a source, all of it in the folder; None when it is the one that is held.

    `schemas` are the newest that this version reads. Call while nobody else fetches there. Raises DiskFull, StoreError,
    and SnapshotUnusable: also for one that is older than what is held, or that was made with other settings.
    """
    name = source.current()
    if held is not None and name == held.name:
        return None
    card = cards.read(source.text(f"{name}{places.CARD}", cards.MOST_BYTES), place=source.said, schemas=schemas)
    if card.name != name:
        raise SnapshotUnusable(path=source.said, reason="damaged")
    if held is not None and card.serial <= held.serial:
        raise SnapshotUnusable(path=source.said, reason="older", offered=card.made_at, held=held.made_at)
    if card.fingerprint != index_fingerprint(settings):
        raise SnapshotUnusable(path=source.said, reason="settings")
    with told(folder, full="fetch"):
        places.prepare(folder)
        missing = _missing(folder, card)
        size = sum(file.size for file in missing)
        check_room(folder, size, reason="fetch_forecast")
        meter = Meter(STAGE, size, on_progress, check)
        for file in missing:
            _fetch(source, folder, file, meter)
        places.add(folder, card)
    return card


def _missing(folder: Path, card: Card) -> list[File]:
    """The contents that are not there, each once."""
    found: dict[str, File] = {}
    for file in card.files:
        path = places.contents(folder, file.sha256)
        if not path.is_file() or path.stat().st_size != file.size:
            found[file.sha256] = file
    return [*found.values()]


def _fetch(source: Source, folder: Path, file: File, meter: Meter) -> None:
    with places.making(folder) as fresh:
        source.take(file.sha256, file.size, fresh, meter.add)
        if fresh.stat().st_size != file.size or places.sha256_of(fresh, lambda: meter.add(0)) != file.sha256:
            raise SnapshotUnusable(path=source.said, reason="damaged", file=file.path)
        fresh.replace(places.contents(folder, file.sha256))
