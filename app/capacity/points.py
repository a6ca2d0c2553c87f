"""The measured points of the cost curve: assets/capacity.json, each with the conditions in which it was measured.

Nothing else in the application holds a figure of its own: what no point has is told as not measured. A point is made by
`python -m tests.bench.capacity`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from ..resources import resource

FILE: Final = "capacity.json"
Engine = Literal["local", "milvus-lite", "milvus"]
LOCAL: Final[Engine] = "local"
LITE: Final[Engine] = "milvus-lite"
MILVUS: Final[Engine] = "milvus"


@dataclass(frozen=True, slots=True)
class Conditions:
    """How something was measured. `load`: programs that ran or waited just before; `note`: "" or a code of ours."""

    processor: str
    cores: int
    memory_gb: int
    software: str
    date: str
    command: str
    load: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """What an archive of one size cost. The end of a figure's name is its unit: _bytes, _ms, _s, _cpu_s (processor)."""

    engine: Engine
    posts: int
    vectors: int
    dimensions: int
    chars: int
    """Letters and digits of all posts."""
    conditions: Conditions
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Rate:
    """Passages that an encoder read in a second, processor milliseconds of a question, memory of the model."""

    encoder: str
    per_s: float
    question_ms: float | None
    memory_bytes: float | None
    conditions: Conditions


@cache
def measured() -> tuple[Point, ...]:
    """The points that ship with the application."""
    return tuple(read(resource("assets", FILE)))


@cache
def rates() -> Mapping[str, Rate]:
    """The measured encoders by name."""
    document = json.loads(resource("assets", FILE).read_text("utf-8"))
    found = [Rate(**{**v, "conditions": Conditions(**v["conditions"])}) for v in document["encoders"]]
    return {rate.encoder: rate for rate in found}


def read(path: Path) -> list[Point]:
    """The points of a file, in its order."""
    document = json.loads(path.read_text("utf-8"))
    return [Point(**{**v, "conditions": Conditions(**v["conditions"])}) for v in document["points"]]


def write(path: Path, points: Iterable[Point]) -> None:
    """Replace the points of a file, sorted; its encoders stay."""
    document = json.loads(path.read_text("utf-8"))
    ordered = sorted(points, key=lambda point: (point.engine, point.dimensions, point.posts, point.conditions.date))
    document["points"] = [asdict(point) for point in ordered]
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")


def dumped(points: Iterable[Point]) -> str:
    """Points as the file has them."""
    return json.dumps([asdict(point) for point in points], indent=1, ensure_ascii=False)
