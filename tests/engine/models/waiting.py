"""Waiting for a model and for its process, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator


def wait_until(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "condition not met in time"
        time.sleep(0.005)


def first(pieces: Iterator[str]) -> str:
    """The first piece that says something; empty ones only say that the model is at work."""
    return next(piece for piece in pieces if piece)
