"""The evaluation of answers: every question asked as a reader asks it, and all that came of it measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..answer import citations
from ..answer.answering import Answerer
from ..archive import Archive
from ..values import Abstention, Answer, Declined, Evidence, EvidenceFound, OnProgress, PostId, Progress, TopicId
from ..verdicts import SourceState
from .answers import Case, Kind, Summary, summarise
from .answers_claims import claims_of
from .answers_conditions import Conditions, gather
from .answers_judge import Judge
from .answers_kept import Kept
from .bench import Outcome
from .matrix import STAGE
from .questions import Question, QuestionSet
from .scoring import Level, score

CONTEXT = ("context_precision", "context_recall")


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """One evaluation of answers. `resumed` questions were answered by an earlier one that was stopped."""

    at: datetime
    took_s: float
    resumed: int
    conditions: Conditions
    cases: tuple[Case, ...]

    @property
    def summary(self) -> Summary:
        """The figures, safety questions left out."""
        return summarise(self.cases)


def evaluate(
    archive: Archive,
    questions: QuestionSet,
    *,
    answerer: Answerer,
    limit: int | None = None,
    judge: Judge | None = None,
    folder: Path | None = None,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> AnswerRun:
    """Ask the first `limit` questions and measure what comes. Raises what `Archive.ask` raises.

    With a `folder`, each question answered is kept there at once: after a stop, the same evaluation under the same
    conditions goes on from there. `forget` removes that file once the reports are written.
    """
    at, started = datetime.now(UTC), time.monotonic()
    conditions = gather(archive, questions, answerer, judge.name if judge is not None else "")
    asked = questions.questions[:limit]
    kept = Kept(_path(folder, conditions) if folder is not None else None, asked)
    resumed = len(kept.cases)
    archive.search("mise en route", k=1)  # so that no question pays for loading the index and the encoder
    began, fresh = time.monotonic(), 0
    for done, question in enumerate(asked, 1):
        check()
        if question.id not in kept.cases:
            kept.add(answered(archive, question, answerer=answerer, judge=judge, check=check))
            fresh += 1
        left = (time.monotonic() - began) / fresh * (len(asked) - done) if fresh else None
        on_progress(Progress(STAGE, done, len(asked), left_s=left))
    cases = tuple(kept.cases[question.id] for question in asked)
    return AnswerRun(at, time.monotonic() - started, resumed, conditions, cases)


def forget(run: AnswerRun, folder: Path) -> None:
    """Remove what was kept for going on after a stop."""
    _path(folder, run.conditions).unlink(missing_ok=True)


def answered(
    archive: Archive,
    question: Question,
    *,
    answerer: Answerer,
    judge: Judge | None = None,
    check: Callable[[], None] = lambda: None,
) -> Case:
    """One question through the whole product, as words."""
    started, first_ms = time.perf_counter(), None
    found: tuple[Evidence, ...] = ()
    outcome: Answer | Abstention | Declined | None = None
    for event in archive.ask(question.text, answerer=answerer, check=check):
        match event:
            case EvidenceFound(evidence):
                first_ms, found = _since_ms(started), evidence
            case Answer() | Abstention() | Declined():
                outcome = event
    assert outcome is not None  # exactly one ends every answer
    total_ms, context = _since_ms(started), _context(archive, question, found)
    match outcome:
        case Declined():
            return Case(question, Kind.DECLINED, outcome.reason, reason=outcome.rule, total_ms=total_ms)
        case Abstention():
            return Case(
                question, Kind.ABSTENTION, "", reason=outcome.reason.value, zone=outcome.zone.value,
                answerer=outcome.answerer, removed_links=outcome.removed_links, notices=outcome.notices,
                context=context, evidence_ms=first_ms, total_ms=total_ms,
            )  # fmt: skip
    return Case(
        question, Kind.ANSWER, outcome.text, zone=outcome.zone.value, answerer=outcome.answerer,
        cited=tuple(dict.fromkeys(c.post_id for c in outcome.citations)),
        cited_topics=tuple(dict.fromkeys(c.topic_id for c in outcome.citations)),
        markers=len(citations.markers(outcome.text)), valid=_valid(archive, outcome),
        claims=claims_of(archive, outcome), dropped=outcome.dropped, removed_links=outcome.removed_links,
        truncated=outcome.truncated, notices=outcome.notices, context=context, cosine=_cosine(archive, outcome),
        evidence_ms=first_ms, total_ms=total_ms, judged=judge.judge(outcome) if judge is not None else None,
    )  # fmt: skip


def _valid(archive: Archive, answer: Answer) -> int:
    """How many of the numbers in the text are those of a verified citation whose post the archive holds now."""
    now = archive.sources_now(answer.citations)
    held = {citation.n for citation in answer.citations if now[citation.post_id] is SourceState.HELD}
    numbered = {item.n: item.post_id for item in answer.evidence}
    right = {c.n for c in answer.citations if c.n in held and numbered.get(c.n) == c.post_id}
    return sum(n in right for n in citations.markers(answer.text))


def _cosine(archive: Archive, answer: Answer) -> float | None:
    """The cosine of the question and the whole answer. Not RAGAS's answer relevancy, which needs a language model."""
    embed = archive.models.embed
    if embed is None:
        return None
    (asked,), (said,) = embed([answer.question], "query"), embed([citations.without_markers(answer.text)], "passage")
    return float(asked @ said)


def _context(archive: Archive, question: Question, evidence: tuple[Evidence, ...]) -> dict[str, float]:
    """RAGAS's measures of the context, as `scoring` counts them; none where nobody said what is expected."""
    if not question.judged:
        return {}

    def topics_of(post_ids: Iterable[PostId]) -> dict[PostId, TopicId]:
        return {post_id: row.topic_id for post_id, row in archive.store.posts(post_ids).items()}

    numbered, topics = tuple(item.post_id for item in evidence), tuple(item.topic_id for item in evidence)
    read = (*numbered, *(post.post_id for item in evidence for post in item.context))
    outcome = Outcome(
        question, (), (), (), numbered=numbered, numbered_topics=topics, read=read, read_topics=topics
    )  # fmt: skip
    found = score(outcome, topics_of).scores[Level.EVIDENCE]
    return {name: found[name] for name in CONTEXT}


def _path(folder: Path, conditions: Conditions) -> Path:
    return folder / f"answers-{conditions.digest}.part.jsonl"


def _since_ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000
