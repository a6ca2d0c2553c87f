"""What an archive of so many posts will ask for: figures, each with how it is known. Pure.

Searches a second are those of a closed loop. All cores, with processes enough, serve cores / (processor time of one).
One process serves what ten people got from one, who searched without a pause; where nobody measured that, what one core
serves, since Python hardly uses a second one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from . import costs
from .costs import BY_NAME, COSTS
from .curve import Curve
from .points import LITE, LOCAL, Engine, Point, Rate

Known = Literal["measured", "between", "extrapolated", "chosen", "unknown"]
SIZES: Final = (1_000_000, 5_000_000, 20_000_000)
# encoder → dimensions of its vectors
ENCODERS: Final[Mapping[str, int]] = {"embedded": 384, "bge-m3": 1024, "server": 1024}
# What a replica gets; from an engine elsewhere it needs no vectors.
SNAPSHOT: Final = ("archive_bytes", "vectors_db_bytes", "words_bytes", "graph_bytes")
SNAPSHOT_ELSEWHERE: Final = ("archive_bytes", "words_bytes")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be known. `rate` is passages a second of the encoder's server, in place of a measured one."""

    posts: int
    encoder: str = "embedded"
    rate: float | None = None
    cores: int = 2
    dimensions: int | None = None

    @property
    def width(self) -> int:
        """Dimensions of the vectors."""
        return self.dimensions or ENCODERS[self.encoder]


@dataclass(frozen=True, slots=True)
class Figure:
    """In bytes, seconds or 1/s. `sizes`: where it was measured; `residual`: by what the curve is off at the largest."""

    name: str
    part: costs.Part
    value: float | None
    known: Known
    sizes: tuple[int, ...] = ()
    residual: float | None = None
    exponent: float | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """Every figure of one size with one engine."""

    engine: Engine
    wish: Wish
    passages: float
    figures: tuple[Figure, ...]

    def __getitem__(self, name: str) -> Figure:
        return next(figure for figure in self.figures if figure.name == name)


def forecast(wish: Wish, engine: Engine, points: Sequence[Point], rates: Mapping[str, Rate]) -> Forecast:
    """The figures for that size: measured where a point is there, else read from the curve of the points."""
    many = costs.passages(points)
    count = _read(many, wish.posts)[0] if many else 0.0
    found: dict[str, Figure] = {}
    for cost in COSTS:
        if engine == LOCAL and cost.name == "engine_bytes":
            continue
        if engine != LOCAL and cost.name == "graph_bytes":  # its vectors are with the engine
            continue
        line = costs.curve(cost, points, engine=engine, dimensions=wish.width)
        figure = _figure(cost.name, cost.part, line, wish.posts)
        if engine == LITE and figure.known == "extrapolated" and not (cost.shared or cost.ours):
            figure = replace(figure, value=None, known="unknown")  # a file in one process foretells no server
        found[cost.name] = figure
    parts = [found[name] for name in (SNAPSHOT if engine == LOCAL else SNAPSHOT_ELSEWHERE)]
    found["snapshot_bytes"] = _sum("snapshot_bytes", "disk", parts)
    found["encoder_bytes"] = _encoder(wish, rates)
    found["encode_s"] = _encoding(wish, count, many, rates)
    question_ms = (rates[wish.encoder].question_ms or 0.0) if wish.encoder in rates else 0.0
    machine = _speed("machine_per_s", wish.cores, found["search_cpu_ms"], question_ms)
    crowd = found.pop("crowd_ms")
    process = _speed("process_per_s", 1, crowd if crowd.value is not None else found["search_cpu_ms"], question_ms)
    if process.value is not None and machine.value is not None and machine.value < process.value:
        process = replace(machine, name=process.name)
    found |= {"process_per_s": process, "machine_per_s": machine}
    return Forecast(engine, wish, count, tuple(found.values()))


def _read(curve: Curve, posts: int) -> tuple[float, Known]:
    if (value := curve.measured(posts)) is not None:
        return value, "measured"
    inside = curve.sizes[0] <= posts <= curve.sizes[-1]
    return curve.at(posts), "between" if inside else "extrapolated"


def _figure(name: str, part: costs.Part, curve: Curve | None, posts: int) -> Figure:
    if curve is None:
        return Figure(name, part, None, "unknown")
    value, known = _read(curve, posts)
    if len(curve.sizes) == 1 and known != "measured":  # one size makes no curve
        return Figure(name, part, None, "unknown", curve.sizes)
    return Figure(name, part, value, known, curve.sizes, curve.residual, curve.exponent)


def _sum(name: str, part: costs.Part, parts: Sequence[Figure]) -> Figure:
    """All of them together, as well known as the least known."""
    values = [figure.value for figure in parts]
    if not values or any(value is None for value in values):
        return Figure(name, part, None, "unknown")
    order: tuple[Known, ...] = ("measured", "between", "extrapolated")
    known = max((figure.known for figure in parts), key=order.index)
    sizes = tuple(sorted(set.intersection(*(set(figure.sizes) for figure in parts))))
    return Figure(name, part, sum(value for value in values if value is not None), known, sizes)


def _encoding(wish: Wish, count: float, many: Curve | None, rates: Mapping[str, Rate]) -> Figure:
    """Seconds that the encoder takes for all passages: at the rate that was given, else at the measured one."""
    if wish.rate:
        return Figure("encode_s", "work", count / wish.rate, "chosen")
    if (rate := rates.get(wish.encoder)) is None or many is None:
        return Figure("encode_s", "work", None, "unknown")
    return Figure("encode_s", "work", count / rate.per_s, "extrapolated", many.sizes)


def _encoder(wish: Wish, rates: Mapping[str, Rate]) -> Figure:
    rate = rates.get(wish.encoder)
    if rate is None or rate.memory_bytes is None:
        return Figure("encoder_bytes", "memory", None, "unknown")
    return Figure("encoder_bytes", "memory", rate.memory_bytes, "measured")


def _speed(name: str, at_once: int, search: Figure, question_ms: float) -> Figure:
    """Searches a second, with what the encoder takes for a question where it is on this machine and was measured."""
    if search.value is None:
        return Figure(name, "speed", None, "unknown")
    return Figure(name, "speed", at_once * 1000 / (search.value + question_ms), search.known, search.sizes)


def grows(name: str, points: Sequence[Point], engine: Engine, width: int) -> Curve | None:
    """The curve of one cost."""
    return costs.curve(BY_NAME[name], points, engine=engine, dimensions=width)
