"""The archive at hand: how many posts it has, and what it weighs on the disk. Reads sizes, opens no index."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine import Settings
from engine.doctor.place import size
from engine.index import generations
from engine.store import ArchiveStore


@dataclass(frozen=True, slots=True)
class Here:
    """What the archive holds now. `figures` has the names of `points.Point`."""

    posts: int
    vectors: int
    chars: int
    figures: Mapping[str, float]


def look(settings: Settings) -> Here:
    """The archive of these settings. Raises StoreError and what else opening it may."""
    manifest = generations.read_manifest(settings)
    with closing(ArchiveStore(settings.data)) as store:
        posts, chars = store.counts()[0], store.useful_chars()
    return Here(posts, manifest.dense_vectors if manifest else 0, chars, figures(settings))


def figures(settings: Settings) -> dict[str, float]:
    """Bytes of the databases and of the published generation; what it lacks, or has elsewhere, is not among them."""
    data = settings.data
    found = {
        name: sum(_bytes(data / f"{file}{end}") for end in ("", "-wal"))
        for name, file in (("archive_bytes", "archive.db"), ("vectors_db_bytes", "vectors.db"))
    }
    manifest = generations.read_manifest(settings)
    if manifest is not None:
        own = generations.folder_of(settings, manifest.generation)
        found["words_bytes"] = size([own]) - size([own / generations.BASE]) - _bytes(own / generations.PLACES)
        if manifest.dense_base is not None:
            base = generations.folder_of(settings, manifest.dense_base)
            patch = _bytes(own / generations.PATCH)
            found["graph_bytes"] = size([base / generations.BASE]) + _bytes(base / generations.PLACES) + patch
            found["words_bytes"] -= patch
    return {name: float(value) for name, value in found.items() if value}


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
