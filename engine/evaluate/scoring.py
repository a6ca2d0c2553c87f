"""From what a configuration gave to figures: per question, then means, by topic, by post and over the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..values import PostId, TopicId
from . import metrics
from .bench import Outcome
from .questions import Question

HITS = (1, 3, 5, 6)  # 6 is the number of sources that the upstream shows
RECALLS = (5, 10, 20)
SLOTS = 5  # ranked posts over which pollution is counted before any grouping
_NOWHERE = TopicId(-1)  # stands for what is expected and not held: nothing can find it

Scores = Mapping[str, float]


class Level(StrEnum):
    """What a figure is counted on."""

    TOPIC = "topic"
    POST = "post"
    EVIDENCE = "evidence"


@dataclass(frozen=True, slots=True)
class Scored:
    """A question that the archive answers, with its figures at each level that it allows."""

    outcome: Outcome
    topics: frozenset[TopicId]  # those expected; none can be found when the archive holds nothing of them
    scores: Mapping[Level, Scores]

    @property
    def question(self) -> Question:
        """The question itself."""
        return self.outcome.question


@dataclass(frozen=True, slots=True)
class Abstentions:
    """How often no extract answered: rightly, of the questions without answer; wrongly, of the others."""

    expected: int
    right: int
    answerable: int
    wrong: int


def score(outcome: Outcome, topics_of: Callable[[Iterable[PostId]], Mapping[PostId, TopicId]]) -> Scored:
    """The figures of one question that has an answer. Its topics are those of its posts when it names none."""
    question = outcome.question
    topics = frozenset(question.topic_ids) or frozenset(topics_of(question.post_ids).values())
    topics = topics or frozenset({_NOWHERE})
    found: dict[Level, Scores] = {Level.TOPIC: _ranked(outcome.topics, dict.fromkeys(topics, 1))}
    if not outcome.ranks_posts:
        return Scored(outcome, topics, found)
    if question.post_ids:
        grades = question.grades or (1,) * len(question.post_ids)
        found[Level.POST] = _ranked(outcome.posts, dict(zip(question.post_ids, grades, strict=True)))
    found[Level.EVIDENCE] = _evidence(outcome, topics)
    return Scored(outcome, topics, found)


def means(scored: Sequence[Scored], level: Level) -> tuple[int, Scores]:
    """How many of these have figures at that level, and the mean of each figure; empty when none has."""
    rows = [s.scores[level] for s in scored if level in s.scores]
    if not rows:
        return 0, {}
    return len(rows), {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def by_tag(scored: Sequence[Scored]) -> Mapping[str, tuple[Scored, ...]]:
    """The questions of each tag and each difficulty, in alphabetical order."""
    groups: dict[str, list[Scored]] = {}
    for item in scored:
        names = [*item.question.tags, *([item.question.difficulty] if item.question.difficulty else [])]
        for name in dict.fromkeys(names):
            groups.setdefault(name, []).append(item)
    return {name: tuple(groups[name]) for name in sorted(groups)}


def latencies(outcomes: Iterable[Outcome]) -> Mapping[str, tuple[float, float]]:
    """(p50, p95) in milliseconds of each stage, and of the whole search as "search" (the evidence comes after it)."""
    stages: dict[str, list[float]] = {"search": []}
    for outcome in outcomes:
        stages["search"].append(sum(ms for stage, ms in outcome.timings_ms.items() if stage != "evidence"))
        for stage, ms in outcome.timings_ms.items():
            stages.setdefault(stage, []).append(ms)
    return {
        stage: (float(np.percentile(values, 50)), float(np.percentile(values, 95)))
        for stage, values in stages.items()
        if values
    }


def abstentions(scored: Sequence[Scored], unanswerable: Sequence[Outcome]) -> Abstentions | None:
    """The counts of a configuration, None where abstentions were not looked at."""
    outcomes = [*(s.outcome for s in scored), *unanswerable]
    if any(outcome.abstained is None for outcome in outcomes):
        return None
    return Abstentions(
        expected=len(unanswerable),
        right=sum(outcome.abstained is True for outcome in unanswerable),
        answerable=len(scored),
        wrong=sum(s.outcome.abstained is True for s in scored),
    )


def _ranked(items: Sequence[int], grades: Mapping[int, int]) -> Scores:
    relevant = grades.keys()
    return {
        **{f"hit@{k}": metrics.hit(items, relevant, k) for k in HITS},
        "mrr": metrics.reciprocal_rank(items, relevant),
        "mrr@10": metrics.reciprocal_rank(items, relevant, 10),
        **{f"recall@{k}": metrics.recall(items, relevant, k) for k in RECALLS},
        "ndcg@10": metrics.ndcg(items, grades, 10),  # type: ignore[arg-type]
    }


def _evidence(outcome: Outcome, topics: frozenset[TopicId]) -> Scores:
    """RAGAS's two measures of the context, without a judge: by post where posts are expected, by topic elsewhere."""
    posts = frozenset(outcome.question.post_ids)
    if posts:
        numbered = metrics.recall(outcome.numbered, posts)
        read = metrics.recall(outcome.read, posts)
        right = metrics.precision(outcome.numbered, posts)
    else:
        numbered = metrics.recall(outcome.numbered_topics, topics)
        read = metrics.recall(outcome.read_topics, topics)
        right = metrics.precision(outcome.numbered_topics, topics)
    return {
        "numbered_recall": numbered,
        "context_recall": read,
        "context_precision": right,
        "evidence_pollution": metrics.pollution(outcome.numbered_topics),
        f"pollution@{SLOTS}": metrics.pollution(outcome.slots[:SLOTS]),
    }
