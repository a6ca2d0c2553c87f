"""What the page of the models does: fetch, check or add one model at a time, in a thread that outlives the page."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine import ArchivisteError, Cancelled, DownloadFailed, Progress, Settings
from engine.models import adding, catalogue, fetching, shelf

log = logging.getLogger(__name__)

Action = Literal["pull", "check", "add"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended: `flaws` of a model that was checked, `error` when it could not be done."""

    flaws: tuple[shelf.ModelFlaw, ...] = ()
    error: ArchivisteError | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """A work that is over."""

    action: Action
    name: str
    outcome: Outcome


class ModelWork:
    """The work under way, read by every page that shows it. `stopping` ends it with the application."""

    def __init__(self, settings: Settings, stopping: threading.Event) -> None:
        self._settings, self._stopping = settings, stopping
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.action: Action | None = None  # None while nothing is under way
        self.name = ""
        self.progress: Progress | None = None
        self.last: Done | None = None

    def pull(self, name: str) -> bool:
        """Begin to download a model of the catalogue; False when something is under way already."""
        from engine.models import hub

        def work() -> Outcome:
            entry = catalogue.find(name)
            hub.pull(entry, self._settings.data, on_progress=self._hear, check=self._check)
            return Outcome()

        return self._begin("pull", name, work)

    def check(self, model: shelf.Installed) -> bool:
        """Begin to read a model whole, to see whether it is what its manifest says."""

        def work() -> Outcome:
            meter = fetching.Meter("verify", model.size, self._hear, self._check)
            return Outcome(flaws=shelf.flaws(model, meter.at))

        return self._begin("check", model.name, work)

    def add(self, source: Path, *, leave: bool) -> bool:
        """Begin to take a model that is on a disk; with `leave` its files stay where they are."""

        def work() -> Outcome:
            adding.add(source, self._settings.data, leave=leave, on_progress=self._hear, check=self._check)
            return Outcome()

        return self._begin("add", source.name, work)

    def cancel(self) -> None:
        """Stop what is under way; what a download has received is kept."""
        self._cancelled.set()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of what is under way."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _begin(self, action: Action, name: str, work: Callable[[], Outcome]) -> bool:
        with self._lock:
            if self.action is not None:
                return False
            self.action, self.name, self.progress, self.last = action, name, None, None
            self._cancelled.clear()
        # A daemon: a connection that hangs must not keep the application from ending.
        self._thread = threading.Thread(target=self._run, args=(action, name, work), name="models", daemon=True)
        self._thread.start()
        return True

    def _run(self, action: Action, name: str, work: Callable[[], Outcome]) -> None:
        try:
            outcome = work()
        except ArchivisteError as error:
            outcome = Outcome(error=error)
        except Exception:  # the boundary of the thread: nobody else would tell
            log.exception("the work on a model failed")
            outcome = Outcome(error=DownloadFailed(path=name))
        self.last = Done(action, name, outcome)
        self.action = None

    def _hear(self, progress: Progress) -> None:
        self.progress = progress

    def _check(self) -> None:
        if self._cancelled.is_set() or self._stopping.is_set():
            raise Cancelled
