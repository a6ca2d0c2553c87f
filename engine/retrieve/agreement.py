"""Do the two legs speak of the same things? A cheap test that keeps useless vectors out of the fusion.

Good vectors put the best keyword hits closer to the question than posts taken at random, whatever the encoder and its
scale; random, damaged or foreign vectors don't. Where the test fails the words alone rank, so that a bad leg can't drag
a good one down (measured: docs/decisions/0008-useless-vectors.md).
"""

from __future__ import annotations

import math

import numpy as np

from ..seams import Vectors

TOP = 10  # keyword hits whose passages are looked at
MIN_HITS = 3  # passages; with fewer (a misspelt word, a rare subject) nothing can be said, and the vectors are believed
MIN_Z = 1.5  # measured: docs/decisions/0008-useless-vectors.md
MIN_SAMPLE = 30  # passages taken at random that make a population
NO_SPREAD = 1e-6  # float32 rounding


def agrees(hits: Vectors, population: Vectors) -> bool:
    """Whether the cosines (n,) of the best keyword hits' passages stand out of those (m,) of passages taken at random.

    z of a mean: (mean of the hits - mean of the population) / (deviation of the population / √n). Every passage of a
    hit counts, since the best of several is high by chance alone. True when there is too little to tell.
    """
    if len(hits) < MIN_HITS or len(population) < MIN_SAMPLE:
        return True
    deviation = float(np.std(population))
    if deviation < NO_SPREAD:  # every post is as close as any other: such vectors say nothing
        return False
    z = (float(np.mean(hits)) - float(np.mean(population))) / deviation * math.sqrt(len(hits))
    return z >= MIN_Z
