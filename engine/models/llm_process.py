"""The child process of the language model, from its parent's side: start, send, receive, end.

Knows nothing about what the lines mean beyond their turn, so that a late reply is told from a fresh one.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

Reply = dict[str, Any]


def command() -> list[str]:
    """The command line of the child: this program itself when frozen, a module otherwise."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "llm-child"]
    return [sys.executable, "-m", "engine.models.llm_child"]


class ChildGone(Exception):
    """The child ended, or was silent for too long."""


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

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        self._finalize()

    def send(self, **request: object) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # ValueError: closed by `end()` meanwhile
            raise ChildGone from error

    def receive(self, turn: int, timeout_s: float) -> Reply:
        """The next reply to this turn; replies to an earlier, cancelled one are passed over."""
        while True:
            try:
                reply = self._replies.get(timeout=timeout_s)
            except queue.Empty as silence:
                raise ChildGone from silence
            if reply is None:
                raise ChildGone
            if reply.get("id", 0) == turn:
                return reply

    def cancel(self, turn: int, timeout_s: float) -> bool:
        """Ask the child to stop this turn; whether it did so in time."""
        try:
            self.send(do="cancel", id=turn)
            while "piece" in self.receive(turn, timeout_s):
                pass
        except ChildGone:
            return False
        return True


def _read(process: subprocess.Popen[bytes], replies: queue.SimpleQueue[Reply | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.endswith(b"\n"):  # a killed child may leave half a line
            replies.put(json.loads(line))
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
