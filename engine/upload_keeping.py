"""The import's second half: images and files that public posts show, out of the source into the data folder.

Only what a held post shows is ever looked for, by its name; a source that is read again goes on where it was left.
"""

from __future__ import annotations

import errno
import logging
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from .discourse import upload_files, upload_names
from .discourse.upload_files import UploadsCutError
from .errors import DiskFull, StoreError
from .settings import Settings
from .sources import Upload, UploadsReport
from .store import ArchiveStore, files
from .store.files import Kept
from .values import OnProgress, Progress

STAGE = "sync_uploads"
MEGABYTE = 1_000_000
MAX_FILE_BYTES = 500 * MEGABYTE
RESERVE_BYTES = 500 * MEGABYTE  # left free on the disk, for the indexes
FILES_BETWEEN_RECORDS = 50
_log = logging.getLogger(__name__)


def keep(
    settings: Settings,
    store: ArchiveStore,
    source: Path,
    known: Sequence[Upload],
    *,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> UploadsReport | None:
    """Keep what held posts show of a source, the newest posts first, until the quota is full.

    None when the source says nothing of files, or none are wanted. `known` is the forum's own table of files.
    Raises DiskFull and StoreError; what was kept before stays.
    """
    quota = settings.import_uploads_mb * MEGABYTE
    if not quota or not upload_files.has_files(source):
        return None
    files.sweep(store)
    held = files.present(settings.data, files.kept(store))
    plan = _Plan(store.upload_urls(), known, store.meta("base_url"), held)
    files.record(store, plan.aliases)
    wanted, no_room = plan.choose(quota - files.disk_bytes(store))
    fetched, finished = 0, True
    try:
        for batch in _batches(_written(settings.data, source, wanted, plan, on_progress, check)):
            files.record(store, batch)
            fetched += len(batch)
    except UploadsCutError as cut:
        _log.warning("the files of this source end before their end: %s", cut.code)
        finished = False
    kept = files.present(settings.data, files.kept(store))
    no_room += len(plan.too_large)
    absent = sum(url not in kept for url in plan.places) - no_room
    return UploadsReport(fetched, len(kept), files.disk_bytes(store), max(0, absent), no_room, finished)


def waiting(store: ArchiveStore, data: Path, source: Path, known: Sequence[Upload]) -> tuple[int, int]:
    """(addresses that held posts show and whose file is kept, those that are not and that the source holds)."""
    held = files.present(data, files.kept(store))
    plan = _Plan(store.upload_urls(), known, store.meta("base_url"), held)
    missing = len(plan.aliases)
    try:
        for found in upload_files.find(source, plan.urls_of, check=lambda: None) if plan.urls_of else ():
            missing += len(plan.urls_of[found.place])
    except UploadsCutError as cut:
        _log.warning("the files of this source end before their end: %s", cut.code)
    return len(held), missing


class _Plan:
    """Which file of the source each address that posts show stands for; an address already held is not in it."""

    def __init__(self, urls: Sequence[str], known: Sequence[Upload], base_url: str, held: dict[str, Kept]) -> None:
        by_url = {upload.url: upload for upload in known}
        by_sha1 = {upload.sha1: upload for upload in known if upload.sha1}
        for url in urls:  # without the forum's table the posts themselves tell where an original is
            if (sha1 := _own_sha1(url)) and upload_names.place_of(url, base_url):
                by_sha1.setdefault(sha1, Upload(url, sha1))
        contents = {sha1: kept for url, kept in held.items() if (sha1 := _own_sha1(url))}
        self.places: dict[str, str] = {}  # url → place, for those to look for
        self.aliases: list[Kept] = []  # other addresses of what is held
        self.urls_of: dict[str, list[str]] = {}
        self.names: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self.too_large: set[str] = set()
        for url in urls:
            if url in held:
                continue
            sha1 = upload_names.sha1_of(url)
            upload = by_url.get(url) or by_sha1.get(sha1)
            if upload is not None and upload.original:
                upload = by_url.get(upload.original, upload)
            if sha1 in contents:
                same = contents[sha1]
                self.aliases.append(Kept(url, same.stored, same.size, same.name))
                continue
            place = _place(upload.url, base_url) if upload is not None else upload_names.place_of(url, base_url)
            if place:
                self.places[url] = place
                self.urls_of.setdefault(place, []).append(url)
                self.names[place] = (upload.name if upload is not None else "") or place.rpartition("/")[2]
                self.sizes[place] = upload.size if upload is not None else 0

    def choose(self, room: int) -> tuple[list[str], int]:
        """(places that the room suffices for, in the order of the addresses; how many addresses it does not)."""
        chosen: list[str] = []
        no_room = 0
        for place, urls in self.urls_of.items():
            if self.sizes[place] > min(room, MAX_FILE_BYTES) or room <= 0:
                no_room += len(urls)
            else:
                room -= self.sizes[place]
                chosen.append(place)
        return chosen, no_room

    def kept(self, place: str, stored: str, size: int) -> Iterator[Kept]:
        """The file under each of its addresses."""
        return (Kept(url, stored, size, self.names[place]) for url in self.urls_of[place])


def _own_sha1(url: str) -> str:
    """Of the content under this address, "" for a smaller copy, whose name tells that of its original."""
    return "" if upload_names.is_copy(url) else upload_names.sha1_of(url)


def _place(url: str, base_url: str) -> str:
    """Where a backup keeps a file of the forum's table, those of an outside store (S3) too."""
    place = upload_names.place_of(url, base_url)
    if place or "//" not in url:
        return place
    for folder in ("original", "optimized"):
        before, found, after = url.partition(f"/{folder}/")
        if found and before:
            return upload_names.place_of(f"/uploads/default/{folder}/{after}", "")
    return ""


def _written(
    data: Path,
    source: Path,
    wanted: Sequence[str],
    plan: _Plan,
    on_progress: OnProgress,
    check: Callable[[], None],
) -> Iterator[Kept]:
    """Each file as it has been written."""
    if not wanted:
        return
    started, done = time.monotonic(), 0
    on_progress(Progress(STAGE, 0, len(wanted)))
    for found in upload_files.find(source, wanted, check=check):
        try:
            free = shutil.disk_usage(data).free - RESERVE_BYTES
            stored, size = files.write(data, found.stream, max_bytes=min(free, MAX_FILE_BYTES))
        except files.FileTooLarge:
            plan.too_large.update(plan.urls_of[found.place])
            continue
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(path=str(data / files.FOLDER)) from error
            raise StoreError(path=str(data / files.FOLDER), reason=error.strerror or str(error)) from error
        yield from plan.kept(found.place, stored, size)
        done += 1
        elapsed_s = time.monotonic() - started
        share = found.position / found.total if found.total else 1.0
        left_s = elapsed_s * (1 - share) / share if share else None
        on_progress(Progress(STAGE, done, len(wanted), left_s=left_s))
    on_progress(Progress(STAGE, len(wanted), len(wanted)))


def _batches(written: Iterator[Kept]) -> Iterator[list[Kept]]:
    """By some at a time; what was written when the source ends is given before its error passes on."""
    batch: list[Kept] = []
    try:
        for kept in written:
            batch.append(kept)
            if len(batch) >= FILES_BETWEEN_RECORDS:
                yield batch
                batch = []
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
