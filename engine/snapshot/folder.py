"""How snapshots lie in a folder, at the one who publishes and at the one who fetches alike.

    CURRENT             name of the newest snapshot
    <name>.json         its card
    files/<sha256>      contents, each once however many snapshots have it; never changed

What has no card is nobody's. Files come before the card, the card before CURRENT: a kill leaves the snapshot before.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ..errors import SnapshotUnusable
from ..keeping.disk import PIECE
from . import card as cards
from .card import Card

CURRENT: Final = "CURRENT"
FILES: Final = "files"
CARD: Final = ".json"
MAKING, PART = "snapshot-", ".part"  # around the names of what is in the making


def prepare(folder: Path) -> None:
    """Make the folder, for its owner only: it holds what the archive holds."""
    for path in (folder, folder / FILES):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def contents(folder: Path, sha256: str) -> Path:
    """Where contents lie."""
    return folder / FILES / sha256


def current_name(folder: Path) -> str | None:
    """The name of the newest snapshot, None when there is none."""
    try:
        name = (folder / CURRENT).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if cards.is_name(name) else None


def current(folder: Path) -> Card | None:
    """The newest snapshot, None when there is none that can be read."""
    name = current_name(folder)
    return None if name is None else load(folder, name)


def load(folder: Path, name: str) -> Card | None:
    """The snapshot of that name, None when its card is not there or can't be read."""
    try:
        return cards.read((folder / f"{name}{CARD}").read_bytes(), place=name)
    except (OSError, SnapshotUnusable):
        return None


def add(folder: Path, card: Card) -> None:
    """Write the card of a snapshot whose files are there."""
    _replace(folder / f"{card.name}{CARD}", cards.written(card))


def point(folder: Path, card: Card) -> None:
    """Make this the newest snapshot."""
    _replace(folder / CURRENT, f"{card.name}\n".encode("ascii"))


def sweep(folder: Path, *, keep: int, erased: str | None = None) -> tuple[str, ...]:
    """Remove all but the newest snapshots and the contents that only others had; the names of those that stay.

    With `erased`, those that were made before what the newest one no longer holds was erased go as well. Call while
    nobody publishes or fetches there.
    """
    known = sorted((each for each in map(_loaded, _cards(folder)) if each is not None), key=lambda each: each.serial)
    fits = [each for each in known if erased is None or each.erased == erased]
    pointed = current_name(folder)
    kept = [each for n, each in enumerate(fits) if n >= len(fits) - keep or each.name == pointed]
    names = {each.name for each in kept}
    if pointed not in names:
        (folder / CURRENT).unlink(missing_ok=True)
    for path in _cards(folder):
        if path.name.removesuffix(CARD) not in names:
            path.unlink(missing_ok=True)
    used = {file.sha256 for each in kept for file in each.files}
    for path in _listed(folder / FILES):
        if path.name not in used:
            path.unlink(missing_ok=True)
    tidy(folder)
    return tuple(each.name for each in kept)


def tidy(folder: Path) -> None:
    """Remove what was in the making when its process died."""
    for path in folder.glob(f"{MAKING}*{PART}"):
        _remove(path)


def forget_damaged(folder: Path, card: Card, check: Callable[[], None] = lambda: None) -> None:
    """Remove the contents of a snapshot that are not what they were; every byte is read."""
    for file in card.files:
        path = contents(folder, file.sha256)
        if path.is_file() and sha256_of(path, check) != file.sha256:
            path.unlink(missing_ok=True)


def sha256_of(path: Path, check: Callable[[], None] = lambda: None) -> str:
    """The hash of a file."""
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            check()
            hasher.update(piece)
    return hasher.hexdigest()


@contextmanager
def making(folder: Path) -> Iterator[Path]:
    """The path of a new file or folder, gone again at the end unless it was moved."""
    path = folder / f"{MAKING}{secrets.token_hex(8)}{PART}"
    try:
        yield path
    finally:
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _cards(folder: Path) -> list[Path]:
    return [path for path in _listed(folder) if path.suffix == CARD and cards.is_name(path.stem)]


def _loaded(path: Path) -> Card | None:
    return load(path.parent, path.name.removesuffix(CARD))


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def _replace(path: Path, text: bytes) -> None:
    """Write a file whole, on the disk before it takes the place of the one before."""
    with making(path.parent) as fresh:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
