"""How well a score tells two kinds of questions apart: the ROC curve, the area under it and its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 1000
SEED = 20261130  # fixed, so that a report can be made again


def area(answerable: Sequence[float], refused: Sequence[float]) -> float:
    """How often an answerable question scores higher than a refused one, ties counting half."""
    ordered = np.sort(refused)
    below, upto = np.searchsorted(ordered, answerable, "left"), np.searchsorted(ordered, answerable, "right")
    return float((below + upto).sum() / 2 / (len(answerable) * len(refused)))


def interval(answerable: Sequence[float], refused: Sequence[float]) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles of the area over 1,000 resamples of the questions on both sides."""
    random, yes, no = np.random.default_rng(SEED), np.asarray(answerable), np.asarray(refused)
    drawn = [area(random.choice(yes, len(yes)).tolist(), random.choice(no, len(no)).tolist()) for _ in range(RESAMPLES)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def curve(answerable: Sequence[float], refused: Sequence[float]) -> list[tuple[float, float]]:
    """The corners, from (0, 0) to (1, 1), of the shares of refused and of answerable questions at or above a score."""
    yes, no = np.sort(answerable), np.sort(refused)
    found = [(0.0, 0.0)]
    for score in sorted({*yes.tolist(), *no.tolist()}, reverse=True):
        across, up = (float(1 - np.searchsorted(side, score, "left") / len(side)) for side in (no, yes))
        if len(found) > 1 and (found[-2][0] == found[-1][0] == across or found[-2][1] == found[-1][1] == up):
            found.pop()  # on the way to this one
        found.append((across, up))
    return found


def below(scores: Sequence[float], steps: int = 100) -> list[tuple[float, float]]:
    """The share of the scores at or below each of so many steps from 0 to 1."""
    ordered = np.sort(scores)
    at = [n / steps for n in range(steps + 1)]
    return [(place, float(np.searchsorted(ordered, place, "right") / len(ordered))) for place in at]
