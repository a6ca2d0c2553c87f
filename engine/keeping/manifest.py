"""The two cards of a backup: its head comes first and says what it is, its manifest comes last and proves it whole.

    backup.json  data/archive.db  data/vectors.db  …  data/indexes/<generation>/…  manifest.json

A tar that was cut has no manifest. Whatever differs from the manifest makes the backup unusable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import BackupUnusable

KIND = "archiviste-backup"
FORMAT = 1
HEAD, MANIFEST = "backup.json", "manifest.json"
DATA = "data/"  # the files of the data folder stand below
MOST_BYTES = 64 << 20  # of one of the cards; 425,000 images make 50 MB


@dataclass(frozen=True, slots=True)
class Head:
    """What made a backup and when (ISO 8601, UTC); `schemas` by database, `size` in bytes once it is restored."""

    application: str
    made_at: str
    title: str
    schemas: Mapping[str, int]
    size: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of a backup; its path in the data folder, with slashes."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds. `generation` is None without an index."""

    posts: int
    topics: int
    categories: int
    generation: str | None
    files: tuple[Kept, ...]


def head_bytes(head: Head) -> bytes:
    """The first card as it is written."""
    return _written({"kind": KIND, "format": FORMAT, **asdict(head)})


def manifest_bytes(manifest: Manifest) -> bytes:
    """The last card as it is written."""
    return _written(asdict(manifest))


def read_head(text: bytes, path: str) -> Head:
    """The first card. Raises BackupUnusable: not one of ours, or of a newer version."""
    document = _read(text, path)
    if document.get("kind") != KIND:
        raise BackupUnusable(path=path, reason="not_a_backup")
    try:
        if int(document["format"]) > FORMAT:
            raise BackupUnusable(path=path, reason="newer")
        schemas = {str(name): int(n) for name, n in document["schemas"].items()}
        application, made_at, title = (str(document[name]) for name in ("application", "made_at", "title"))
        return Head(application, made_at, title, schemas, int(document["size"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BackupUnusable(path=path, reason="damaged") from error


def read_manifest(text: bytes, path: str) -> Manifest:
    """The last card. Raises BackupUnusable."""
    document = _read(text, path)
    try:
        files = tuple(Kept(str(f["path"]), int(f["size"]), str(f["sha256"])) for f in document["files"])
        posts, topics, categories = (int(document[name]) for name in ("posts", "topics", "categories"))
        generation = None if document["generation"] is None else str(document["generation"])
        return Manifest(posts, topics, categories, generation, files)
    except (KeyError, TypeError, ValueError) as error:
        raise BackupUnusable(path=path, reason="damaged") from error


def _written(document: Mapping[str, object]) -> bytes:
    return json.dumps(document, indent=1).encode()  # in ASCII: a name of a file may not be valid UTF-8


def _read(text: bytes, path: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise BackupUnusable(path=path, reason="damaged") from error
    if not isinstance(document, dict):
        raise BackupUnusable(path=path, reason="damaged")
    return document
