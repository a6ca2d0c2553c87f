"""How much disk an index will need, asked before anything is written."""

from __future__ import annotations

import shutil

from ..errors import DiskFull
from .work import Work

# Measured on generated forums (python -m tests.bench.scale); the most that a build uses, not what it leaves.
WORDS_BYTES_A_CHAR = 12  # of the keyword index, for each letter or digit of the posts
VECTOR_BYTES = 2, 400  # in vectors.db: a dimension; and a vector besides
BASE_BYTES = 4, 700  # in the index of vectors: a dimension; and a vector besides (its links, its place, its queue)
SPARE_BYTES = 100 << 20  # left to logs, settings and the other databases


def rebuild_bytes(useful_chars: int, vectors: int, dimensions: int) -> int:
    """What both indexes need while they are built from the store, the vectors being there."""
    return WORDS_BYTES_A_CHAR * useful_chars + vectors * (BASE_BYTES[0] * dimensions + BASE_BYTES[1])


def check_words(work: Work) -> None:
    """Raises DiskFull when the keyword index could not be built."""
    _check(work, rebuild_bytes(work.store.useful_chars(), 0, 0))


def check_vectors(work: Work, *, dimensions: int, missing: int) -> None:
    """Raises DiskFull when so many vectors to come, and an index of all of them, would not fit."""
    kept = missing * (VECTOR_BYTES[0] * dimensions + VECTOR_BYTES[1])
    _check(work, kept + rebuild_bytes(0, work.vectors.passage_count(), dimensions))


def _check(work: Work, needed: float) -> None:
    free = shutil.disk_usage(work.settings.data).free
    if needed + SPARE_BYTES > free:
        needed_mb, free_mb = (round(size / 1e6) for size in (needed + SPARE_BYTES, free))
        raise DiskFull(path=str(work.settings.data), reason="forecast", needed_mb=needed_mb, free_mb=free_mb)
