"""The JSON documents of the command line: a contract that scripts and benchmarks rely on.

Keys change only together with the documentation of the contract.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from engine import Abstention, Answer, Citation, Contribution, Evidence, Hit, SearchResult, Status
from engine.evaluate.document import summary
from engine.evaluate.matrix import Run

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
    }


def ask_document(outcome: Answer | Abstention) -> Document:
    """`ask --json`. An answer's text holds `[[n]]` markers; an abstention's is the sentence of its reason."""
    if isinstance(outcome, Answer):
        kind, text, citations = "answer", outcome.text, outcome.citations
    else:
        kind, text, citations = "abstention", message(outcome.reason), ()
    return {
        "question": outcome.question,
        "kind": kind,
        "zone": outcome.zone.value,
        "answerer": outcome.answerer,
        "text": text,
        "citations": [_citation(citation) for citation in citations],
        "evidence": [_evidence(item) for item in outcome.evidence],
        "removed_links": outcome.removed_links,
        "unsupported_sentences": [],
        "timings_ms": {stage: round(spent, 3) for stage, spent in outcome.timings_ms.items()},
    }


def status_document(status: Status) -> Document:
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
        "jobs": [],
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
