"""The answering model as the engine sees it: a child process that generates and counts.

Knows nothing about llama.cpp nor about pipes, only about the requests that `llm_child` answers.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from ..errors import GenerationFailed, ModelUnavailable
from ..seams import Message, Turn
from .line import TICK_S, Line, Place
from .llm_process import Child, ChildGone, ChildSilent, Reply
from .machine import BATCH, physical_cores

LOAD_S = 600.0  # the weights of a large model on a slow disk
FIRST_TOKEN_S = 600.0  # a long prompt on a slow machine
TOKEN_S = 120.0
COUNT_S = 60.0
CANCEL_S = 0.8  # between tokens a cancel takes milliseconds; longer means "inside the prompt"
DEATHS = 3  # in a row and without an answer, then the model is left alone
NAME_BYTES = 1 << 20  # of the file, enough to tell two models apart
MAGIC = b"GGUF"

Waiting = Generator[str, None, Reply]  # an empty piece at each tick, then the reply


class Llm:
    """A GGUF file and, once asked, the process that holds it. One question at a time, in the order of their coming.

    `close()` ends the process and gives its memory back; the next request starts it again, as it does after a crash.
    A process that crashes while it loads, or dies DEATHS times in a row, is not started again before `retry()`.
    """

    def __init__(
        self,
        path: Path,
        *,
        context_tokens: int = 4096,
        answer_tokens: int = 400,
        threads: int = 0,
        batch_tokens: int = BATCH,
        idle_s: float = 0.0,
    ) -> None:
        self.path = path
        self._load: dict[str, Any] = {
            "do": "load",
            "path": str(path),
            "n_ctx": context_tokens,
            "n_batch": batch_tokens,
            "n_threads": threads or physical_cores(),
            "idle_s": idle_s,
        }
        self._answer_tokens = answer_tokens
        self._line = Line()
        self._turns = itertools.count(1)
        self._child: Child | None = None
        self._deaths = 0
        self._off: str | None = None  # why it is not started any more

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

    def retry(self) -> None:
        """Let a model that was turned off be started again by the next request."""
        self._off, self._deaths = None, 0

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """The model for one question: its requests follow one another, and nobody comes between them."""
        with self._line.place() as place:
            yield Turn(self._waited(place), lambda m: self._said(place, m), lambda text: self._counted(place, text))

    def generate(self, messages: Sequence[Message]) -> Generator[str, None, str]:
        """The pieces of the model's answer; the iterator returns "stop" or "length" (the answer was cut).

        An empty piece comes several times a second while nothing else does. Closing it early stops the model within
        a second. Raises ModelUnavailable for a file that can't be used or a model that was turned off,
        GenerationFailed(stage="load" | "prompt" | "tokens") when the process fails.
        """
        with self._line.place() as place:
            return (yield from self._said(place, messages))

    def count(self, text: str) -> int:
        """The number of tokens of the text for this model, without any special one."""
        with self._line.place() as place:
            return self._counted(place, text)

    def _waited(self, place: Place) -> Iterator[int]:
        yield from place.ahead()
        yield from (0 for _ in self._ready())

    def _said(self, place: Place, messages: Sequence[Message]) -> Generator[str, None, str]:
        yield from ("" for _ in place.ahead())
        child = yield from self._ready()
        turn, stage, wait, over = next(self._turns), "prompt", FIRST_TOKEN_S, False
        try:
            self._send(
                child,
                stage,
                do="generate",
                id=turn,
                messages=[{"role": m.role, "content": m.content} for m in messages],
                max_tokens=self._answer_tokens,
            )
            while True:
                reply = yield from self._reply(child, turn, wait, stage)
                over = "piece" not in reply
                if "end" in reply:
                    self._deaths = 0
                    return str(reply["end"])
                if "error" in reply:
                    raise GenerationFailed(stage=reply["error"], reason=reply["reason"])
                stage, wait = "tokens", TOKEN_S
                yield reply["piece"]
        finally:
            if not over and not (child.alive and child.cancel(turn, CANCEL_S)):
                child.end()

    def _counted(self, place: Place, text: str) -> int:
        _drain("" for _ in place.ahead())
        child = _drain(self._ready())
        turn = next(self._turns)
        self._send(child, "prompt", do="count", id=turn, text=text)
        return int(_drain(self._reply(child, turn, COUNT_S, "prompt"))["count"])

    def _ready(self) -> Generator[str, None, Child]:
        """The child with its model; an empty piece at each tick while it loads."""
        if self._off is not None:
            raise ModelUnavailable(role="generate", path=str(self.path), reason=self._off)
        if self._child and self._child.alive and (yield from self._greeted(self._child)):
            return self._child
        with _readable(self.path) as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ModelUnavailable(role="generate", path=str(self.path), reason="format")
        self.close()
        child = self._child = Child()
        loaded = False
        try:
            self._send(child, "load", **self._load)
            reply = yield from self._reply(child, 0, LOAD_S, "load")
            loaded = "error" not in reply
        finally:
            if not loaded:  # refused, or nobody waits for it any more
                self.close()
        if not loaded:
            raise ModelUnavailable(role="generate", path=str(self.path), reason=reply["reason"])
        return child

    def _greeted(self, child: Child) -> Generator[str, None, bool]:
        """Whether the child answers; one that ends because it was idle is no failure."""
        turn = next(self._turns)
        try:
            child.send(do="hello", id=turn)
            yield from _ticking(child, turn, COUNT_S)
        except (ChildGone, ChildSilent):
            return False
        return True

    def _send(self, child: Child, stage: str, **request: object) -> None:
        try:
            child.send(**request)
        except ChildGone as gone:
            raise self._failed(child, stage) from gone

    def _reply(self, child: Child, turn: int, limit_s: float, stage: str) -> Waiting:
        try:
            return (yield from _ticking(child, turn, limit_s))
        except ChildSilent as silent:
            child.end()
            raise GenerationFailed(stage=stage, reason="slow") from silent
        except ChildGone as gone:
            raise self._failed(child, stage) from gone

    def _failed(self, child: Child, stage: str) -> GenerationFailed | ModelUnavailable:
        """What the death of the child means, now and for the questions to come."""
        if not child.ended_here:
            self._deaths += 1
            if stage == "load" and child.crashed:
                self._off = "crash"
            elif self._deaths >= DEATHS:
                self._off = "dies"
        child.end()
        if self._off is not None:
            return ModelUnavailable(role="generate", path=str(self.path), reason=self._off)
        return GenerationFailed(stage=stage, reason="process")


def _ticking(child: Child, turn: int, limit_s: float) -> Waiting:
    deadline = time.monotonic() + limit_s
    while True:
        try:
            return child.receive(turn, TICK_S)
        except ChildSilent:
            if time.monotonic() > deadline:
                raise
            yield ""


def _drain(waiting: Any) -> Any:
    """What a generator returns, its pieces left out."""
    while True:
        try:
            next(waiting)
        except StopIteration as end:
            return end.value


@contextmanager
def _readable(path: Path) -> Iterator[Any]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise ModelUnavailable(role="generate", path=str(path), reason="missing") from error
    with file:
        yield file
