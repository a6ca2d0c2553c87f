"""Erasures as the application runs them: looked at, confirmed, done by a job that ends what a crash left."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from engine import Models, Progress, Settings
from engine.erase import flow, plan, request
from engine.erase.certificate import Certificate
from engine.erase.erased import Words
from engine.erase.plan import Plan
from engine.erase.request import Request

from . import erase_words
from .i18n import gettext as _
from .job_states import Job, Kind, Work
from .jobs import Jobs


def words() -> Words:
    """What stands in the place of what went."""
    return Words(gap=_("[erased]"), title=_("Erased topic"))


def look(
    engine: Settings,
    asked: Request,
    *,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Plan:
    """What would be erased; changes nothing. Raises ErasureRefused."""
    return plan.look(engine, asked, on_progress=on_progress, check=check)


def confirmed(engine: Settings, found: Plan) -> Work:
    """The work of a request that somebody confirmed; its job names it by a token that says nothing."""
    return Work(Kind.ERASE, (flow.confirm(engine, found),))


def perform(
    engine: Settings,
    token: str,
    models: Models,
    *,
    on_progress: Callable[[Progress], None],
    check: Callable[[], None],
) -> Certificate | None:
    """Do, or end, what was confirmed; None when it is over already."""
    return flow.erase(
        engine, token, models, word=erase_words.certificate_text, on_progress=on_progress, check=check
    )  # fmt: skip


def interrupted(data: Path) -> tuple[str, ...]:
    """The tokens of what was confirmed and is not over, without those that a job has in hand."""
    tokens = request.waiting(data)
    if not tokens:
        return ()
    with closing(Jobs(data)) as jobs:
        jobs.recover()
        attended = {token for job in jobs.recent(0) if _in_hand(job) for token in job.work.sources}
    return tuple(token for token in tokens if token not in attended)


def _in_hand(job: Job) -> bool:
    return job.work.kind is Kind.ERASE and job.state.value in ("running", "waiting", "paused")
