"""Copies of snapshots that are read: data folders made of the contents that were fetched, each in the folder's <name>/.

What is never written to is a link to its contents. A database of this version's schema is such a file as well, since
readers only read; one of an older schema is copied, because opening it changes it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ..keeping.disk import told
from ..store.snapshots import ENDINGS
from . import card as cards
from . import folder as places
from .card import Card, File


def copy_of(folder: Path, card: Card) -> Path | None:
    """The data folder of a snapshot, None when it was not assembled."""
    path = folder / card.name
    return path if path.is_dir() else None


def assemble(folder: Path, card: Card, *, schemas: Mapping[str, int]) -> Path:
    """The data folder of a snapshot whose contents are there. Raises DiskFull, StoreError."""
    ready = copy_of(folder, card)
    if ready is not None:
        return ready
    with told(folder, full="fetch"), places.making(folder) as fresh:
        fresh.mkdir(mode=0o700)
        for file in card.files:
            target = fresh / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            contents = places.contents(folder, file.sha256)
            if _is_written_to(file, card, schemas):
                shutil.copyfile(contents, target)
            else:
                _link(contents, target)
        indexes = fresh / "indexes"
        indexes.mkdir(exist_ok=True)
        (indexes / "CURRENT").write_text(f"{card.generation}\n")
        made = datetime.fromisoformat(card.made_at).timestamp()
        os.utime(indexes / "CURRENT", (made, made))  # when the archive was indexed, for people
        fresh.rename(folder / card.name)
    return folder / card.name


def mend(folder: Path, card: Card) -> None:
    """Forget a copy that can't be read, and those of its contents that are not what they were: to be fetched again."""
    shutil.rmtree(folder / card.name, ignore_errors=True)
    places.forget_damaged(folder, card)


def forget_copies(folder: Path, *, but: frozenset[str]) -> None:
    """Remove the copies of all but these snapshots. Call once nobody reads them."""
    for path in folder.iterdir():
        if path.is_dir() and cards.is_name(path.name) and path.name not in but:
            shutil.rmtree(path, ignore_errors=True)


def _is_written_to(file: File, card: Card, schemas: Mapping[str, int]) -> bool:
    if not file.path.endswith(ENDINGS):
        return False
    return card.schemas.get(file.path) != schemas.get(file.path, -1)


def _link(contents: Path, target: Path) -> None:
    try:
        os.link(contents, target)
    except OSError:
        shutil.copyfile(contents, target)
