"""Up to which size one machine is advised: its memory holds the index, and an update is soon published. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .curve import Curve
from .forecast import grows
from .points import LOCAL, Point

UPDATE_S: Final = 60.0  # for 500 new, 100 changed and 50 removed posts: longer, and what is read is too old
SYSTEM_BYTES: Final = 2 << 30  # left to the system and its cache of files
LARGEST: Final = 1_000_000_000  # posts; beyond, nothing binds


@dataclass(frozen=True, slots=True)
class Bound:
    """The most posts that keep a limit, None when it was not measured; whether that is beyond every measured size."""

    name: str
    posts: int | None
    beyond: bool


def bounds(points: Sequence[Point], *, width: int, memory_bytes: float) -> tuple[Bound, ...]:
    """Where the memory ends, with the application and a rebuild side by side; and where an update takes too long."""
    reader, build = (grows(name, points, LOCAL, width) for name in ("reader_bytes", "vectors_peak_bytes"))
    update = grows("update_cpu_s", points, LOCAL, width)
    together = [curve for curve in (reader, build) if curve is not None]
    return (
        _bound("memory", together if len(together) == 2 else [], memory_bytes - SYSTEM_BYTES),
        _bound("update", [update] if update is not None else [], UPDATE_S),
    )


def advised(found: Sequence[Bound]) -> int | None:
    """The smallest of the bounds."""
    return min((bound.posts for bound in found if bound.posts is not None), default=None)


def _bound(name: str, curves: Sequence[Curve], limit: float) -> Bound:
    if not curves:
        return Bound(name, None, False)

    def holds(posts: int) -> bool:
        return sum(curve.at(posts) for curve in curves) <= limit

    if not holds(1):
        return Bound(name, 0, False)
    low, high = 1, LARGEST
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return Bound(name, low, low > max(curve.sizes[-1] for curve in curves))
