"""The answering model as the engine sees it: a child process that generates and counts.

Knows nothing about llama.cpp nor about pipes, only about the requests that `llm_child` answers.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from ..errors import GenerationFailed, ModelUnavailable
from ..seams import Message
from .llm_process import Child, ChildGone

LOAD_S = 120.0
FIRST_TOKEN_S = 600.0  # a long prompt on a slow machine
TOKEN_S = 120.0
COUNT_S = 60.0
TURN_S = 900.0  # waiting for the answer of somebody else
CANCEL_S = 0.8  # between tokens a cancel takes milliseconds; longer means "inside the prompt"
# Fixed: another batch size rounds otherwise, and the same question would get another text.
BATCH_TOKENS = 256
NAME_BYTES = 1 << 20  # of the file, enough to tell two models apart
MAGIC = b"GGUF"


class Llm:
    """A GGUF file and, once asked, the process that holds it. One request at a time.

    `close()` ends the process and gives its memory back; the next request starts it again.
    """

    def __init__(self, path: Path, *, context_tokens: int = 4096, answer_tokens: int = 400, threads: int = 0) -> None:
        self.path = path
        self._load: dict[str, Any] = {
            "do": "load",
            "path": str(path),
            "n_ctx": context_tokens,
            "n_batch": BATCH_TOKENS,
            "n_threads": threads or physical_cores(),
        }
        self._answer_tokens = answer_tokens
        self._lock = threading.Lock()
        self._turns = itertools.count(1)
        self._child: Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """File name and a short hash of its size and first megabyte."""
        with _readable(self.path) as file:
            digest = hashlib.sha256(str(self.path.stat().st_size).encode() + file.read(NAME_BYTES))
        return f"{self.path.name}-{digest.hexdigest()[:12]}"

    @property
    def pid(self) -> int | None:
        """The process that holds the model, None while there is none."""
        child = self._child
        return child.pid if child and child.alive else None

    def close(self) -> None:
        """End the child at once, whatever it does; a request under way fails."""
        child, self._child = self._child, None
        if child:
            child.end()

    def generate(self, messages: Sequence[Message]) -> Generator[str, None, str]:
        """The pieces of the model's answer; the iterator returns "stop" or "length" (the answer was cut).

        Closing it early stops the model within a second. Raises ModelUnavailable for a file that can't
        be used, GenerationFailed(stage="load" | "prompt" | "tokens") when the process fails.
        """
        with self._turn() as (child, turn):
            stage, wait, over = "prompt", FIRST_TOKEN_S, False
            try:
                child.send(
                    do="generate",
                    id=turn,
                    messages=[{"role": m.role, "content": m.content} for m in messages],
                    max_tokens=self._answer_tokens,
                )
                while True:
                    reply = child.receive(turn, wait)
                    over = "piece" not in reply
                    if "end" in reply:
                        return str(reply["end"])
                    if "error" in reply:
                        raise GenerationFailed(stage=reply["error"], reason=reply["reason"])
                    stage, wait = "tokens", TOKEN_S
                    yield reply["piece"]
            except ChildGone as gone:
                over = True
                raise self._failed(child, stage) from gone
            finally:
                if not over and not child.cancel(turn, CANCEL_S):
                    child.end()

    def count(self, text: str) -> int:
        """The number of tokens of the text for this model, without any special one."""
        with self._turn() as (child, turn):
            try:
                child.send(do="count", id=turn, text=text)
                return int(child.receive(turn, COUNT_S)["count"])
            except ChildGone as gone:
                raise self._failed(child, "prompt") from gone

    @contextmanager
    def _turn(self) -> Iterator[tuple[Child, int]]:
        if not self._lock.acquire(timeout=TURN_S):
            raise GenerationFailed(stage="load", reason="busy")
        try:
            yield self._ready(), next(self._turns)
        finally:
            self._lock.release()

    def _ready(self) -> Child:
        if self._child and self._child.alive:
            return self._child
        with _readable(self.path) as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ModelUnavailable(role="generate", path=str(self.path), reason="format")
        self.close()
        child = self._child = Child()
        try:
            child.send(**self._load)
            reply = child.receive(0, LOAD_S)
        except ChildGone as gone:
            raise self._failed(child, "load") from gone
        if "error" in reply:
            self.close()
            raise ModelUnavailable(role="generate", path=str(self.path), reason=reply["reason"])
        return child

    def _failed(self, child: Child, stage: str) -> GenerationFailed:
        child.end()
        return GenerationFailed(stage=stage, reason="process")


def physical_cores() -> int:
    """The machine's cores that this process may use; hyper-threads only slow a language model."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    siblings = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    cores = {path.read_text() for path in siblings}
    return max(1, min(allowed, len(cores) or allowed // 2))


@contextmanager
def _readable(path: Path) -> Iterator[Any]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise ModelUnavailable(role="generate", path=str(path), reason="missing") from error
    with file:
        yield file
