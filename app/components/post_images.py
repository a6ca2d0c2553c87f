"""Images and files of posts that are kept in the data folder: which ones there are, and under which addresses.

A picture is shown when its first bytes are those of a format that a browser can't run: an SVG is a document with
scripts. Everything else is only ever given as a file to save.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from engine.discourse.address import Address
from engine.live.uploads import FOLDER, local_path
from engine.store import ArchiveStore, files, places, reading

from .post_links import our_path

TYPES: Final = {
    ".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
}  # fmt: skip
_SIGNATURES: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), ".png"),
    (re.compile(rb"\xff\xd8\xff"), ".jpg"),
    (re.compile(rb"GIF8[79]a"), ".gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), ".webp"),
    (re.compile(rb"....ftyp(?:avif|avis)", re.DOTALL), ".avif"),
)
_EXTENSION: Final = re.compile(r"\.[a-z0-9]{1,8}")
_BYTES_LOOKED_AT: Final = 16


@dataclass(frozen=True, slots=True)
class PostFile:
    """A file that a post shows, on our disk. `media_type` is "" for all but a safe picture."""

    path: Path
    served_as: str  # the last part of our address
    name: str  # that its author gave it
    media_type: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the HTML of one post refers to, as far as it is held; asks the disk and the database."""

    store: ArchiveStore
    data: Path
    base_url: str
    post_id: int
    kept: Mapping[str, files.Kept]

    def image(self, url: str) -> str | None:
        """Our address of a picture."""
        found = self._file(url)
        return self._address(found) if found is not None and found.media_type else None

    def file(self, url: str) -> str | None:
        """Our address of any file."""
        found = self._file(url)
        return self._address(found) if found is not None else None

    def quoted(self, topic: int, post: int | None) -> str | None:
        """Our page of a quoted place, wherever it stands now; None when it is not held."""
        if post is None:
            return our_path(topic, None) if reading.span(self.store, topic).count else None
        if reading.holds(self.store, topic, post):
            return our_path(topic, post)
        moved = places.elsewhere(self.store, topic, post)
        return our_path(moved.topic_id, moved.number) if moved is not None else None

    def _file(self, url: str) -> PostFile | None:
        return _held(self.data, self.base_url, url, self.kept)

    def _address(self, found: PostFile) -> str:
        return f"/{FOLDER}/{self.post_id}/{found.served_as}"


def surroundings(store: ArchiveStore, data: Path, base_url: str, post_id: int) -> Surroundings:
    """Of one post, to show it."""
    return Surroundings(store, data, base_url, post_id, files.of_post(store, post_id))


def file_named(store: ArchiveStore, data: Path, base_url: str, post_id: int, name: str) -> PostFile | None:
    """The file that a held post shows under that last part of our address, None for everything else."""
    kept = files.of_post(store, post_id)
    for url in reading.upload_urls(store, post_id):
        found = _held(data, base_url, url, kept)
        if found is not None and found.served_as == name:
            return found
    return None


def _held(data: Path, base_url: str, url: str, kept: Mapping[str, files.Kept]) -> PostFile | None:
    known = kept.get(url)
    if known is not None:
        path = files.place(data, known.stored)
        return described(path, path.name, known.name) if path.is_file() else None
    local = local_path(url, Address(base_url, "", loopback=False))  # fetched from a live forum
    if local is None:
        return None
    path = data / FOLDER / local
    if not path.is_file() or not path.resolve().is_relative_to((data / FOLDER).resolve()):
        return None
    return described(path, path.stem, path.name)


def described(path: Path, stem: str, name: str) -> PostFile:
    """What a file is, by its first bytes; `stem` begins the name under which it is served."""
    with path.open("rb") as file:
        head = file.read(_BYTES_LOOKED_AT)
    extension = next((found for signature, found in _SIGNATURES if signature.match(head)), "")
    if extension:
        return PostFile(path, stem + extension, name, TYPES[extension])
    said = PurePosixPath(name).suffix.lower()
    return PostFile(path, stem + (said if _EXTENSION.fullmatch(said) else ".bin"), name, "")
