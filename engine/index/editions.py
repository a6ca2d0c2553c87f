"""Which row of a growing collection stands for a post or a passage, in one generation.

Rows are never changed where a reader may look: a changed post gets a new row, whose key carries the number of the
update, its edition. A generation knows the edition of each post that changed since the collection was new; all others
have their first. So a reader of the generation before goes on seeing the rows of the generation before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import IndexDamaged
from .digests import Ids

EDITIONS = 4096  # of one collection; then it is built anew
GONE = -1


@dataclass(frozen=True, slots=True)
class Editions:
    """(n,) ids in ascending order and the edition of each, GONE for what has none; whatever is not named has 0."""

    ids: Ids
    numbers: Ids

    @classmethod
    def none(cls) -> Editions:
        """Of a new collection."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def load(cls, path: Path) -> Editions:
        """What `save` wrote. Raises IndexDamaged."""
        try:
            found = np.load(path)
            return cls(found[0], found[1])
        except (OSError, EOFError, ValueError, IndexError) as error:
            raise IndexDamaged(part="editions", reason=repr(error)) from error

    def save(self, path: Path) -> None:
        """Write a .npy file."""
        np.save(path, np.stack([self.ids, self.numbers]))

    def changed(self, fresh: Ids, removed: Ids, edition: int) -> Editions:
        """After an update that wrote the `fresh` and took out the `removed`, both sorted."""
        touched = np.union1d(fresh, removed)
        kept = ~np.isin(self.ids, touched)
        ids = np.concatenate([self.ids[kept], fresh, np.setdiff1d(removed, fresh)])
        numbers = np.concatenate([
            self.numbers[kept], np.full(len(fresh), edition), np.full(len(ids) - kept.sum() - len(fresh), GONE)
        ])  # fmt: skip
        order = np.argsort(ids, kind="stable")
        return Editions(ids[order], numbers[order].astype(np.int64))

    def of(self, ids: Ids) -> Ids:
        """The edition of each."""
        if not len(self.ids):
            return np.zeros(len(ids), np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[at] == ids, self.numbers[at], 0)

    def standing(self, keys: Ids) -> tuple[Ids, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """The id that each key of a row is about, and whether that row stands for it."""
        ids, numbers = np.divmod(keys, EDITIONS)
        return ids, self.of(ids) == numbers


def keys_of(ids: Ids, numbers: Ids | int) -> Ids:
    """The key of the row of each id in that edition; what is GONE has none and must not be asked."""
    return np.asarray(ids * EDITIONS + numbers, np.int64)
