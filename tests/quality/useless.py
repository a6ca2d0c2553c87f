"""What useless vectors cost: MRR@10 of keywords alone and of the product's hybrid with random vectors.

python -m tests.quality.useless [COLLECTION …]; every passage and every question gets a random direction, drawn from its
text. The failure that ADR-0003 describes (a bad vector leg that sinks a good keyword leg) would show here.
"""

from __future__ import annotations

import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.evaluate import configs, matrix, questions
from engine.evaluate.scoring import Level, means
from engine.seams import Models, TextRole, Vectors
from tests.quality.collections import COLLECTIONS, Collection, prepare

DIMENSIONS = 384


def random_directions(texts: Sequence[str], role: TextRole) -> Vectors:
    """One direction a text, the same each time, that says nothing of it."""
    rows = np.stack([np.random.default_rng(zlib.crc32((role + t).encode())).normal(size=DIMENSIONS) for t in texts])
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def measure(collection: Collection, cache: Path) -> tuple[float, float]:
    """MRR@10 of keywords alone, and of the hybrid with random vectors."""
    models = Models(embed=random_directions, embed_name="random-directions")
    settings, folder = prepare(collection, models, cache=cache)
    run = matrix.evaluate(settings, models, questions.read(folder), configs.named(["bm25", "hybrid"]))
    words, both = (means(result.scored, Level.TOPIC)[1]["mrr@10"] for result in run.results)
    return words, both


def main(names: Sequence[str]) -> int:
    for name in names or list(COLLECTIONS):
        with tempfile.TemporaryDirectory() as folder:
            words, both = measure(COLLECTIONS[name], Path(folder))
        print(f"{name}: keywords {words:.3f}, hybrid with random vectors {both:.3f}, ratio {both / words:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
