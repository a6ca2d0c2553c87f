"""From a question and its evidence to a cited answer, or to an abstention that says why.

Knows nothing about how the evidence was found nor about the library behind the model.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from ..errors import GenerationFailed, ModelUnavailable
from ..index.french import Analyse
from ..seams import Models
from ..settings import Settings
from ..values import Abstention, AbstentionReason, Answer, AnswerEvent, Evidence, EvidenceFound, Piece, Zone
from . import citations, disagreement, extractive, judging, kept, writing

Answerer = Literal["auto", "extractive", "llm", "remote"]
Wrote = Literal["extractive", "llm", "remote"]

log = logging.getLogger(__name__)

# Reasons of a model that won't answer any question until somebody acts, with what the reader is told.
NOTICES = {"crash": "llm_off", "dies": "llm_off"}


def answer(
    question: str,
    evidence: Sequence[Evidence],
    *,
    models: Models,
    settings: Settings,
    answerer: Answerer = "auto",
    analyse: Analyse,
    answers: kept.Answers | None = None,
    check: writing.Check = lambda: None,
    zone: Zone | None = None,
) -> Iterator[AnswerEvent]:
    """EvidenceFound, then Queued while others are served, then pieces, then exactly one Answer or Abstention.

    "auto" takes the model when there is one and falls back on extracts when it fails, with a notice; "llm" and
    "remote" raise ModelUnavailable or GenerationFailed instead. A model may end its iterator by returning "length",
    which says that the answer was cut. `check` is called while a model is waited for and stops all by raising.
    `zone` is how well the evidence can answer, as whoever found it has calibrated it; empty evidence comes back as what
    is nearest, in an abstention. Without it any evidence is taken for good, and extracts judge it by its words.
    """
    question, evidence = question.strip(), tuple(evidence)
    wrote = _writer(models, answerer)
    yield EvidenceFound(evidence)
    floor = 0.0 if zone is Zone.NORMAL else extractive.MIN_COVERAGE
    zone = Zone.EMPTY if not evidence else zone or Zone.NORMAL
    if not question:
        yield Abstention(question, zone, wrote, AbstentionReason.QUESTION_EMPTY, evidence)
        return
    if zone is Zone.EMPTY:
        reason = AbstentionReason.NO_EVIDENCE
        yield Abstention(question, zone, wrote, reason, evidence, category=fitting_category(evidence))
        return
    notices: tuple[str, ...] = ()
    if wrote != "extractive":
        answers = answers or kept.Answers()
        try:
            yield from _generated(question, evidence, zone, wrote, models, settings, analyse, answers, check)
            return
        except (GenerationFailed, ModelUnavailable) as failure:
            if answerer != "auto":
                raise
            # The reader gets extracts; whoever runs the archive learns why from the log.
            log.warning("no answer of the model: %s", failure)
            # What was shown so far is void: the last event replaces it.
            notices = (_notice(wrote, failure),)
    yield from _extracted(question, evidence, zone, models, analyse, floor, notices)


def fitting_category(evidence: Sequence[Evidence]) -> str:
    """The category of most of the nearest posts, a name of the archive; empty when none holds half of them."""
    count = Counter(item.category for item in evidence if item.category)
    [(category, posts)] = count.most_common(1) or [("", 0)]
    return category if posts * 2 >= len(evidence) else ""


def _writer(models: Models, answerer: Answerer) -> Wrote:
    # Asked for by name, a missing model is an error to report, not a reason to do something else.
    if answerer != "auto":
        return answerer
    return "remote" if models.remote else "llm" if models.generate else "extractive"


def _notice(wrote: Wrote, failure: GenerationFailed | ModelUnavailable) -> str:
    if wrote == "remote":
        return "remote_failed"
    if isinstance(failure, GenerationFailed):
        return "llm_failed"
    return NOTICES.get(str(failure.details.get("reason")), "llm_unavailable")


def _extracted(
    question: str,
    evidence: tuple[Evidence, ...],
    zone: Zone,
    models: Models,
    analyse: Analyse,
    floor: float,
    notices: tuple[str, ...],
) -> Iterator[AnswerEvent]:
    started = time.perf_counter()
    extracts, read = extractive.extract(question, evidence, analyse=analyse, embed=models.embed, floor=floor)
    timings = {"extract": _since_ms(started)}
    # Extracts pass the same gate as a model's words: one rule for what an answer may hold. Being the posts' own words,
    # they claim nothing more.
    resolved = citations.resolve(extractive.written(extracts), read)
    if not resolved.cited:
        yield Abstention(
            question,
            Zone.WEAK,
            "extractive",
            AbstentionReason.NO_MATCH,
            evidence,
            notices=notices,
            timings_ms=timings,
            category=fitting_category(evidence),
        )
        return
    for line in resolved.text.splitlines(keepends=True):
        yield Piece(citations.without_markers(line))
    yield Answer(
        question,
        zone,
        "extractive",
        resolved.text,
        citations.citations(resolved, read),
        read,
        removed_links=resolved.removed_links,
        notices=(*notices, *_disagreement(read, resolved.cited, analyse)),
        timings_ms=timings,
    )


def _generated(
    question: str,
    evidence: tuple[Evidence, ...],
    zone: Zone,
    writer: writing.Writer,
    models: Models,
    settings: Settings,
    analyse: Analyse,
    answers: kept.Answers,
    check: writing.Check,
) -> Iterator[AnswerEvent]:
    timings: dict[str, float] = {}
    written = yield from writing.write(
        question, evidence, writer=writer, models=models, settings=settings, answers=answers, check=check,
        timings_ms=timings, zone=zone,
    )  # fmt: skip
    started = time.perf_counter()
    # Only what the model has seen may be cited.
    judged = judging.judge(
        written.text, question, written.evidence, analyse=analyse, embed=models.embed,
        drop_unsupported=settings.unsupported_claims == "drop",
    )  # fmt: skip
    timings["check"] = _since_ms(started)
    notices = ("unfit_removed",) if judged.unfit else ()
    if not judged.answers:
        yield Abstention(
            question,
            zone,
            writer,
            AbstentionReason.NO_CITATION,
            evidence,
            removed_links=judged.removed,
            notices=notices,
            timings_ms=timings,
            category=fitting_category(evidence),
        )
        return
    resolved = judged.resolved
    yield Answer(
        question,
        zone,
        writer,
        resolved.text,
        citations.citations(resolved, evidence),
        evidence,
        removed_links=judged.removed,
        truncated=written.finish == "length",
        notices=(*notices, *_disagreement(evidence, resolved.cited, analyse)),
        timings_ms=timings,
        checks=judged.checks,
        dropped=judged.dropped,
    )


def _disagreement(evidence: Sequence[Evidence], cited: Sequence[int], analyse: Analyse) -> tuple[str, ...]:
    return ("sources_disagree",) if disagreement.between(evidence, cited, analyse) else ()


def _since_ms(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 1)
