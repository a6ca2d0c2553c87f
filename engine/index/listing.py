"""The generations that lie in a data folder: which one is in use, what each holds, what it weighs."""

from __future__ import annotations

from dataclasses import dataclass

from ..settings import Settings
from . import generations
from .generations import BUILDING, Manifest


@dataclass(frozen=True, slots=True)
class Listed:
    """A generation of the data folder; `base` says that the one in use reads its vectors."""

    manifest: Manifest
    current: bool
    base: bool


def listed(settings: Settings) -> tuple[Listed, ...]:
    """The published generations, the newest first. What is being built, or can't be read, is not among them."""
    card = generations.read_manifest(settings)
    in_use = card.generation if card is not None else None
    base = card.dense_base if card is not None else None
    found = []
    for folder in generations.folder_of(settings, "").glob("*"):
        if folder.is_dir() and not folder.name.endswith(BUILDING):
            manifest = generations.manifest_of(settings, folder.name)
            if manifest is not None:
                name = manifest.generation
                found.append(Listed(manifest, current=name == in_use, base=name == base != in_use))
    return tuple(sorted(found, key=lambda one: one.manifest.created_at, reverse=True))
