"""Images of posts that are kept in the data folder: which ones there are, and the addresses under which we serve them.

Only pictures that a browser can't run: an SVG is a document with scripts, and stays a placeholder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from engine.discourse.address import Address
from engine.live.uploads import FOLDER, local_path
from engine.store import ArchiveStore, reading

ImageOf = Callable[[str], str | None]  # an image's address on the forum → our own, None when it is not held
TYPES: Final = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".avif": "image/avif",
}  # fmt: skip


def images_of(data: Path, base_url: str, post_id: int) -> ImageOf:
    """Our addresses for the images of one post; asks the disk for each."""

    def image_of(url: str) -> str | None:
        path = _held(data, base_url, url)
        return f"/uploads/{post_id}/{path.name}" if path is not None else None

    return image_of


def image_file(store: ArchiveStore, data: Path, base_url: str, post_id: int, name: str) -> Path | None:
    """The file of that name that a held post shows, None for everything else."""
    for url in reading.upload_urls(store, post_id):
        path = _held(data, base_url, url)
        if path is not None and path.name == name:
            return path
    return None


def _held(data: Path, base_url: str, url: str) -> Path | None:
    local = local_path(url, Address(base_url, "", loopback=False))
    if local is None or Path(local).suffix.lower() not in TYPES:
        return None
    path = data / FOLDER / local
    return path if path.is_file() and path.resolve().is_relative_to((data / FOLDER).resolve()) else None
