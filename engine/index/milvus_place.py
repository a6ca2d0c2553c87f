"""Where an archive's collections lie in Milvus, what they are called, and how they are opened.

    archiviste_<owner>_<generation>_words, _vectors      a collection each, made by that generation and changed since
    archiviste_<owner>_words, _vectors                   aliases of those that the archive serves

`owner` is drawn once and kept in indexes/ENGINE with the address, so that several archives share a server.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import IndexDamaged
from ..settings import Settings
from . import milvus
from .digests import Digests
from .editions import Editions
from .french import Analyser
from .milvus_vectors import MilvusVectors
from .milvus_words import MilvusWords

Kind = Literal["words", "vectors"]
LAYOUT = "1"  # raise when rows or keys change
WORDS_EDITIONS, VECTORS_EDITIONS = "words-editions.npy", "vectors-editions.npy"
LEAVING = "leaving.npz"  # keys of rows that nobody reads once the generation is published


@dataclass(frozen=True, slots=True)
class Place:
    """An address, as pymilvus takes it, and what the names of the archive's collections begin with."""

    url: str
    prefix: str

    def collection(self, generation: str, kind: Kind) -> str:
        """The collection that this generation made."""
        return f"{self.prefix}_{generation.replace('-', '_')}_{kind}"

    def alias(self, kind: Kind) -> str:
        """What points to the collection that is served."""
        return f"{self.prefix}_{kind}"


def place(settings: Settings, url: str) -> Place:
    """The place of an archive at an address."""
    owner = _owner(settings.data)
    return Place(milvus.resolved(url, settings.data), f"archiviste_{owner[0] if owner else 'new'}")


def claim(settings: Settings, url: str) -> Place:
    """The same for whoever will write there: draws the owner if there is none, and keeps the address."""
    owner = _owner(settings.data)
    drawn = owner[0] if owner else secrets.token_hex(4)
    if owner != (drawn, url):
        path = _owner_file(settings.data)
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_name(path.name + ".new")
        fresh.write_text(f"{drawn}\n{url}\n", "utf-8")
        fresh.replace(path)
    return place(settings, url)


def left(settings: Settings) -> str | None:
    """The address where an archive that is kept in its own folder again still has collections."""
    owner = _owner(settings.data)
    return owner[1] if owner is not None and settings.index_url is None else None


def forget(settings: Settings) -> None:
    """Nothing of the archive is there any more."""
    _owner_file(settings.data).unlink(missing_ok=True)


def token(settings: Settings) -> str:
    """The key of the server, empty where none is needed."""
    return os.environ.get(settings.index_key_variable or "", "")


@contextmanager
def working(settings: Settings, at: Place) -> Iterator[milvus.Engine]:
    """The engine, for a piece of work."""
    engine = milvus.open_engine(at.url, token(settings))
    try:
        yield engine
    finally:
        engine.close()


def holds(settings: Settings, url: str, generation: str | None, kind: Kind, *, rows: int) -> bool:
    """Whether the collection that a generation made is there with at least so many rows. Raises IndexAway."""
    if generation is None:
        return False
    at = place(settings, url)
    with working(settings, at) as engine:
        count = engine.count(at.collection(generation, kind))
    return count is not None and count >= rows


def open_words(settings: Settings, url: str, folder: Path, base: str, analyser: Analyser) -> MilvusWords:
    """The words of the generation in a folder, which are in the collection that `base` made. Raises IndexDamaged."""
    at, editions = place(settings, url), Editions.load(folder / WORDS_EDITIONS)
    engine = milvus.open_engine(at.url, token(settings))
    try:
        return MilvusWords(engine, at.collection(base, "words"), editions, folder, analyser)
    except BaseException:
        engine.close()
        raise


def open_vectors(settings: Settings, url: str, folder: Path, base: str, *, places: str) -> MilvusVectors:
    """The vectors of the generation in a folder, whose file `places` says what they stand for. Raises IndexDamaged."""
    at, editions, held = place(settings, url), Editions.load(folder / VECTORS_EDITIONS), Digests.load(folder / places)
    if held is None:
        raise IndexDamaged(part=places)
    engine = milvus.open_engine(at.url, token(settings))
    return MilvusVectors(engine, at.collection(base, "vectors"), editions, held.ids, folder)


def is_read_elsewhere(settings: Settings, folder: Path) -> bool:
    """Whether rows that left with the generation in this folder may still be read by a replica."""
    if not settings.index_kept_s or settings.index_url is None or not (folder / LEAVING).is_file():
        return False
    return time.time() - folder.stat().st_mtime < settings.index_kept_s


def _owner(data: Path) -> tuple[str, str] | None:
    try:
        drawn, url = _owner_file(data).read_text("utf-8").split()
    except (OSError, ValueError):
        return None
    return drawn, url


def _owner_file(data: Path) -> Path:
    return data / "indexes" / "ENGINE"
