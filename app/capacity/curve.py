"""How a cost grows with the number of posts: a fixed part and a power law, fitted on measured points. Pure.

The fixed part is what an empty process or file costs. Without it, the memory of small archives, most of which is not
their own, would make large ones look far too cheap. No power is below one, for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

FLATTEST: Final = 1.0  # a further post costs at least what the one before did: noise of small sizes says less
STEEPEST: Final = 2.0  # nothing here compares every post with every other one
STEPS: Final = 201  # exponents that are tried
STRAIGHT: Final = 5e-3  # what a bend must gain, in squared relative errors: measures are off by some per cent
NEAR: Final = 0.02  # a size this close to a measured one is that size


@dataclass(frozen=True, slots=True)
class Curve:
    """fixed + factor × posts ** exponent, never falling. `sizes` are the measured ones, ascending."""

    fixed: float
    factor: float
    exponent: float
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    """What was measured at each of these sizes."""

    def at(self, posts: float) -> float:
        """The cost of an archive of so many posts, at least one."""
        return float(self.fixed + self.factor * posts**self.exponent)

    @property
    def residual(self) -> float:
        """By what share the curve is above (below, when negative) the measure at the largest size."""
        return self.at(self.sizes[-1]) / self.values[-1] - 1

    @property
    def worst(self) -> float:
        """The same for the size where it is farthest from the measure, without sign."""
        return max(abs(self.at(size) / value - 1) for size, value in zip(self.sizes, self.values, strict=True))

    def measured(self, posts: int) -> float | None:
        """What was measured at this size, None where nothing was."""
        for size, value in zip(self.sizes, self.values, strict=True):
            if abs(size - posts) <= NEAR * posts:
                return value
        return None


def fit(points: Iterable[tuple[int, float]]) -> Curve | None:
    """The curve through (posts, cost) pairs, both positive; None without any.

    One size gives a cost in proportion to the posts. Two give a line, or a power law where the cost grows faster than
    the posts. From three on, it is the curve whose relative errors are the smallest.
    """
    found: dict[int, list[float]] = {}
    for size, value in points:
        found.setdefault(size, []).append(value)
    sizes = tuple(sorted(found))
    values = tuple(float(np.median(found[size])) for size in sizes)
    if not sizes:
        return None
    if len(sizes) == 1:
        return Curve(0.0, values[0] / sizes[0], 1.0, sizes, values)
    if len(sizes) == 2:
        return _through(sizes, values)
    return _closest(sizes, values)


def _closest(sizes: tuple[int, ...], values: tuple[float, ...]) -> Curve:
    """The least squares of the relative errors: for each exponent both other parts are known at once."""
    x, y = np.array(sizes, float) / sizes[-1], np.array(values)
    powers = np.linspace(FLATTEST, STEEPEST, STEPS)
    one, grown = 1 / y, x ** powers[:, None] / y  # (n,), (STEPS, n): what a fixed part and a growing one give, of y
    aa, ab, bb = one @ one, grown @ one, np.square(grown).sum(axis=1)
    a, b = one.sum(), grown.sum(axis=1)
    under = np.maximum(aa * bb - ab * ab, 1e-12 * aa * bb)  # 0 where the growing part does not grow
    fixed, factor = (a * bb - b * ab) / under, (b * aa - a * ab) / under
    fixed, factor = np.where(factor < 0, a / aa, fixed), np.where(fixed < 0, b / bb, factor)
    fixed, factor = np.maximum(fixed, 0), np.maximum(factor, 0)
    errors = np.square(fixed[:, None] * one + factor[:, None] * grown - 1).sum(axis=1)
    best = int(np.argmin(errors + STRAIGHT * np.square(powers - 1)))
    power = float(powers[best])
    return Curve(float(fixed[best]), float(factor[best]) / sizes[-1] ** power, power, sizes, values)


def _through(sizes: tuple[int, ...], values: tuple[float, ...]) -> Curve:
    (x1, x2), (y1, y2) = sizes, values
    if y2 <= y1:  # it does not grow, as far as could be measured
        return Curve(max(y1, y2), 0.0, 1.0, sizes, values)
    slope = (y2 - y1) / (x2 - x1)
    if (fixed := y1 - slope * x1) >= 0:
        return Curve(fixed, slope, 1.0, sizes, values)
    exponent = min(float(np.log(y2 / y1) / np.log(x2 / x1)), STEEPEST)
    return Curve(0.0, y2 / x2**exponent, exponent, sizes, values)
