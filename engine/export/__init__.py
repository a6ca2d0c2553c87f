"""The public archive taken out: as the JSON of a Discourse, which an import reads back, or as pages of a disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import ExportRefused
from ..settings import Settings
from ..store import ArchiveStore, exporting
from ..values import OnProgress
from . import html_archive, topic_files
from .files import Files, bytes_held
from .html_archive import Look
from .target import written_beside
from .walk import Shown, Walk
from .words import Words

__all__ = ["Exported", "Format", "Look", "Words", "export"]

Format = Literal["json", "html"]
# Of the disk for each byte of the database; measured (python -m tests.bench.export), with room to spare.
_SHARE = {"json": 1.5, "html": 3.0}
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds."""

    folder: Path
    topics: int
    posts: int
    files: int  # images and files, of those that are held
    size: int  # bytes


class _Changed(Exception):
    """What the export shows is not all public any more."""


def export(
    settings: Settings,
    folder: Path,
    format_: Format,
    *,
    look: Look | None = None,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Exported:
    """Write the archive as it stands at one moment; `folder` appears when all of it is there. `look` is that of pages.

    Raises ExportRefused, DiskFull, StoreError; nothing is left of an export that did not end. When something that it
    shows was removed or edited meanwhile it is made again, so that it shows nothing that is not public any more.
    """
    if format_ == "html" and look is None:
        raise ValueError("pages need words and a cleaner")
    store = ArchiveStore(settings.data)
    try:
        for _try in range(_TRIES):
            try:
                return _attempt(settings, store, folder, look if format_ == "html" else None, on_progress, check)
            except _Changed:
                continue
    finally:
        store.close()
    raise ExportRefused(path=str(folder), reason="changing")


def _attempt(
    settings: Settings,
    store: ArchiveStore,
    folder: Path,
    look: Look | None,
    on_progress: OnProgress,
    check: Callable[[], None],
) -> Exported:
    """The export. Raises _Changed when what it shows changed while it was written."""
    format_: Format = "json" if look is None else "html"
    needed = int(exporting.bytes_held(store) * _SHARE[format_]) + bytes_held(store, settings.data)
    with written_beside(folder, needed_bytes=needed) as beside:
        with exporting.one_moment(store):
            shown = Shown(store, check)
            files = Files(store, settings.data, beside, look.describe if look else None)
            posts, topics, _categories = store.counts()
            walk = Walk(store, f"export_{format_}", on_progress, check, total=posts)
            if look is None:
                topic_files.write(beside, store, walk, files)
            else:
                html_archive.write(beside, store, walk, files, look)
        if not shown.still_holds(store, check):
            raise _Changed
        size = sum(path.stat().st_size for path in beside.rglob("*") if path.is_file())
        return Exported(folder.absolute(), topics, walk.done, len(files), size)
