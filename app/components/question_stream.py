"""A question being answered in a thread, read from the page at its own rhythm."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine import Abstention, Answer, AnswerEvent, ArchivisteError, Cancelled, Declined, Queued

from ..state import State

log = logging.getLogger(__name__)

Answerer = Literal["auto", "extractive", "llm", "remote"]
End = Literal["done", "stopped", "cut"]  # stopped by its reader, cut by the end of the server


@dataclass(frozen=True, slots=True)
class Kept:
    """The question is in the log under this number: a reader can say what the outcome is worth."""

    question_id: int


Event = AnswerEvent | Kept | Exception | End


class QuestionStream:
    """Runs `Archive.ask`, whose iterator blocks, outside the event loop; stops between two events or while it waits."""

    def __init__(
        self, state: State, question: str, history: Sequence[str] = (), *, answerer: Answerer = "auto"
    ) -> None:
        self._state, self._question, self._history, self._answerer = state, question, history, answerer
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._asked_at = time.monotonic()
        self._mark = state.under_way.begin()
        state.questions.submit(self._run)

    def arrived(self) -> Iterator[Event]:
        """The events that have come since the last call; an End is the last one of all."""
        while True:
            try:
                yield self._events.get_nowait()
            except queue.Empty:
                return

    def stop(self) -> None:
        """Ask the thread to end; what it has already said stays."""
        self._stopped.set()

    def _run(self) -> None:
        try:
            self._answer()
        finally:
            self._state.under_way.end(self._mark)

    def _answer(self) -> None:
        end: End = "done"
        outcome: Answer | Abstention | Declined | None = None
        self._state.under_way.waits(self._mark, False)
        try:
            events = self._state.archive.ask(self._question, self._history, answerer=self._answerer, check=self._check)
            try:
                for event in events:
                    self._check()
                    self._state.under_way.waits(self._mark, isinstance(event, Queued) and event.ahead > 0)
                    self._events.put(event)
                    if isinstance(event, Answer | Abstention | Declined):
                        outcome = event
                        self._keep(event)
            finally:
                close = getattr(events, "close", None)  # ends the generation in progress
                if close is not None:
                    close()
        except Cancelled:
            end = "stopped" if self._stopped.is_set() else "cut"
        except ArchivisteError as error:
            self._events.put(error)
        except Exception as error:  # the page boundary: a thread has nobody else to tell
            log.exception("a question failed")
            self._events.put(error)
        self._state.on_answer(outcome, time.monotonic() - self._asked_at)
        self._events.put(end)

    def _keep(self, outcome: Answer | Abstention | Declined) -> None:
        if self._state.log is None:
            return
        try:
            self._events.put(Kept(self._state.log.record(outcome)))
        except ArchivisteError:  # a full disk, a busy file: the answer is no worse for it
            log.warning("a question could not be kept in the log", exc_info=True)

    def _check(self) -> None:
        state = self._state
        if self._stopped.is_set() or state.cutting.is_set() or state.stopping.is_set():
            raise Cancelled
