"""Which encoders (`archiviste worker --encode`) are there: each holds the lock of a numbered file while it lives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from . import locks

FOLDER: Final = "encoders"


@contextmanager
def present(data: Path) -> Iterator[int]:
    """This process is an encoder of the data folder until the end of the block, under the first number that is free."""
    for number in itertools.count(1):
        with locks.hold(data / FOLDER / f"{number}.lock") as mine:
            if mine:
                yield number
                return


def count(data: Path) -> int:
    """How many encoders are there."""
    return sum(map(locks.is_held, (data / FOLDER).glob("*.lock")))
