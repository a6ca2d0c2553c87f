"""The doctor: what is wrong with a data folder, and what mends it. Looks without changing anything of the archive.

All it writes are the marks of indexes that must not be opened again (`index/seal.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from ..errors import ArchivisteError, SchemaTooNew
from ..index import generations, room
from ..live.raw_folder import FOLDER as RAW
from ..locks import WRITER_LOCK, is_locked
from ..seams import Models
from ..settings import Settings
from ..store import ArchiveStore, VectorStore
from ..store.archive import FILE as ARCHIVE
from ..store.integrity import sources
from ..store.sync_state import FILE as SYNC
from ..store.vectors import FILE as VECTORS
from . import databases, elsewhere, indexes, models, place
from .findings import Figure, Finding, Level, Repair, error, ok, warning

__all__ = ["Finding", "Level", "Repair", "examine"]


def examine(settings: Settings, loaded: Models, *, quick: bool) -> tuple[Finding, ...]:
    """Every check in its order. `quick` reads no post, no vector and no index: what a start can afford.

    Never raises for what it finds; a check that rests on something broken is left out.
    """
    return tuple(_examine(settings, loaded, quick))


def _examine(settings: Settings, loaded: Models, quick: bool) -> Iterator[Finding]:
    data = settings.data
    if not data.is_dir():
        yield warning("archive", "absent", path=str(data))
        return
    yield place.drive(data)
    yield place.folder(data)
    archive = _archive(data, quick=quick)
    yield archive
    vectors = databases.check("vectors", data / VECTORS, quick=quick, repair=Repair.SET_ASIDE)
    yield vectors
    if (data / RAW / SYNC).exists():
        yield databases.check("sync", data / RAW / SYNC, quick=quick)
    if archive.state == "sound" and vectors.level is Level.OK:
        with closing(ArchiveStore(data)) as store, closing(VectorStore(data)) as vector_store:
            yield from _of_indexes(settings, store, vector_store, loaded, quick)
    yield models.check(settings)


def _archive(data: Path, *, quick: bool) -> Finding:
    """archive.db, opened as the application does once it is known to be sound."""
    path = data / ARCHIVE
    found = databases.check("archive", path, quick=quick)
    if found.state == "absent":
        return warning("archive", "absent", path=str(data))
    if found.state == "sound":
        try:
            with closing(ArchiveStore(data)) as store:
                posts, topics, _ = store.counts()
            return ok("archive", "sound", path=str(path), posts=posts, topics=topics)
        except SchemaTooNew:
            return error("archive", "newer", path=str(path))
        except ArchivisteError as damaged:
            found = error("archive", "damaged", path=str(path), reason=str(damaged.details.get("reason", "")))
    # What it can be made of again: the sources that it names, and the topics that were fetched from the forum.
    fetched = sum(1 for _ in (data / RAW / "t").glob("*.json"))
    kept: dict[str, Figure] = {"sources": "\n".join(sources(path)), "raw": str(data / RAW), "fetched": fetched}
    return replace(found, figures={**found.figures, **kept})


def _of_indexes(
    settings: Settings, store: ArchiveStore, vectors: VectorStore, loaded: Models, quick: bool
) -> Iterator[Finding]:
    found = indexes.manifest(settings, store.counts()[0])
    yield found
    card = generations.read_manifest(settings)
    if found.state == "fits" and card is not None:
        if card.index_url is None:
            yield indexes.words(settings, store, card, quick=quick)
            yield indexes.meaning(settings, store, vectors, loaded, card, quick=quick)
        else:
            yield elsewhere.words(settings, store, vectors, card, quick=quick)
            yield elsewhere.meaning(settings, vectors, loaded, card, quick=quick)
    busy = is_locked(settings, WRITER_LOCK)
    left = indexes.leftovers(settings, writing=busy)
    if left:
        yield warning("leftovers", "found", Repair.SWEEP, folders=len(left), bytes=place.size(left))
    else:
        yield ok("leftovers", "busy" if busy else "none")
    yield place.disk(settings.data, _rebuild_bytes(settings, store, vectors, quick=quick))


def _rebuild_bytes(settings: Settings, store: ArchiveStore, vectors: VectorStore, *, quick: bool) -> int:
    """What an index built anew needs: by the estimates, or quickly by the one in use."""
    card = generations.read_manifest(settings)
    if quick and card is not None:
        names = {card.generation, card.dense_base or card.generation}
        return place.size(generations.folder_of(settings, name) for name in names)
    model = card.dense_model if card is not None else None
    rows = vectors.sample(model, 1) if model else None
    dimensions = rows.shape[1] if rows is not None else 0
    return room.rebuild_bytes(0 if quick else store.useful_chars(), vectors.passage_count(), dimensions)
