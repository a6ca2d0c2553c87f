"""Progress of a sync, stage by stage, with its rate and the time left."""

from __future__ import annotations

from ..discourse.pacing import Clock
from ..values import OnProgress, Progress


class Steps:
    """Tells how far the stage under way is. Its rate and time left come from what was done since it began."""

    def __init__(self, on_progress: OnProgress, clock: Clock) -> None:
        self._tell, self._clock = on_progress, clock
        self.begin("sync", 0)

    def begin(self, stage: str, total: int, *, done: int = 0) -> None:
        """A stage of so many steps begins; `done` of them were done before an interruption."""
        self._stage, self._total, self._first, self._items = stage, total, done, 0
        self._began = self._clock.monotonic()
        if total:
            self._tell(Progress(stage, done, total))

    def step(self, done: int, *, items: int = 0, total: int | None = None) -> None:
        """So many steps are done in all, with these messages more."""
        self._items += items
        self._total = self._total if total is None else total
        elapsed = self._clock.monotonic() - self._began
        fresh = done - self._first
        self._tell(Progress(
            self._stage, min(done, self._total), self._total,
            rate=self._items / elapsed if elapsed > 0 else 0.0,
            left_s=elapsed * max(self._total - done, 0) / fresh if fresh > 0 and elapsed > 0 else None,
        ))  # fmt: skip
