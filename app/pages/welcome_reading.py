"""The last step of the assistant: the source is read while one looks on, then there is something to ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from nicegui import run, ui

from .. import i18n, job_desk, offered
from ..components.job_follow import JobFollow
from ..components.job_source import offer_card, tried
from ..components.markup import box, button, link, text
from ..first_run import FirstRun
from ..i18n import gettext as _
from ..i18n import ngettext
from ..job_states import Job
from ..job_states import State as JobState
from ..offered import Offer
from ..state import State
from . import ask

SEARCHABLE: Final = frozenset({"encode", "dense"})  # stages during which words can be searched already
_READ: Final = frozenset({JobState.DONE, JobState.PARTIAL})


def reading(
    state: State, kept: FirstRun, *, begun: Callable[[int], Awaitable[None]], again: Callable[[], Awaitable[None]]
) -> None:
    """Start the task or follow it. `begun` hears of its number, `again` goes back to the choice of the source."""
    if kept.job:
        _follow(state, kept, begun, again)
    else:
        _prepare(state, kept, begun, again)


def _prepare(
    state: State, kept: FirstRun, begun: Callable[[int], Awaitable[None]], again: Callable[[], Awaitable[None]]
) -> None:
    """The source was chosen some time ago: is it still there?"""
    place = box("section", "offer", aria_busy="true")
    with place:
        text(_("Looking at what this is…"), "p", "note", role="status")

    async def fill() -> None:
        found = await run.io_bound(tried, lambda: _offer(kept))
        if found is None or place.is_deleted:
            return
        place.props["aria-busy"] = "false"
        place.clear()
        with place:
            if isinstance(found, Offer):
                _begin(state, found, begun, again)
            else:
                text(found, "p", "notice", role="alert")
                button(_("Choose another source"), again)

    ui.timer(0, fill, once=True)


def _begin(
    state: State, offer: Offer, begun: Callable[[int], Awaitable[None]], again: Callable[[], Awaitable[None]]
) -> None:
    offer_card(offer)
    refused = text("", "p", "notice", role="alert")
    refused.set_visibility(False)

    async def start() -> None:
        if not state.may("moderate"):
            return
        found = await run.io_bound(job_desk.tried, lambda: job_desk.start(state, offer.work()))
        if isinstance(found, Job):
            await begun(found.id)
        elif found:
            refused.text = found
            refused.set_visibility(True)

    with box("div", "buttons"):
        button(_("Start"), start)
        button(_("Choose something else"), again, "button quiet")


def _follow(
    state: State, kept: FirstRun, begun: Callable[[int], Awaitable[None]], again: Callable[[], Awaitable[None]]
) -> None:
    text(_("You may close this page: the task goes on. Come back whenever you like."), "p", "lead")
    early = box("p", "notice in-line")
    end = box("section", "outcome")

    def seen(job: Job) -> None:
        early.set_visibility(job.stage in SEARCHABLE and job.state is JobState.RUNNING)

    async def ended(job: Job) -> None:
        posts = await run.io_bound(lambda: state.archive.store.counts()[0])
        examples = await run.io_bound(state.examples)
        if posts is None or examples is None or end.is_deleted:
            return
        with end:
            if job.state in _READ and posts:
                _ready(posts, examples)
            else:
                _unread(state, job, begun, again)

    with early:
        text(_("The messages can already be searched by their words."))
        link(_("Ask a question"), "/")
    early.set_visibility(False)
    JobFollow(state, kept.job, seen=seen, ended=ended)
    end.move(target_index=-1)


def _ready(posts: int, examples: tuple[str, ...]) -> None:
    text(_("The archive is ready"), "h2")
    said = ngettext("It holds {n} message.", "It holds {n} messages.", posts).format(n=i18n.number(posts))
    text(said, "p", role="status")
    if examples:
        text(_("Ask it a first question:"), "p")
        with box("ul", "cards"):
            for question in examples:
                with box("li"):
                    link(question, ask.address(question), "example")
    link(_("Ask another question"), "/", "button")


def _unread(
    state: State, job: Job, begun: Callable[[int], Awaitable[None]], again: Callable[[], Awaitable[None]]
) -> None:
    said = (
        _("The task was cancelled. What was read is kept.")
        if job.state is JobState.CANCELLED
        else _("Nothing could be made of this source. The archive is as it was before.")
    )
    text(said, "p", role="status")

    async def once_more() -> None:
        if state.may("moderate"):
            found = await run.io_bound(job_desk.tried, lambda: job_desk.steer(state, "again", job.id))
            if isinstance(found, Job):
                await begun(found.id)
            elif found:
                ui.notify(found, timeout=0, close_button=_("Close"))

    with box("div", "buttons"):
        button(_("Choose another source"), again)
        button(_("Start again"), once_more, "button quiet")


def _offer(kept: FirstRun) -> Offer:
    if kept.origin == "demo":
        return offered.DEMO
    return offered.look(kept.source, origin="received" if kept.origin == "received" else "path")
