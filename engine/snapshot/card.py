"""The card of a snapshot: what it is and every file of it. It is written last, and proves the others whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from ..errors import SnapshotUnusable

KIND: Final = "archiviste-snapshot"
FORMAT: Final = 1
MOST_BYTES: Final = 64 << 20  # of a card; 425,000 files make 60 MB
MOST_FILES: Final = 1_000_000
NAME: Final = re.compile(r"[0-9]{13}-[0-9a-f]{8}")  # sorted as they were made
_TEXTS: Final = ("name", "made_at", "application", "generation", "fingerprint", "state", "erased", "title", "primary")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_PART: Final = re.compile(r"[^\x00-\x1f/\\:]{1,255}")  # of a path; no disk of Windows either


@dataclass(frozen=True, slots=True)
class File:
    """A file of a snapshot: its path in the data folder of a reader, with slashes; its contents by their hash."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Card:
    """A snapshot. `serial` grows with each one, whatever the clock does; `state` names what it was made of.

    `erased` changes with the list of what was erased, empty before; `primary` is the address where moderators work,
    empty when it is not told. Sizes in bytes, `made_at` in ISO 8601 (UTC), `schemas` by database.
    """

    name: str
    serial: int
    made_at: str
    application: str
    generation: str
    fingerprint: str
    state: str
    erased: str
    title: str
    posts: int
    topics: int
    schemas: Mapping[str, int]
    files: tuple[File, ...]
    primary: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def is_name(text: str) -> bool:
    """Whether a snapshot can be called that."""
    return NAME.fullmatch(text) is not None


def is_hash(text: str) -> bool:
    """Whether contents can be called that."""
    return _SHA256.fullmatch(text) is not None


def written(card: Card) -> bytes:
    """The card as it is kept."""
    document = {"kind": KIND, "format": FORMAT, **asdict(card)}
    return json.dumps(document, indent=1).encode()  # in ASCII: a name of a file may not be valid UTF-8


def read(text: bytes, *, place: str, schemas: Mapping[str, int] | None = None) -> Card:
    """The card of this text; `schemas` are the newest that this version reads.

    Raises SnapshotUnusable: damaged, of a newer version, or with paths that lead elsewhere.
    """
    document = _document(text, place)
    try:
        if document["kind"] != KIND:
            raise SnapshotUnusable(path=place, reason="damaged")
        if int(document["format"]) > FORMAT:
            raise SnapshotUnusable(path=place, reason="newer")
        card = _card(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SnapshotUnusable(path=place, reason="damaged") from error
    if any(number > (schemas or {}).get(name, number) for name, number in card.schemas.items()):
        raise SnapshotUnusable(path=place, reason="newer")
    whole = is_name(card.name) and all(is_hash(file.sha256) and file.size >= 0 for file in card.files)
    if not whole or len({file.path for file in card.files}) != len(card.files):
        raise SnapshotUnusable(path=place, reason="damaged")
    if not all(_is_plain(file.path) for file in card.files):
        raise SnapshotUnusable(path=place, reason="unsafe")
    return card


def _document(text: bytes, place: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SnapshotUnusable(path=place, reason="damaged") from error
    if not isinstance(document, dict):
        raise SnapshotUnusable(path=place, reason="damaged")
    return document


def _card(document: Mapping[str, Any]) -> Card:
    files = tuple(File(str(f["path"]), int(f["size"]), str(f["sha256"])) for f in document["files"])
    if len(files) > MOST_FILES:
        raise ValueError("files")
    name, made_at, application, generation, fingerprint, state, erased, title, primary = (
        str(document[key]) for key in _TEXTS
    )
    serial, posts, topics = (int(document[key]) for key in ("serial", "posts", "topics"))
    schemas = {str(database): int(number) for database, number in document["schemas"].items()}
    return Card(
        name, serial, made_at, application, generation, fingerprint, state, erased, title, posts, topics, schemas,
        files, primary,
    )  # fmt: skip


def _is_plain(path: str) -> bool:
    """Whether a path stays below the folder that it is put in, on every system."""
    return all(_PART.fullmatch(part) and part.strip(". ") for part in path.split("/"))
