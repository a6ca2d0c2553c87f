"""Numbered things with a digest of each, as two arrays: what an index was built from, and what differs since.

Posts with the digest of their indexed text, passages with the key of theirs. Knows nothing about either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


def stamp(text: str) -> int:
    """64 bits that name a text."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Difference:
    """Ids, each sorted: those that came, those whose digest is another, those that went."""

    added: Ids
    changed: Ids
    removed: Ids

    @property
    def outdated(self) -> Ids:
        """What must leave an index of the old state."""
        return np.union1d(self.removed, self.changed)

    @property
    def fresh(self) -> Ids:
        """What must enter it."""
        return np.union1d(self.added, self.changed)

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed)


class Digests:
    """Distinct ids in ascending order, (n,) int64, and the digest of each, (n,) uint64."""

    def __init__(self, ids: Ids, digests: NDArray[np.uint64]) -> None:
        self.ids, self.digests = ids, digests

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]]) -> Digests:
        """From (id, digest) pairs in the order of ids."""
        found = np.fromiter(pairs, np.dtype([("id", np.int64), ("digest", np.uint64)]))
        return cls(found["id"].copy(), found["digest"].copy())

    @classmethod
    def load(cls, path: Path) -> Digests | None:
        """What `save` wrote; None when there is nothing that can be read."""
        try:
            found = np.load(path)
            ids, digests = found["id"], found["digest"]
        except (OSError, EOFError, ValueError, IndexError):
            return None
        return cls(ids.copy(), digests.copy())

    def save(self, path: Path) -> None:
        """Write a .npy file of (id, digest) records."""
        records = np.zeros(len(self.ids), np.dtype([("id", np.int64), ("digest", np.uint64)]))
        records["id"], records["digest"] = self.ids, self.digests
        np.save(path, records)

    @property
    def state(self) -> str:
        """Sixteen hex digits that change with any id or digest."""
        hasher = hashlib.blake2b(self.ids.tobytes(), digest_size=8)
        hasher.update(self.digests.tobytes())
        return hasher.hexdigest()

    def among(self, ids: Ids) -> Digests:
        """Those of these ids."""
        kept = np.isin(self.ids, ids)
        return Digests(self.ids[kept], self.digests[kept])

    def since(self, old: Digests) -> Difference:
        """What made this state out of the old one."""
        _, mine, theirs = np.intersect1d(self.ids, old.ids, assume_unique=True, return_indices=True)
        changed = self.ids[mine[self.digests[mine] != old.digests[theirs]]]
        return Difference(
            added=np.setdiff1d(self.ids, old.ids, assume_unique=True),
            changed=changed,
            removed=np.setdiff1d(old.ids, self.ids, assume_unique=True),
        )

    def __len__(self) -> int:
        return len(self.ids)
