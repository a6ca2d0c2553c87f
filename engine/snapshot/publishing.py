"""Publishes a snapshot: the archive as the published generation knows it, and the files of that generation.

All under the lock of the writers: nothing is published while the archive is ahead of its index, so that what a reader
finds by the index is what the archive holds. What has not changed since the snapshot before is neither copied nor read.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ..answer.gate import FILE as GATE
from ..answer.zones import FILE as ZONES
from ..erase import erased as erase_list
from ..errors import SettingsError
from ..index import generations
from ..index.generations import BASE, Manifest
from ..keeping.contents import generation_files
from ..keeping.disk import PIECE, Meter, check_room, told
from ..locks import locked_at, writing
from ..progress import OnProgress
from ..retrieve.combine import FILE as COMBINATION
from ..settings import Settings
from ..store import ArchiveStore, snapshots
from ..store.archive import FILE as ARCHIVE
from ..store.files import FOLDER as UPLOADS
from ..store.snapshots import ENDINGS
from ..store.vectors import FILE as VECTORS
from . import folder as places
from .card import Card, File

LOCK: Final = "publish.lock"
STAGE: Final = "snapshot"
KEPT: Final = 2  # snapshots: somebody may be fetching the last but one
ERASED: Final = f"{erase_list.FOLDER}/{erase_list.FILE}"
# What the moderators of an archive taught it, and what must not come back into what a reader keeps of its own.
BESIDE: Final = (GATE, ZONES, COMBINATION, ERASED)
ENGINE: Final = "indexes/ENGINE"  # whose collections they are on an engine elsewhere


@dataclass(frozen=True, slots=True)
class _Work:
    settings: Settings
    folder: Path
    before: Mapping[str, File]  # of the snapshot before, by path
    meter: Meter


def publish(
    settings: Settings,
    folder: Path,
    *,
    application: str = "",
    primary: str = "",
    verify: bool = False,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
    now: datetime | None = None,
) -> Card | None:
    """Publish what is indexed now, unless the newest snapshot is that already; the newest snapshot then.

    None while there is no index, or while the archive is ahead of it: the snapshot before stays. With `verify`, what
    lies in the folder is read, and what is damaged there is published again. `check` may raise Cancelled. Raises
    StoreBusy while something writes or somebody else publishes, DiskFull, StoreDamaged, StoreError, and SettingsError
    for a folder inside the data folder.
    """
    if folder.resolve().is_relative_to(settings.data.resolve()):
        raise SettingsError(key="snapshots", value=str(folder), reason="inside")
    with told(folder, full="snapshot"):
        places.prepare(folder)
        with locked_at(folder / LOCK, reason="publishing"), writing(settings):
            before = places.current(folder)
            if verify and before is not None:
                places.forget_damaged(folder, before, check)
            return _publish(
                settings, folder, before, application, primary, on_progress, check, now or datetime.now(UTC)
            )


def _publish(
    settings: Settings, folder: Path, before: Card | None, application: str, primary: str, on_progress: OnProgress,
    check: Callable[[], None], now: datetime,
) -> Card | None:  # fmt: skip
    manifest, erased = generations.read_manifest(settings), _erased(settings.data)
    if manifest is None:
        return None
    try:
        # 1. What there is to publish.
        with closing(ArchiveStore(settings.data)) as store:
            state = _state(settings, store, manifest)
            if before is not None and before.state == state and _is_whole(folder, before):
                return before
            if store.state() != manifest.store_state:
                return None
            title, (posts, topics, _categories) = store.meta("title"), store.counts()
        # 2. Its files, then its card, and only then its name.
        schemas, files = _files(settings, folder, manifest, before, on_progress, check)
        check()
        serial = max(before.serial + 1 if before else 0, int(now.timestamp() * 1000))
        card = Card(
            name=f"{serial:013d}-{secrets.token_hex(4)}", serial=serial, made_at=now.isoformat(timespec="seconds"),
            application=application, generation=manifest.generation, fingerprint=manifest.fingerprint, state=state,
            erased=erased, title=title, posts=posts, topics=topics, schemas=schemas, files=files, primary=primary,
        )  # fmt: skip
        places.add(folder, card)
        places.point(folder, card)
        return card
    finally:  # whatever happened: what was erased must not stay in an older snapshot
        places.sweep(folder, keep=KEPT, erased=erased)


def _files(
    settings: Settings, folder: Path, manifest: Manifest, before: Card | None, on_progress: OnProgress,
    check: Callable[[], None],
) -> tuple[dict[str, int], tuple[File, ...]]:  # fmt: skip
    """The schemas of the databases, and every file, its contents in the folder."""
    databases = [ARCHIVE] if manifest.index_url is not None else [ARCHIVE, VECTORS]
    paths = tuple(_paths(settings))
    check_room(folder, sum((settings.data / name).stat().st_size for name in databases), reason="snapshot_forecast")
    total = sum((settings.data / path).stat().st_size for path in (*databases, *paths))
    known = {file.path: file for file in before.files} if before else {}
    work = _Work(settings, folder, known, Meter(STAGE, total, on_progress, check))
    schemas, files = _databases(work, databases)
    return schemas, (*files, *(_kept(work, path) for path in paths))


def _state(settings: Settings, store: ArchiveStore, manifest: Manifest) -> str:
    """What names all that a snapshot is made of: every import leaves its number, every other file its time."""
    (newest,) = store.row("SELECT COALESCE(MAX(id), 0) FROM imports") or (0,)
    hasher = hashlib.sha256(f"{manifest.generation} {newest}".encode())
    for name in BESIDE:
        with suppress(FileNotFoundError):
            stat = (settings.data / name).stat()
            hasher.update(f"\n{name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return hasher.hexdigest()


def _erased(data: Path) -> str:
    """What names the list of what was erased, empty where nothing was."""
    try:
        return hashlib.sha256(erase_list.path_of(data).read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _is_whole(folder: Path, card: Card) -> bool:
    """Whether all the contents of a snapshot are there by their sizes."""
    try:
        return all(places.contents(folder, file.sha256).stat().st_size == file.size for file in card.files)
    except OSError:
        return False


def _paths(settings: Settings) -> Iterator[str]:
    """Every file but the databases of the archive, by its path in the data folder."""
    yield from generation_files(settings)[1]
    yield from (name for name in (*BESIDE, ENGINE) if (settings.data / name).is_file())
    for parent, _folders, names in os.walk(settings.data / UPLOADS):
        for name in sorted(names):
            path = Path(parent) / name
            if path.is_file() and not name.endswith(places.PART):
                yield path.relative_to(settings.data).as_posix()


def _databases(work: _Work, names: list[str]) -> tuple[dict[str, int], list[File]]:
    """Copies of the databases, made so that a reader opens them without changing a byte; and their schemas."""
    schemas, files, data = {}, [], work.settings.data
    with snapshots.moment([data / name for name in names]) as opened:
        for name in names:
            path = data / name
            with places.making(work.folder) as fresh:
                snapshots.copy(path, opened[path], fresh, on_bytes=work.meter.part(snapshots.size(opened[path])))
                schemas[name] = snapshots.schema(fresh)
                snapshots.leave_to_readers(fresh)
                files.append(_stored(work, name, fresh))
    return schemas, files


def _kept(work: _Work, path: str) -> File:
    """One of the other files: what the snapshot before has of it, else a link to it, else a copy."""
    source = work.settings.data / path
    known = work.before.get(path)
    if known is not None and _is_same(work, path, source, places.contents(work.folder, known.sha256)):
        work.meter.add(known.size)
        return known
    with places.making(work.folder) as fresh:
        if path.endswith(ENDINGS):  # the vectors of a generation: whoever reads them writes to this file
            with snapshots.moment([source]) as opened:
                snapshots.copy(source, opened[source], fresh)
        elif path in BESIDE:  # edited in place by people
            shutil.copy2(source, fresh)
        else:
            _link(source, fresh)
        return _stored(work, path, fresh, meter=work.meter)


def _is_same(work: _Work, path: str, source: Path, contents: Path) -> bool:
    """Whether contents are still those of a file, without reading either."""
    try:
        held, now = contents.stat(), source.stat()
    except OSError:
        return False
    if path.endswith(ENDINGS):  # it is filled once; what a reader changes in it is nothing that is read
        return f"/{BASE}/" in path
    return os.path.samestat(held, now) or (held.st_size, held.st_mtime_ns) == (now.st_size, now.st_mtime_ns)


def _stored(work: _Work, path: str, fresh: Path, *, meter: Meter | None = None) -> File:
    """A file that was made, under the name of its contents."""
    hasher, size = hashlib.sha256(), 0
    with fresh.open("rb") as file:
        while piece := file.read(PIECE):
            hasher.update(piece)
            size += len(piece)
            if meter is not None:
                meter.add(len(piece))
        os.fsync(file.fileno())
    fresh.replace(places.contents(work.folder, hasher.hexdigest()))
    return File(path, size, hasher.hexdigest())


def _link(source: Path, target: Path) -> None:
    """The same file under another name: nobody changes it. A copy with its time where there are no hard links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
