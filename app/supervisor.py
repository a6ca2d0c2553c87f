"""Keeps a worker alive while the application runs: started, started again with growing delays, ended at the end."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from . import locks, logs, process
from .jobs import worker_lock

STEADY_S: Final = 30.0  # a worker that lived so long did not die of its start
MAX_DEATHS: Final = 5  # in a row, each sooner than that
FIRST_DELAY_S: Final = 1.0  # doubled at each of them
ELSEWHERE_S: Final = 30.0  # between two looks at another application's worker
END_S: Final = 8.0  # more than the worker gives its job to stop
OUTPUT: Final = "worker-output.log"
_log = logging.getLogger(__name__)


class Supervisor:
    """The worker of one data folder. `notice` is a code for the screen once the worker was given up."""

    def __init__(
        self,
        data: Path,
        command: Sequence[str] | None = None,
        *,
        first_delay_s: float = FIRST_DELAY_S,
        told: Callable[[str], None] = lambda code: None,
    ) -> None:
        self.notice: str | None = None
        self._data = data
        self._command = command or process.command(data, "worker", "--with-parent")
        self._first_delay_s, self._told = first_delay_s, told
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    @property
    def pid(self) -> int | None:
        """The worker's process, None while there is none."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def start(self) -> None:
        """Start the worker and watch over it."""
        self._thread.start()

    def stop(self) -> None:
        """End the worker; a job under way is interrupted and goes on at the next start. Once is enough."""
        with self._lock:
            self._stopping.set()
            child = self._child
        if child is not None:
            assert child.stdin is not None
            child.stdin.close()  # what the worker takes for the death of its parent
            try:
                child.wait(END_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        deaths = 0
        logs.path_of(self._data, OUTPUT).unlink(missing_ok=True)
        while not self._stopping.is_set():
            began = time.monotonic()
            status = self._live()
            if self._stopping.is_set():
                return
            if locks.is_held(worker_lock(self._data)):  # another application serves this archive, or a person
                self._stopping.wait(ELSEWHERE_S)
                continue
            deaths = 1 if time.monotonic() - began > STEADY_S else deaths + 1
            _log.warning("the worker ended with status %s, %s in a row", status, deaths)
            if deaths >= MAX_DEATHS:
                self.notice = "worker_given_up"
                _log.error("the worker is given up: see %s", logs.path_of(self._data, OUTPUT))
                self._told(self.notice)
                return
            self._stopping.wait(self._first_delay_s * 2 ** (deaths - 1))

    def _live(self) -> int | None:
        """The exit status of one worker, from its start to its end; None when it could not start."""
        log = logs.path_of(self._data, OUTPUT)
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab") as output, self._lock:
                if self._stopping.is_set():
                    return None
                self._child = child = subprocess.Popen(
                    self._command, cwd=process.folder(), stdin=subprocess.PIPE, stdout=output, stderr=output,
                    **process.detached(),
                )  # fmt: skip
        except OSError:
            _log.exception("the worker can't be started")
            return None
        status = child.wait()
        assert child.stdin is not None
        child.stdin.close()
        return status
