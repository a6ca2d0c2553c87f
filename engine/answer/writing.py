"""One answer of a language model: its place in the line, its prompt, its words as they come.

Knows nothing about what the words may say: `answering` judges them once they are all there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Literal

from ..errors import GenerationFailed, ModelUnavailable
from ..seams import Generate, Models, Turn
from ..settings import Settings
from ..values import Evidence, Piece, Queued, Zone
from . import guard, kept, prompt, stream

# Of a model whose own context nobody told.
CONTEXT_TOKENS = 4096
# What a chat template adds around the messages, at most.
TEMPLATE_TOKENS = 64
# French text, when no tokenizer is at hand.
CHARS_PER_TOKEN = 3

Writer = Literal["llm", "remote"]
Check = Callable[[], None]


def write(
    question: str,
    evidence: tuple[Evidence, ...],
    *,
    writer: Writer,
    models: Models,
    settings: Settings,
    answers: kept.Answers,
    check: Check,
    timings_ms: dict[str, float],
    zone: Zone = Zone.NORMAL,
) -> Generator[Queued | Piece, None, kept.Written]:
    """Queued while other questions are before this one, then the pieces to show; returns the whole.

    What was written to its end before, for the same question and evidence, comes back at once. `check` is called
    several times a second and stops everything by raising. Raises ModelUnavailable and GenerationFailed.
    """
    context = (models.context_tokens if writer == "llm" else None) or settings.llm_context_tokens or CONTEXT_TOKENS
    budget = context - settings.llm_answer_tokens - TEMPLATE_TOKENS
    key = None
    if writer == "llm" and models.generate_name is not None:
        name, room = models.generate_name(), settings.llm_answer_tokens
        key = kept.key(question, evidence, model=name, budget_tokens=budget, answer_tokens=room, zone=zone)
        if (known := answers.get(key)) is not None:
            timings_ms["kept"] = 0.0
            return known
    started = time.perf_counter()
    with _turn(writer, models, settings) as turn:
        yield from _waiting(turn.ahead, check)
        timings_ms["wait"] = _since_ms(started)
        started = time.perf_counter()
        built = prompt.build(question, evidence, budget_tokens=budget, count=turn.count, zone=zone)
        if not built.evidence:
            raise GenerationFailed(stage="prompt", reason="no_room")
        timings_ms["prompt"] = _since_ms(started)
        said = _Said(time.perf_counter())
        try:
            pieces = stream.preview(said.listen(turn.generate, built, check))
            for shown in guard.heard(pieces, question, built.evidence):
                yield Piece(shown)
        finally:
            said.close()
    timings_ms |= {"first_token": said.first_ms, "generate": _since_ms(said.started)}
    written = kept.Written("".join(said.pieces), said.finish, built.evidence)
    if key is not None:
        answers.put(key, written)
    return written


def _turn(writer: Writer, models: Models, settings: Settings) -> AbstractContextManager[Turn]:
    generate = models.remote if writer == "remote" else models.generate
    if generate is None and writer == "remote":
        raise ModelUnavailable(role="generate", path="", reason="remote_none")
    if generate is None:
        raise ModelUnavailable(role="generate", path=str(settings.llm_model or ""))
    if writer == "llm" and models.turn is not None:
        return models.turn()
    count = models.count if writer == "llm" and models.count is not None else _count_roughly
    return nullcontext(Turn(iter(()), generate, count))


def _waiting(ahead: Iterator[int], check: Check) -> Iterator[Queued]:
    told: int | None = None
    for before in ahead:
        check()
        if before != told:
            told = before
            yield Queued(before)
    check()
    if told:
        yield Queued(0)


@dataclass(slots=True)
class _Said:
    """One generation being listened to: its pieces, when it began to speak and how it ended."""

    started: float
    pieces: list[str] = field(default_factory=list)
    first_ms: float = 0.0
    finish: str = "stop"
    _source: Iterator[str] = field(default_factory=lambda: iter(()))

    def listen(self, generate: Generate, built: prompt.Prompt, check: Check) -> Iterator[str]:
        self._source = generate(built.messages)
        while True:
            try:
                piece = next(self._source)
            except StopIteration as end:
                self.finish = str(end.value or "stop")
                return
            check()
            if piece:
                self.first_ms = self.first_ms or _since_ms(self.started)
                self.pieces.append(piece)
                yield piece

    def close(self) -> None:
        # An abandoned answer must stop the model now, not when memory is next collected.
        if isinstance(self._source, Generator):
            self._source.close()


def _count_roughly(text: str) -> int:
    return len(text) // CHARS_PER_TOKEN + 1


def _since_ms(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 1)
