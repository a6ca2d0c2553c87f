"""Images and files that held posts show, fetched up to a quota and kept under `uploads/` as data, never run.

Only files of the forum itself, by their public address and without any key. Knows nothing of what shows them.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..discourse.address import Address
from ..discourse.api import Forum, Gone
from ..errors import ForumUnavailable
from ..settings import Settings
from ..sources import UploadsReport
from ..store import ArchiveStore, files
from ..store.sync_state import SyncState
from .steps import Steps

FOLDER = "uploads"
HELD, ABSENT = "held", "absent"
MEGABYTE = 1_000_000
MAX_FILE_BYTES = 20 * MEGABYTE
# Parts of a path as Discourse makes them. Not more: no "..", no drive or device of any system, no hidden file.
_PART = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_-]{0,63}")
_NAME = re.compile(r"[0-9A-Za-z_-]{16,64}(?:_[0-9]{1,3}_[0-9]{1,5}x[0-9]{1,5})?\.[0-9A-Za-z]{1,8}")
_DEVICES = frozenset(["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))])
_MAX_PARTS = 12
_log = logging.getLogger(__name__)


def fetch(settings: Settings, forum: Forum, state: SyncState, store: ArchiveStore, steps: Steps) -> UploadsReport:
    """Fetch what is missing, of the newest posts first, until the quota is full. Files no post shows any more go."""
    root, quota = settings.data / FOLDER, settings.sync_uploads_mb * MEGABYTE
    kept = files.present(settings.data, files.kept(store))  # by a backup
    urls = (url for url in store.upload_urls() if url not in kept)
    wanted = dict.fromkeys(path for url in urls if (path := local_path(url, forum.where)) is not None)
    known = state.uploads()
    sizes: dict[str, int] = {}
    for path, what in known.items():
        if what == HELD and path not in wanted:
            (root / path).unlink(missing_ok=True)
            state.set_upload(path, None)
        elif what == HELD and (root / path).is_file():
            sizes[path] = (root / path).stat().st_size
    fetched = no_room = 0
    missing = [path for path in wanted if path not in sizes and known.get(path) != ABSENT]
    steps.begin("sync_uploads", len(missing))
    finished = True
    for done, path in enumerate(missing, start=1):
        room = min(quota - sum(sizes.values()), MAX_FILE_BYTES)
        try:
            size = _fetch_one(forum, path, root, room) if room > 0 else None
        except ForumUnavailable as error:  # what matters more, the messages, is in the archive
            _log.warning("uploads are left for later: %s", error)
            finished = False
            break
        if isinstance(size, Gone):
            state.set_upload(path, ABSENT)
        elif size is None:
            no_room += 1
        else:
            state.set_upload(path, HELD)
            sizes[path] = size
            fetched += 1
        steps.step(done)
    absent = sum(what == ABSENT for path, what in state.uploads().items() if path in wanted)
    return UploadsReport(fetched, len(sizes), sum(sizes.values()), absent, no_room, finished)


def local_path(url: str, where: Address) -> str | None:
    """Where a file goes below `uploads/`, None when it is not a public upload of this forum.

    "/uploads/default/original/1X/0123….png" goes to "default/original/1X/0123….png".
    """
    base = where.base_url
    try:
        if url.startswith("//"):
            url = base.partition("//")[0] + url
        if "://" in url:
            if not url.lower().startswith(base.lower() + "/"):
                return None
            url = url[len(base) :]
        path = urlsplit(url).path
    except ValueError:
        return None
    folder = urlsplit(base).path
    path = path.removeprefix(folder) if folder else path
    top, *parts = unquote(path).removeprefix("/").split("/")
    if top != "uploads" or not 2 <= len(parts) <= _MAX_PARTS:
        return None
    *folders, name = parts
    good = all(_PART.fullmatch(part) and part.lower() not in _DEVICES for part in folders) and _NAME.fullmatch(name)
    return "/".join(parts) if good else None


def _fetch_one(forum: Forum, path: str, root: Path, room: int) -> int | Gone | None:
    """Its size once it is there; None when it is larger than the room."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(target.name + ".part")
    try:
        with beside.open("wb") as file:
            size = forum.download(f"/uploads/{path}", file, max_bytes=room)
        if isinstance(size, int):
            beside.replace(target)
        return size
    finally:
        beside.unlink(missing_ok=True)
