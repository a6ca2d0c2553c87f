"""From a question and its evidence to a cited answer, or to an abstention that says why.

Knows nothing about how the evidence was found nor about the library behind the model.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..errors import GenerationFailed, ModelUnavailable
from ..seams import Generate, Models
from ..settings import Settings
from ..values import Abstention, AbstentionReason, Answer, AnswerEvent, Evidence, EvidenceFound, Piece, Zone
from . import citations, extractive, prompt, stream

Answerer = Literal["auto", "extractive", "llm"]
Wrote = Literal["extractive", "llm"]

# What a chat template adds around the messages, at most.
TEMPLATE_TOKENS = 64
# French text, when no tokenizer is at hand.
CHARS_PER_TOKEN = 3


def answer(
    question: str,
    evidence: Sequence[Evidence],
    *,
    models: Models,
    settings: Settings,
    answerer: Answerer = "auto",
    analyse: extractive.Analyse,
    count: prompt.Count | None = None,
) -> Iterator[AnswerEvent]:
    """EvidenceFound, then pieces, then exactly one Answer or Abstention.

    "auto" takes the model when there is one and falls back on extracts when it fails, with a notice;
    "llm" raises ModelUnavailable or GenerationFailed instead. `models.generate` may end its iterator
    by returning "length", which says that the answer was cut.
    """
    question, evidence = question.strip(), tuple(evidence)
    wrote: Wrote = "extractive" if answerer == "extractive" or not _has_llm(models, answerer) else "llm"
    yield EvidenceFound(evidence)
    zone = zone_of(evidence)
    if not question:
        yield Abstention(question, zone, wrote, AbstentionReason.QUESTION_EMPTY, evidence)
        return
    if zone is Zone.EMPTY:
        yield Abstention(question, zone, wrote, AbstentionReason.NO_EVIDENCE)
        return
    notices: tuple[str, ...] = ()
    if wrote == "llm":
        try:
            yield from _generated(question, evidence, zone, models, settings, count)
            return
        except (GenerationFailed, ModelUnavailable) as failure:
            if answerer == "llm":
                raise
            # What was shown so far is void: the last event replaces it.
            notices = ("llm_failed" if isinstance(failure, GenerationFailed) else "llm_unavailable",)
    yield from _extracted(question, evidence, zone, models, analyse, notices)


def zone_of(evidence: Sequence[Evidence]) -> Zone:
    """How well the evidence can answer. The weak zone waits for its calibration, per configuration."""
    return Zone.NORMAL if evidence else Zone.EMPTY


def _has_llm(models: Models, answerer: Answerer) -> bool:
    # Asked for by name, a missing model is an error to report, not a reason to do something else.
    return answerer == "llm" or models.generate is not None


def _extracted(
    question: str,
    evidence: tuple[Evidence, ...],
    zone: Zone,
    models: Models,
    analyse: extractive.Analyse,
    notices: tuple[str, ...],
) -> Iterator[AnswerEvent]:
    started = time.perf_counter()
    extracts = extractive.extract(question, evidence, analyse=analyse, embed=models.embed)
    timings = {"extract": _since_ms(started)}
    # Extracts pass the same gate as a model's words: one rule for what an answer may hold.
    resolved = citations.resolve(extractive.written(extracts), evidence)
    if not resolved.cited:
        yield Abstention(
            question,
            Zone.WEAK,
            "extractive",
            AbstentionReason.NO_MATCH,
            evidence,
            notices=notices,
            timings_ms=timings,
        )
        return
    for line in resolved.text.splitlines(keepends=True):
        yield Piece(citations.without_markers(line))
    yield Answer(
        question,
        zone,
        "extractive",
        resolved.text,
        citations.citations(resolved, evidence),
        evidence,
        removed_links=resolved.removed_links,
        notices=notices,
        timings_ms=timings,
    )


def _generated(
    question: str,
    evidence: tuple[Evidence, ...],
    zone: Zone,
    models: Models,
    settings: Settings,
    count: prompt.Count | None,
) -> Iterator[AnswerEvent]:
    if models.generate is None:
        raise ModelUnavailable(role="generate", path=str(settings.llm_model or ""))
    started = time.perf_counter()
    budget = settings.llm_context_tokens - settings.llm_answer_tokens - TEMPLATE_TOKENS
    built = prompt.build(question, evidence, budget_tokens=budget, count=count or _count_roughly)
    if not built.evidence:
        raise GenerationFailed(stage="prompt", reason="no_room")
    timings = {"prompt": _since_ms(started)}
    said = _Said(time.perf_counter())
    try:
        for shown in stream.preview(said.listen(models.generate, built)):
            yield Piece(shown)
    finally:
        said.close()
    timings |= {"first_token": said.first_ms, "generate": _since_ms(said.started)}
    # Only what the model has seen may be cited.
    resolved = citations.resolve(stream.without_thoughts("".join(said.pieces)), built.evidence)
    removed = resolved.removed_links + resolved.invalid_markers
    if not resolved.cited or not any(map(str.isalpha, citations.without_markers(resolved.text))):
        yield Abstention(
            question,
            zone,
            "llm",
            AbstentionReason.NO_CITATION,
            evidence,
            removed_links=removed,
            timings_ms=timings,
        )
        return
    yield Answer(
        question,
        zone,
        "llm",
        resolved.text,
        citations.citations(resolved, evidence),
        evidence,
        removed_links=removed,
        truncated=said.finish == "length",
        timings_ms=timings,
    )


@dataclass(slots=True)
class _Said:
    """One generation being listened to: its pieces, when it began to speak and how it ended."""

    started: float
    pieces: list[str] = field(default_factory=list)
    first_ms: float = 0.0
    finish: object = None
    _source: Iterator[str] = field(default_factory=lambda: iter(()))

    def listen(self, generate: Generate, built: prompt.Prompt) -> Iterator[str]:
        self._source = generate(built.messages)
        while True:
            try:
                piece = next(self._source)
            except StopIteration as end:
                self.finish = end.value
                return
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
