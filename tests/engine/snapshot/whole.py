"""What must hold of a folder of snapshots at any moment."""

from __future__ import annotations

import hashlib
from pathlib import Path

from engine.snapshot import Card
from engine.snapshot import folder as places


def whole(folder: Path) -> Card:
    """The newest snapshot, once every byte of it was compared with its card."""
    card = places.current(folder)
    assert card is not None, "no snapshot can be read"
    for file in card.files:
        held = places.contents(folder, file.sha256).read_bytes()
        assert (len(held), hashlib.sha256(held).hexdigest()) == (file.size, file.sha256), file.path
    return card


def contents(folder: Path) -> frozenset[str]:
    """The names of all contents."""
    return frozenset(path.name for path in (folder / places.FILES).iterdir())
