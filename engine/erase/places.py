"""Every place of a data folder beside the archive and its indexes: other databases, files, images, old generations."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ..index import generations, milvus_tidying
from ..settings import Settings
from ..store import scrubbing
from . import files
from .files import Cleaner
from .items import Eraser

ARCHIVE, VECTORS, APP, SYNC = "archive.db", "vectors.db", "app.db", f"{files.RAW}/sync.db"
# The paths and choices of a job that is not over are what it goes on with.
WHERE = {"jobs": "state NOT IN ('waiting', 'running', 'paused', 'interrupted')"}
_QUESTIONS = "questions"


def count(settings: Settings, cleaner: Cleaner, *, check: Callable[[], None] = lambda: None) -> dict[str, int]:
    """What would change, by place: questions, rows of other tables, raw pages, other files, generations, backups."""
    found = _databases(settings.data, cleaner, dry=True, check=check)
    found += _files(settings.data, cleaner, dry=True, check=check)
    found["generations"] = len(_folders(settings))
    found["exports"] = len(files.exports(settings.data))
    found["backups"] = len(files.copies(settings.data))
    return dict(found)


def clean(settings: Settings, cleaner: Cleaner, *, check: Callable[[], None] = lambda: None) -> dict[str, int]:
    """Change it, and leave nothing of what it was in the databases."""
    found = _databases(settings.data, cleaner, dry=False, check=check)
    found += _files(settings.data, cleaner, dry=False, check=check)
    shutil.rmtree(settings.data / files.EXPORTS, ignore_errors=True)
    for name in (APP, SYNC, "queue.db"):
        if (settings.data / name).exists():
            scrubbing.compact(settings.data / name, check=check)
    return dict(found)


def clean_tables(data: Path, found: Eraser, *, check: Callable[[], None] = lambda: None) -> dict[str, int]:
    """Make the tables of a data folder obey a list that another one keeps; what changed."""
    changed = _databases(data, Cleaner(found), dry=False, check=check)
    if any(changed.values()) and (data / APP).exists():
        scrubbing.compact(data / APP, check=check)
    return dict(changed)


def remove_generations(settings: Settings) -> int:
    """Remove every generation but the published one and the base of its vectors; how many went.

    Whoever still reads one goes on to the new one with their next question. Raises IndexAway.
    """
    current = generations.current(settings)
    manifest = generations.read_manifest(settings)
    kept = {current, manifest.dense_base if manifest else None}
    removed = 0
    for folder in _folders(settings):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)
            removed += not folder.exists()
    milvus_tidying.sweep(settings)  # what they held on an engine elsewhere
    return removed


def remove_copies(data: Path) -> int:
    """Delete the backups of the data folder; how many went."""
    found = files.copies(data)
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def _folders(settings: Settings) -> list[Path]:
    root = generations.folder_of(settings, "")
    return sorted(path for path in root.glob("*") if path.is_dir())


def _databases(data: Path, cleaner: Cleaner, *, dry: bool, check: Callable[[], None]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name in (APP, SYNC):
        path = data / name
        if not path.exists():
            continue
        check()
        rows = scrubbing.change_texts(path, lambda text: _told(text, cleaner), where=WHERE, dry=dry)
        found[_QUESTIONS] += rows.pop(_QUESTIONS, 0)
        found["rows"] += sum(rows.values())
        if name == APP:
            found[_QUESTIONS] += scrubbing.forget_sources(path, cleaner.eraser.erased.posts, dry=dry)
    return found


def _told(text: str, cleaner: Cleaner) -> str:
    """A text of a table, which may be JSON and then spell names in its own way."""
    if text[:1] not in ("{", "["):
        return cleaner.text(text)
    return files.json_text(text, cleaner, whole=True) or cleaner.text(text)


def _files(data: Path, cleaner: Cleaner, *, dry: bool, check: Callable[[], None]) -> Counter[str]:
    changed = files.clean(data, cleaner, dry=dry, check=check)
    found: Counter[str] = Counter({"raw": changed.pop(files.RAW, 0)})
    found["files"] = sum(changed.values())
    return found
