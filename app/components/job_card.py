"""One job on the screen: where it stands, its bar, what it has to say, and the buttons that steer it.

Built once and then only filled, so that nothing moves while it is read.
"""

from __future__ import annotations

from typing import Final

from nicegui import run
from nicegui.elements.mixins.text_element import TextElement

from engine import Progress

from .. import job_desk
from ..i18n import gettext as _
from ..job_desk import Action
from ..job_states import UNFINISHED, Job, State, Wish
from ..job_words import STATES, kind_name, note_line
from ..messages import message
from ..progress import describe
from ..state import State as Pages
from .markup import box, button, text

BAR: Final = 1000  # parts of the whole
_STEERABLE: Final = frozenset({State.WAITING, State.RUNNING})
_LOOK: Final = {State.RUNNING: "used", State.FAILED: "wrong", State.PARTIAL: "wrong"}


class JobCard:
    """A job that is not over, or just was."""

    def __init__(self, state: Pages, job: Job) -> None:
        self._state, self._job = state, job
        self._notes: tuple[object, ...] = ()
        self.element = box("article", "job", aria_label=title(job))
        with self.element:
            with box("div", "job-head"):
                text(title(job), "h3")
                self._stood = text("", "span", "state")
            self._item = text("", "code", "note job-item")
            self._bar = box("progress", "job-bar", max=BAR, aria_label=_("Progress"))
            self._line = text("", "p", "job-line")
            self._told = box("ul", "job-notes")
            with box("div", "job-actions") as self._actions:
                self._pause = self._button(_("Pause"), "pause")
                self._resume = self._button(_("Resume"), "resume")
                self._cancel = self._button(_("Cancel"), "cancel")
                self._refused = text("", "p", "note", role="alert")
        self.fill(job)

    def fill(self, job: Job) -> None:
        """Show this state of the same job."""
        self._job = job
        unfinished = job.state in UNFINISHED
        self._stood.text = stood(job)
        self._stood.classes(replace=f"state {_LOOK.get(job.state, '')}".strip())
        self._item.text = job.item or ", ".join(job.work.sources)
        self._line.text = line(job)
        for part in (self._line, self._item, self._actions):
            part.set_visibility(unfinished or (part is self._line and bool(self._line.text)))
        self._bar.set_visibility(unfinished)
        if job.state is State.DONE or job.total:
            self._bar.props["value"] = BAR if job.state is State.DONE else round(BAR * min(1.0, job.done / job.total))
        elif job.state is State.RUNNING:
            self._bar.props.pop("value", None)  # the browser shows that it can't be told
        else:
            self._bar.props["value"] = 0
        steered = job.wish is Wish.CANCEL
        self._pause.set_visibility(job.state in _STEERABLE and job.wish is None)
        self._resume.set_visibility(unfinished and not steered and not self._pause.visible)
        self._cancel.set_visibility(unfinished and not steered)
        if job.notes != self._notes:
            self._notes = job.notes
            self._told.clear()
            with self._told:
                for note in job.notes:
                    text(note_line(note), "li")

    def _button(self, said: str, action: Action) -> TextElement:
        label = _("{action}: {job}").format(action=said, job=title(self._job))
        return button(said, lambda: self._ask(action), "button quiet small", aria_label=label)

    async def _ask(self, action: Action) -> None:
        if not self._state.may("moderate"):
            return
        state, number = self._state, self._job.id
        found = await run.io_bound(job_desk.tried, lambda: job_desk.steer(state, action, number))
        if isinstance(found, Job):
            self._refused.text = ""
            self.fill(found)
        elif found:
            self._refused.text = found


def title(job: Job) -> str:
    """« Importation (tâche 12) »."""
    return _("{kind} (task {job})").format(kind=kind_name(job.work), job=job.id)


def stood(job: Job) -> str:
    """Its state in words, and what was asked of it that it has not done yet."""
    if job.state in UNFINISHED and job.wish is Wish.CANCEL:
        return _("stopping")
    if job.state is State.RUNNING and job.wish is Wish.PAUSE:
        return _("about to pause")
    return _(STATES[job.state])


def line(job: Job) -> str:
    """« Index des mots : 37,4 % — 12 300 sur 32 900 — … »; what it waits for, or what is kept, when nothing runs."""
    if job.state is State.WAITING:
        return _("It begins as soon as its turn has come.")
    if job.state is State.CANCELLED:
        return _("What was done before is kept. Start it again to go on from there.")
    if job.state not in UNFINISHED:
        return ""
    if not job.stage:
        return _("Beginning…")
    progress = Progress(job.stage, job.done, job.total, rate=job.rate, left_s=job.left_s)
    if not job.total:
        return message(progress)
    return _("{stage}: {state}").format(stage=message(progress), state=describe(progress))


def can_begin_again(job: Job) -> bool:
    """Whether it makes sense to offer the same work again."""
    return job.state in (State.FAILED, State.CANCELLED, State.PARTIAL)
