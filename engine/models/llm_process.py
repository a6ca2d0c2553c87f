"""The child process of the language model, from its parent's side: start, send, receive, end.

Knows nothing about what the lines mean beyond their turn, so that a late reply is told from a fresh one.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

Reply = dict[str, Any]

# How a process ends that did something it can't do, as opposed to being killed from outside.
FAULTS = frozenset(
    getattr(signal, name).value
    for name in ("SIGILL", "SIGABRT", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGTRAP", "SIGSYS")
    if hasattr(signal, name)
)
NT_FAULT = 0x40000000  # Windows: from here on a status is an exception's code


def command() -> list[str]:
    """The command line of the child: this program itself when frozen, a module otherwise."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "llm-child"]
    return [sys.executable, "-m", "engine.models.llm_child"]


class ChildGone(Exception):
    """The child has ended."""


class ChildSilent(Exception):
    """The child has said nothing for the time given."""


class Child:
    """One child process and the thread that reads its lines; ended by `end()`, by collection or at exit."""

    def __init__(self) -> None:
        root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        # The thread holds the pipe and the queue, never `self`: an abandoned child can be collected.
        reader = threading.Thread(target=_read, args=(self._process, self._replies), daemon=True)
        reader.start()
        self._finalize = weakref.finalize(self, _end, self._process, reader)
        self._ended_here = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def crashed(self) -> bool:
        """Whether it ended by a fault of its own (an illegal instruction, an abort), not killed by anybody."""
        status = self._process.poll()
        if status is None or self._ended_here:
            return False
        return -status in FAULTS if status < 0 else status >= NT_FAULT

    @property
    def ended_here(self) -> bool:
        """Whether `end()` was called: what follows is no fault of the child."""
        return self._ended_here

    def end(self) -> None:
        self._ended_here = True
        self._finalize()

    def send(self, **request: object) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # ValueError: closed by `end()` meanwhile
            raise ChildGone from error

    def receive(self, turn: int, timeout_s: float) -> Reply:
        """The next reply to this turn; replies to an earlier, cancelled one are passed over.

        Raises ChildGone and ChildSilent.
        """
        while True:
            try:
                reply = self._replies.get(timeout=timeout_s)
            except queue.Empty as silence:
                raise ChildSilent from silence
            if reply is None:
                self._replies.put(None)  # for whoever asks again
                raise ChildGone
            if reply.get("id", 0) == turn:
                return reply

    def cancel(self, turn: int, timeout_s: float) -> bool:
        """Ask the child to stop this turn; whether it did so in time."""
        try:
            self.send(do="cancel", id=turn)
            while "piece" in self.receive(turn, timeout_s):
                pass
        except (ChildGone, ChildSilent):
            return False
        return True


def _read(process: subprocess.Popen[bytes], replies: queue.SimpleQueue[Reply | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.endswith(b"\n"):  # a killed child may leave half a line
            replies.put(json.loads(line))
    process.wait()  # its status is known from here on
    replies.put(None)


def _end(process: subprocess.Popen[bytes], reader: threading.Thread) -> None:
    process.kill()
    process.wait()
    reader.join()
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe:
                pipe.close()
        except OSError:  # what was still buffered can't reach a dead process
            continue
