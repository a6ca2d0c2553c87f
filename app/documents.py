"""The JSON documents of the command line: a contract that scripts and benchmarks rely on.

Keys change only together with the documentation of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from engine import Abstention, Answer, Citation, Contribution, Declined, Evidence, Hit, SearchResult, Status, Zone
from engine.evaluate.document import summary
from engine.evaluate.matrix import Run

from .job_states import Job
from .messages import message

Document = dict[str, Any]


def search_document(result: SearchResult) -> Document:
    """`search --json`."""
    return {
        "query": result.text,
        "mode": result.mode.value,
        "total": result.total,
        "took_ms": round(result.took_ms, 3),
        "hits": [_hit(hit) for hit in result.hits],
        "corrections": [{"typed": typed, "read": read} for typed, read in result.corrections],
        "suggestion": result.suggestion,
        "timings_ms": {stage: round(spent, 3) for stage, spent in result.timings_ms.items()},
    }


def ask_document(outcome: Answer | Abstention | Declined) -> Document:
    """`ask --json`. An answer's text holds `[[n]]` markers; otherwise it is the sentence of the reason.

    "search" is there only when something else than the question was searched, "rule" only when a rule declined it.
    """
    if isinstance(outcome, Declined):
        return _declined(outcome)
    if isinstance(outcome, Answer):
        kind, text, citations = "answer", outcome.text, outcome.citations
    else:
        kind, text, citations = "abstention", message(outcome.reason), ()
    return {
        "question": outcome.question,
        **_searched(outcome),
        "kind": kind,
        "zone": outcome.zone.value,
        "answerer": outcome.answerer,
        "text": text,
        "citations": [_citation(citation) for citation in citations],
        "evidence": [_evidence(item) for item in outcome.evidence],
        "removed_links": outcome.removed_links,
        "unsupported_sentences": _unsupported(outcome),
        "timings_ms": {stage: round(spent, 3) for stage, spent in outcome.timings_ms.items()},
    }


def _unsupported(outcome: Answer | Abstention) -> list[str]:
    """The sentences that their sources don't support: those of the text, then those that were left out of it."""
    if isinstance(outcome, Abstention):
        return []
    return [*(outcome.text[check.start : check.end] for check in outcome.unsupported), *outcome.dropped]


def _declined(outcome: Declined) -> Document:
    return {
        "question": outcome.question,
        **_searched(outcome),
        "kind": "declined",
        "zone": Zone.EMPTY.value,
        "answerer": None,
        "text": outcome.reason,
        "citations": [],
        "evidence": [],
        "removed_links": 0,
        "unsupported_sentences": [],
        "timings_ms": {},
        "rule": outcome.rule,
    }


def _searched(outcome: Answer | Abstention | Declined) -> Document:
    return {"search": outcome.search} if outcome.search else {}


def status_document(status: Status, jobs: Iterable[Job] = ()) -> Document:
    """`status --json`."""
    return {
        "posts": status.posts,
        "topics": status.topics,
        "categories": status.categories,
        "skipped": dict(status.skipped),
        "lexical": {"posts": status.lexical_posts},
        "dense": {
            "posts": status.dense_posts,
            "coverage": status.dense_coverage,
            "model": status.dense_model,
        },
        "generation": status.generation,
        "jobs": [job_document(job) for job in jobs],
    }


def job_document(job: Job) -> Document:
    """One job of `status --json` and of `jobs --json`. `done`, `total` and `rate` count what the stage counts."""
    return {
        "id": job.id,
        "kind": job.work.kind.value,
        "sources": list(job.work.sources),
        "state": job.state.value,
        "asked": job.wish.value if job.wish else None,
        "stage": job.stage or None,
        "done": job.done,
        "total": job.total,
        "rate": job.rate,
        "left_s": job.left_s,
        "item": job.item or None,
        "messages": [{"code": note.code, "values": dict(note.values)} for note in job.notes],
        "created_at": _moment(job.created_at),
        "started_at": _moment(job.started_at) if job.started_at else None,
        "heartbeat_at": _moment(job.heartbeat_at) if job.heartbeat_at else None,
        "ended_at": _moment(job.ended_at) if job.ended_at else None,
    }


def evaluate_document(run: Run) -> Document:
    """`evaluate --json`. The figures at the top of a configuration are those by topic."""
    return summary(run)


def _hit(hit: Hit) -> Document:
    return {
        "rank": hit.rank,
        "post_id": hit.post_id,
        "topic_id": hit.topic_id,
        "post_number": hit.post_number,
        "url": hit.url,
        "title": hit.title,
        "category": hit.category,
        "author": hit.author,
        "created_at": _moment(hit.created_at),
        "score": hit.score,
        "excerpt": hit.excerpt,
        "contributions": [_contribution(part) for part in hit.contributions],
        "matched": list(hit.matched),
    }


def _contribution(part: Contribution) -> Document:
    return {"ranking": part.ranking, "rank": part.rank, "weight": part.weight, "share": part.share}


def _citation(citation: Citation) -> Document:
    return {
        "n": citation.n,
        "post_id": citation.post_id,
        "topic_id": citation.topic_id,
        "post_number": citation.post_number,
        "url": citation.url,
        "quote": citation.quote,
    }


def _evidence(item: Evidence) -> Document:
    return {
        "n": item.n,
        "post_id": item.post_id,
        "topic_id": item.topic_id,
        "post_number": item.post_number,
        "url": item.url,
        "title": item.title,
        "text": item.text,
    }


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
