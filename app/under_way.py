"""The questions that this process answers now, counted: the end of the server waits for them, and they are measured."""

from __future__ import annotations

import threading


class UnderWay:
    """How many questions are in hand, and how many of those only wait for their turn. Safe from several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waits: dict[object, bool] = {}  # by question

    def begin(self) -> object:
        """One more, which waits; what is given back stands for it, until its `end`."""
        mark = object()
        self.waits(mark, True)
        return mark

    def waits(self, mark: object, waiting: bool) -> None:
        """Whether this question only waits for others now."""
        with self._changed:
            self._waits[mark] = waiting

    def end(self, mark: object) -> None:
        """This question is over."""
        with self._changed:
            del self._waits[mark]
            self._changed.notify_all()

    @property
    def count(self) -> int:
        """The questions in hand."""
        with self._changed:
            return len(self._waits)

    @property
    def waiting(self) -> int:
        """Those of them that wait for others."""
        with self._changed:
            return sum(self._waits.values())

    def wait_for_none(self, timeout_s: float) -> bool:
        """Wait until none is left, for so long at most; whether none is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waits, timeout_s)
