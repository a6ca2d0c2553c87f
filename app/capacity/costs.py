"""The costs that are told, and of which measured points each is made. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .curve import Curve, fit
from .points import LITE, LOCAL, MILVUS, Engine, Point

Part = Literal["disk", "memory", "work", "speed"]
ELSEWHERE: Final[tuple[Engine, ...]] = (MILVUS, LITE)


@dataclass(frozen=True, slots=True)
class Cost:
    """A figure of the points. `wide`: the dimensions of the vectors matter; `shared`: the engine does not.

    `ours`: it is made of what Archiviste does, whatever the engine is, so that Milvus Lite stands for a server too.
    """

    name: str
    part: Part
    wide: bool
    shared: bool = False
    ours: bool = False


COSTS: Final = (
    Cost("archive_bytes", "disk", wide=False, shared=True),
    Cost("vectors_db_bytes", "disk", wide=True, shared=True),
    Cost("words_bytes", "disk", wide=False, ours=True),
    Cost("graph_bytes", "disk", wide=True),
    Cost("engine_bytes", "disk", wide=True),
    Cost("reader_bytes", "memory", wide=True),
    Cost("vectors_peak_bytes", "memory", wide=True),
    Cost("import_cpu_s", "work", wide=False, shared=True),
    Cost("words_cpu_s", "work", wide=False),
    Cost("vectors_cpu_s", "work", wide=True),
    Cost("update_cpu_s", "work", wide=True),
    Cost("search_cpu_ms", "speed", wide=True),
    Cost("search_p50_ms", "speed", wide=True),
    Cost("search_p95_ms", "speed", wide=True),
    Cost("crowd_ms", "speed", wide=True),
)  # fmt: skip
BY_NAME: Final = {cost.name: cost for cost in COSTS}


def curve(cost: Cost, points: Sequence[Point], *, engine: Engine, dimensions: int) -> Curve | None:
    """How this cost grows with that engine and vectors of so many dimensions; None where nobody measured it."""
    return fit(
        (point.posts, point.figures[cost.name])
        for point in points
        if point.posts > 0
        and point.figures.get(cost.name, 0) > 0
        and point.engine == (LOCAL if cost.shared else engine)
        and (not cost.wide or point.dimensions == dimensions)
    )


def passages(points: Sequence[Point]) -> Curve | None:
    """How many passages, each with its vector, so many posts make."""
    return fit((point.posts, float(point.vectors)) for point in points if point.posts and point.vectors)


def measured_engine(points: Sequence[Point]) -> Engine:
    """What stands for an engine elsewhere: a server once one was measured, Milvus Lite until then."""
    return next((one for one in ELSEWHERE if any(point.engine == one for point in points)), LITE)
