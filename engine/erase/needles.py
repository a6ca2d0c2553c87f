"""Looks for thousands of byte strings at once in megabytes: eight bytes of each in a table, then the whole of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

PREFIX = 8  # bytes; no needle is shorter
_BITS = 24
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Needles:
    """A set of needles of at least eight bytes."""

    def __init__(self, needles: Iterable[bytes]) -> None:
        self._by_prefix: dict[int, list[bytes]] = {}
        for needle in set(needles):
            if len(needle) >= PREFIX:
                self._by_prefix.setdefault(int.from_bytes(needle[:PREFIX], "little"), []).append(needle)
        self.longest = max((len(n) for many in self._by_prefix.values() for n in many), default=0)
        self._prefixes = np.array(sorted(self._by_prefix), np.uint64)
        self._table = np.zeros(1 << _BITS, np.bool_)
        self._table[_hashed(self._prefixes)] = True

    def __bool__(self) -> bool:
        return bool(self._by_prefix)

    def find(self, block: bytes) -> Iterator[tuple[int, bytes]]:
        """(where, needle) of each that stands in the block."""
        if len(block) < PREFIX or not self:
            return
        words: np.ndarray[tuple[int], np.dtype[np.uint64]] = np.ndarray(
            (len(block) - PREFIX + 1,), np.dtype("<u8"), buffer=block, strides=(1,)
        )
        maybe = np.flatnonzero(self._table[_hashed(words)])
        if not len(maybe):
            return
        sure = maybe[np.isin(words[maybe], self._prefixes)]
        for at in sure.tolist():
            for needle in self._by_prefix[int(words[at])]:
                if block.startswith(needle, at):
                    yield at, needle


def _hashed(words: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    found: np.ndarray[tuple[int], np.dtype[np.uint64]] = (words * _FACTOR) >> np.uint64(64 - _BITS)
    return found
