"""Shows how far a long work is, on stderr: a bar in a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final, TextIO

from engine import Progress

from . import i18n
from .i18n import gettext as _
from .messages import message

SECONDS_BETWEEN_LINES: Final = 5.0
WINDOWED: Final = frozenset({"encode", "dense"})  # a long message is several passages there
BYTES: Final = frozenset({"download", "copy", "verify", "backup", "restore", "snapshot"})
# An import counts bytes, a search for new messages their numbers: neither says anything to a person.
COUNTED: Final = WINDOWED | {
    "lexical", "evaluate", "sync_topics", "sync_recheck", "sync_uploads", "export_json", "export_html",
}  # fmt: skip


def describe(progress: Progress) -> str:
    """« 37,4 % — 12 300 sur 32 900 — 4 100 messages/s — reste 20 s », without what can't be told."""
    share = progress.done / progress.total if progress.total else 1.0
    parts = [i18n.percent(min(share, 1.0), digits=1)]
    if progress.stage in COUNTED | BYTES:
        written = i18n.size if progress.stage in BYTES else i18n.number
        parts.append(_("{done} of {total}").format(done=written(progress.done), total=written(progress.total)))
    if progress.rate > 0:
        parts.append(_rate(progress))
    if progress.left_s is not None and share < 1:
        parts.append(_("{time} left").format(time=i18n.duration(progress.left_s)))
    return " — ".join(parts)


def _rate(progress: Progress) -> str:
    if progress.stage in BYTES:
        return _("{size}/s").format(size=i18n.size(progress.rate))
    rate = i18n.number(progress.rate) if progress.rate >= 1 else i18n.decimal(progress.rate, 2)
    unit = _("{rate} passages/s") if progress.stage in WINDOWED else _("{rate} messages/s")
    return unit.format(rate=rate)


class ProgressLine:
    """Hears the progress of one work after another; use it as a context manager, so that the bar ends."""

    def __init__(self, stream: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._stage = ""
        self._last = float("-inf")
        self._bar = _Bar(self._stream) if self._stream.isatty() else None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the bar, if there is one."""
        if self._bar is not None:
            self._bar.close()

    def __call__(self, progress: Progress) -> None:
        """Show this state, unless another was shown a moment ago."""
        if self._bar is not None:
            self._bar.show(progress)
            return
        now = self._clock()
        changed = progress.stage != self._stage
        ended = progress.total > 0 and progress.done >= progress.total
        if changed or ended or now - self._last >= SECONDS_BETWEEN_LINES:
            self._stage, self._last = progress.stage, now
            self._stream.write(_("{stage}: {state}").format(stage=message(progress), state=describe(progress)) + "\n")
            self._stream.flush()


class _Bar:
    """rich's bar, one a stage."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._rich = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[state]}", markup=False),
            console=Console(file=stream),
        )
        self._tasks: dict[str, int] = {}
        self._rich.start()

    def show(self, progress: Progress) -> None:
        state = describe(progress)
        if progress.stage not in self._tasks:
            task = self._rich.add_task(message(progress), total=max(progress.total, 1), state=state)
            self._tasks[progress.stage] = task
        self._rich.update(
            self._tasks[progress.stage],  # type: ignore[arg-type]
            completed=progress.done if progress.total else 1,
            state=state,
        )

    def close(self) -> None:
        self._rich.stop()
