"""What Prometheus reads at /metrics: figures of this process and of the archive that it serves.

Labels come from closed lists and from the addresses that the application registers, never from what somebody sends: no
question, no name, no path as it was asked. Imported only where `metrics_from` is set.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections import Counter as Count
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine import Abstention, Answer, ArchivisteError, Declined, Mode, Status

from .access.peers import networks
from .job_states import State as JobState
from .jobs import Jobs
from .settings import listed
from .state import State

PATH: Final = "/metrics"
OTHER: Final = "other"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
STAGES: Final = frozenset({
    "spelling", "filter", "lexical", "embed", "dense", "fusion", "combine", "rerank", "titles", "present", "evidence",
    "kept", "wait", "prompt", "first_token", "generate", "check", "extract",
})  # fmt: skip
INTERNAL: Final = "/_nicegui"  # NiceGUI makes addresses below it as it goes
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
COUNTED_EVERY_S: Final = 60.0  # counting 425,000 rows at each scrape would show
log = logging.getLogger(__name__)


class Metrics:
    """The figures of one server, in a registry of their own."""

    def __init__(self, state: State) -> None:
        self._from = networks(listed(state.app.metrics_from))
        self._direct = state.access.direct
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "archiviste_http_requests", "HTTP requests answered, by route template.", ("route", "method", "status"),
            registry=registry,
        )  # fmt: skip
        self._durations = Histogram(
            "archiviste_http_request_duration_seconds", "Time to answer an HTTP request whole.", ("route",),
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._sockets = Gauge("archiviste_websockets", "Websocket connections open now.", registry=registry)
        self._searches = Counter(
            "archiviste_searches", "Searches made, those of questions included, by legs used.", ("mode",),
            registry=registry,
        )  # fmt: skip
        self._stages = Histogram(
            "archiviste_stage_duration_seconds", "Time of one stage of a search or of an answer.", ("stage",),
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._answers = Counter(
            "archiviste_answers", "Questions that ended, by outcome, zone of the evidence and writer.",
            ("outcome", "zone", "answerer"), registry=registry,
        )  # fmt: skip
        self._answer = Histogram(
            "archiviste_answer_duration_seconds", "Time from a question to its answer, waits included.",
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        for name, told, read in (
            ("archiviste_questions_under_way", "Questions in hand now.", lambda: state.under_way.count),
            ("archiviste_questions_waiting", "Those that wait for others.", lambda: state.under_way.waiting),
            ("archiviste_stopping", "1 once the server was told to stop.", state.leaving.is_set),
        ):
            Gauge(name, told, registry=registry).set_function(read)
        registry.register(_Archive(state))
        state.on_search, state.on_answer = self.searched, self.answered
        self._direct[PATH] = self.show

    # --- what happens ------------------------------------------------------------------------

    def searched(self, mode: Mode, timings_ms: Mapping[str, float]) -> None:
        """A search was made."""
        self._searches.labels(mode.value).inc()
        self._timed(timings_ms)

    def answered(self, outcome: Answer | Abstention | Declined | None, took_s: float) -> None:
        """A question ended."""
        match outcome:
            case Answer() | Abstention():
                kind = "answer" if isinstance(outcome, Answer) else "abstention"
                self._answers.labels(kind, outcome.zone.value, outcome.answerer).inc()
                self._timed(outcome.timings_ms)
                self._answer.observe(took_s)
            case Declined():
                self._answers.labels("declined", "", "").inc()
            case None:
                self._answers.labels("none", "", "").inc()

    def _timed(self, timings_ms: Mapping[str, float]) -> None:
        for stage, took_ms in timings_ms.items():
            self._stages.labels(stage if stage in STAGES else OTHER).observe(took_ms / 1000)

    def measured(self, app: ASGIApp) -> ASGIApp:
        """The same application, its requests counted."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                await self._http(app, scope, receive, send)
            elif scope["type"] == "websocket":
                await self._websocket(app, scope, receive, send)
            else:
                await app(scope, receive, send)

        return counted

    async def _http(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        status, began = 500, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await app(scope, receive, noted)
        finally:
            route = self._route(scope)
            method = scope["method"] if scope["method"] in METHODS else OTHER
            self._requests.labels(route, method, str(status)).inc()
            self._durations.labels(route).observe(time.perf_counter() - began)

    async def _websocket(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        opened = False

        async def noted(message: Message) -> None:
            nonlocal opened
            if message["type"] == "websocket.accept":
                opened = True
                self._sockets.inc()
            await send(message)

        try:
            await app(scope, receive, noted)
        finally:
            if opened:
                self._sockets.dec()

    def _route(self, scope: Scope) -> str:
        """The template of the route that answered; what was refused before any has none."""
        path = str(getattr(scope.get("route"), "path", "")) or OTHER
        if scope["path"] in self._direct:
            return str(scope["path"])
        return INTERNAL if path.startswith(INTERNAL) else path

    # --- who reads ---------------------------------------------------------------------------

    async def show(self, address: str) -> Response | None:
        """The figures, for whom `metrics_from` names; for others there is nothing here."""
        try:
            asker = ipaddress.ip_address(address)
        except ValueError:
            return None
        if not any(asker in network for network in self._from):
            return None
        content = await asyncio.to_thread(generate_latest, self.registry)
        return Response(content, media_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": "no-store"})


class _Archive(Collector):
    """What is read at each scrape: tasks, and how much of the archive can be searched, counted once a minute."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._counted: tuple[float, Status | None] = (float("-inf"), None)

    def describe(self) -> Iterator[Metric]:
        """Nothing: registering must not read the archive."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        for part in (self._jobs, self._coverage, self._ages):
            try:
                yield from part()
            except (ArchivisteError, OSError) as error:  # the other figures are no worse for it
                log.warning("figures of the archive can't be read: %s", error)

    def _jobs(self) -> Iterator[Metric]:
        with closing(Jobs(self._state.engine.data)) as table:
            states = Count(job.state for job in table.recent(0))
        jobs = GaugeMetricFamily("archiviste_jobs", "Unfinished tasks, by state.", labels=("state",))
        for state in (JobState.WAITING, JobState.RUNNING, JobState.PAUSED, JobState.INTERRUPTED):
            jobs.add_metric((state.value,), states[state])
        yield jobs
        yield _gauge("archiviste_queue_length", "Tasks that wait for a worker.", states[JobState.WAITING])

    def _coverage(self) -> Iterator[Metric]:
        counted_at, status = self._counted
        if status is None or time.monotonic() - counted_at > COUNTED_EVERY_S:
            status = self._state.archive.status()
            self._counted = (time.monotonic(), status)
        yield _gauge("archiviste_posts", "Public posts held.", status.posts)
        yield _gauge("archiviste_lexical_posts", "Posts that can be found by their words.", status.lexical_posts)
        yield _gauge("archiviste_dense_posts", "Posts that can be found by their meaning.", status.dense_posts)
        yield _gauge(
            "archiviste_dense_coverage_ratio", "Share of the posts long enough to have a vector that have one.",
            status.dense_coverage,
        )  # fmt: skip

    def _ages(self) -> Iterator[Metric]:
        now = time.time()
        current = self._state.archive.settings.data / "indexes" / "CURRENT"
        if current.exists():
            told = "Since the index that is read was published here."
            yield _gauge("archiviste_generation_age_seconds", told, max(0.0, now - current.stat().st_mtime))
        replica = self._state.replica
        if replica is not None and replica.card is not None:
            made_at = datetime.fromisoformat(replica.card.made_at).timestamp()
            yield _gauge("archiviste_snapshot_age_seconds", "Since the snapshot that is read was made.", now - made_at)


def _gauge(name: str, told: str, value: float) -> Metric:
    return GaugeMetricFamily(name, told, value=value)
