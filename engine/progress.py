"""Where a long work stands: a part of the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a long work stands; `rate` in items a second, `left_s` None while it can't be told."""

    stage: str
    done: int
    total: int
    rate: float = 0.0
    left_s: float | None = None


OnProgress = Callable[[Progress], None]
