"""A line in front of something that serves one at a time: first come, first served, and everybody knows their place."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

TICK_S = 0.2  # how often one who waits is asked whether to go on


class Line:
    """The places taken, in order. Safe to use from several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._places: deque[Place] = deque()

    @contextmanager
    def place(self) -> Iterator[Place]:
        """A place at the end of the line, given up when the context ends, served or not."""
        place = Place(self._changed, self._places)
        with self._changed:
            self._places.append(place)
        try:
            yield place
        finally:
            with self._changed:
                self._places.remove(place)
                self._changed.notify_all()


class Place:
    """One place in a line."""

    def __init__(self, changed: threading.Condition, places: deque[Place]) -> None:
        self._changed, self._places = changed, places

    def ahead(self) -> Iterator[int]:
        """How many are before this place, at each change and every TICK_S; ends when nobody is."""
        while before := self._before():
            yield before
            with self._changed:
                self._changed.wait_for(lambda: self._before() < before, TICK_S)

    def _before(self) -> int:
        with self._changed:  # a Condition's lock can be taken again by its holder
            return self._places.index(self)
