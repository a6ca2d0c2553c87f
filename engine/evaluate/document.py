"""A run as JSON: the document of `evaluate --json`, and the whole one that is kept beside the reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .compare import MEASURES, Comparison
from .matrix import Result, Run
from .scoring import Level, Scored, by_tag, means

Document = dict[str, Any]
RECALL_KS = ("5", "10", "20")


def summary(run: Run) -> Document:
    """The document of `evaluate --json`. The figures at the top of a configuration are those by topic."""
    return {
        "questions": len(run.questions.questions),
        "configs": [_config(result) for result in run.results],
        "comparisons": [_comparison(comparison) for comparison in run.comparisons],
        "absent": list(run.absent),
    }


def whole(run: Run) -> Document:
    """The summary with the conditions, the tags, and every question's ranks."""
    return {
        "at": run.at.isoformat(timespec="seconds"),
        "took_s": round(run.took_s, 3),
        "question_file": {"path": str(run.questions.path), "sha256": run.questions.sha256},
        "archive": dict(zip(("posts", "topics", "categories"), run.counts, strict=True)),
        "settings": {name: _plain(value) for name, value in asdict(run.settings).items()},
        "manifest": asdict(run.manifest),
        "versions": run.versions,
        **summary(run),
        "details": {result.config.name: _details(result) for result in run.results},
    }


def _config(result: Result) -> Document:
    count, topic = means(result.scored, Level.TOPIC)
    posts, post = means(result.scored, Level.POST)
    found = result.abstentions
    spent = dict(result.latency_ms)
    p50, p95 = spent.pop("search", (0.0, 0.0))
    return {
        "name": result.config.name,
        **_rounded(topic),
        "recall@k": {k: round(topic[f"recall@{k}"], 6) for k in RECALL_KS if topic},
        "topic": {"questions": count, **_rounded(topic)},
        "post": {"questions": posts, **_rounded(post)},
        "evidence": _rounded(means(result.scored, Level.EVIDENCE)[1]),
        "abstention": None if found is None else asdict(found),
        "notices": result.notices,
        "latency_ms": {
            "p50": round(p50, 3),
            "p95": round(p95, 3),
            "stages": {stage: {"p50": round(a, 3), "p95": round(b, 3)} for stage, (a, b) in spent.items()},
        },
    }


def _comparison(comparison: Comparison) -> Document:
    return {
        "base": comparison.base,
        "other": comparison.other,
        "level": comparison.level.value,
        "questions": comparison.questions,
        "differences": {
            d.measure: {"delta": round(d.delta, 6), "low": round(d.low, 6), "high": round(d.high, 6)}
            for d in comparison.differences
        },
        "gained": list(comparison.gained),
        "lost": list(comparison.lost),
    }


def _details(result: Result) -> Document:
    return {
        "config": asdict(result.config),
        "tags": {tag: _tag(scored) for tag, scored in by_tag(result.scored).items()},
        "questions": [_question(scored) for scored in result.scored],
        "abstentions": [{"id": o.question.id, "abstained": o.abstained} for o in result.unanswerable],
    }


def _tag(scored: tuple[Scored, ...]) -> Document:
    return {
        level.value: {"questions": count, **_rounded(found)}
        for level in Level
        for count, found in [means(scored, level)]
        if count
    }


def _question(scored: Scored) -> Document:
    outcome, question = scored.outcome, scored.question
    return {
        "id": question.id,
        "question": question.text,
        "topic_rank": _rank(outcome.topics, scored.topics),
        "post_rank": _rank(outcome.posts, question.post_ids),
        "numbered": list(outcome.numbered),
        "abstained": outcome.abstained,
        "first": list(outcome.posts[:10]) or list(outcome.topics[:10]),
        "scores": {
            level.value: {measure: round(found[measure], 6) for measure in MEASURES[level]}
            for level, found in scored.scores.items()
        },
    }


def _rank(ranked: Iterable[int], expected: Iterable[int]) -> int | None:
    wanted = frozenset(expected)
    return next((rank for rank, item in enumerate(ranked, 1) if item in wanted), None)


def _rounded(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in scores.items()}


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
