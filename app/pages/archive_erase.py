"""Erasure, for moderators: /archive/effacement says what would go, and erases it once it is confirmed.

What is to be erased never stands in an address nor in a job: it would stay there.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Final

from nicegui import run, ui
from nicegui.events import GenericEventArguments

from engine import ArchivisteError
from engine.erase import certificate as certificates
from engine.erase.certificate import Certificate
from engine.erase.plan import Plan
from engine.erase.request import Request

from .. import erase_words, erasing, job_desk
from ..components.job_follow import JobFollow
from ..components.later import later
from ..components.markup import box, button, text
from ..i18n import N_
from ..i18n import gettext as _
from ..job_states import Job, Kind, Work
from ..messages import message
from ..state import State
from .archive_frame import ERASE, archive_frame

log = logging.getLogger(__name__)
CHARS: Final = 500
SHOWN: Final = 20  # certificates
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_CHOICES: Final = (
    ("with_posts", N_("The messages of this member go as well")),
    ("attributed", N_("Leave the name alone in sentences: only authors, quotes, mentions and links")),
    ("backups", N_("Delete the backups that lie in the data folder")),
)


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(ERASE)
    def erase_page() -> None:
        with archive_frame(state, _("Erasure"), here=ERASE):
            said = _(
                "A name, messages or a text leave this archive for good: messages, quotes, mentions, titles, indexes,"
                " questions, logs. A list of hashes keeps them from coming back with the next import."
            )
            text(said, "p", "lead")
            _Form(state)
            with box("section"):
                text(_("Certificates"), "h2")
                later(lambda: certificates.saved(state.engine.data)[:SHOWN], lambda found: _certificates(state, found))


class _Form:
    """What to erase, what that is, and the word that erases it."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._typed = {"users": "", "posts": "", "patterns": ""}
        self._chosen = {name: False for name, _said in _CHOICES}
        self._found: Plan | None = None
        self._word = ""
        with box("section", "erase-form"):
            self._field("users", _("Member’s name"))
            self._field("posts", _("Numbers of messages"))
            self._field("patterns", _("Text, or regular expression between slashes"))
            for name, said in _CHOICES:
                with box("label", "choice"):
                    tick = box("input", type="checkbox")
                    text(_(said))
                    tick.on("change", self._ticked(name), js_handler="(event) => emit(event.target.checked)")
            with box("div", "buttons"):
                self._look_button = button(_("See what would be erased"), self._look)
        self._said = text("", "p", "note", role="status")
        self._place = box("section", "erasure")
        later(lambda: erasing.interrupted(state.engine.data), self._resume)

    def _field(self, name: str, label: str) -> None:
        field = box(
            "input", "field", maxlength=CHARS, placeholder=label, aria_label=label, autocomplete="off",
            spellcheck="false",
        )  # fmt: skip
        field.on("change", self._heard(name), js_handler="(event) => emit(event.target.value)")

    def _heard(self, name: str) -> Callable[[GenericEventArguments], None]:
        def heard(event: GenericEventArguments) -> None:
            self._typed[name] = str(event.args)[:CHARS].strip()
            self._forget()

        return heard

    def _ticked(self, name: str) -> Callable[[GenericEventArguments], None]:
        def heard(event: GenericEventArguments) -> None:
            self._chosen[name] = event.args is True
            self._forget()

        return heard

    def _forget(self) -> None:
        """What was looked at is not what is asked for any more."""
        self._found = None
        self._place.clear()
        self._said.text = ""

    async def _look(self) -> None:
        if not self._state.may("moderate"):
            return
        self._forget()
        numbers = _NUMBER.findall(self._typed["posts"])
        asked = Request(
            users=tuple(filter(None, [self._typed["users"]])), posts=tuple(map(int, numbers)),
            patterns=tuple(filter(None, [self._typed["patterns"]])), words=erasing.words(), **self._chosen,
        )  # fmt: skip
        self._said.text = _("Every message is being read. On a large forum this takes minutes.")
        found = await run.io_bound(_looked, self._state, asked)
        if found is None or self._place.is_deleted:
            return
        self._said.text = found if isinstance(found, str) else ""
        if isinstance(found, Plan):
            self._found = found
            with self._place:
                self._show(found)

    def _show(self, found: Plan) -> None:
        text(_("This would be erased"), "h2")
        lines = [*erase_words.count_lines(found.counts)]
        if lines:
            with box("table", "figures"), box("tbody"):
                for place, count in lines:
                    with box("tr"):
                        text(place, "th", scope="row")
                        text(count, "td")
        else:
            text(_("Nothing in the archive speaks of it. A later import will be watched all the same."), "p")
        for said in erase_words.warnings(found.counts):
            text(said, "p", "notice")
        word = _("erase")
        label = _("There is no way back. Type “{word}” to go on:").format(word=word)
        with box("div", "erase-form"):
            text(label, "p")
            field = box("input", "field", maxlength=20, aria_label=label, autocomplete="off", spellcheck="false")
            field.on("input", self._spelled, js_handler="(event) => emit(event.target.value)")
            with box("div", "buttons"):
                button(_("Erase for good"), self._erase)

    def _spelled(self, event: GenericEventArguments) -> None:
        self._word = str(event.args)[:20]

    async def _erase(self) -> None:
        if not self._state.may("moderate") or self._found is None:
            return
        if self._word.strip().casefold() != _("erase").casefold():
            self._said.text = _("Type the word first: nothing was erased.")
            return
        found, self._found, self._word = self._found, None, ""
        begun = await run.io_bound(job_desk.tried, lambda: _begun(self._state, found))
        self._follow(begun)

    def _resume(self, tokens: tuple[str, ...]) -> None:
        """What a crash left can be ended here."""
        if not tokens:
            return

        async def end() -> None:
            if self._state.may("moderate"):
                work = Work(Kind.ERASE, tokens[:1])
                self._follow(await run.io_bound(job_desk.tried, lambda: job_desk.start(self._state, work)))

        text(_("An erasure was interrupted. What is left of it must be ended."), "p", "notice")
        button(_("End it now"), end)

    def _follow(self, begun: Job | str | None) -> None:
        if begun is None or self._place.is_deleted:
            return
        if isinstance(begun, str):
            self._said.text = begun
            return
        self._place.clear()
        with self._place:
            JobFollow(self._state, begun.id, ended=self._ended, seen=lambda job: None)

    async def _ended(self, job: Job) -> None:
        token = job.work.sources[0]
        found = await run.io_bound(certificates.saved, self._state.engine.data)
        if found is None or self._place.is_deleted:
            return
        with self._place:
            _certificates(self._state, tuple(one for one in found if one.token == token))


def _looked(state: State, asked: Request) -> Plan | str:
    try:
        return erasing.look(state.engine, asked)
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("an erasure could not be looked at")
        return message(ArchivisteError())


def _begun(state: State, found: Plan) -> Job:
    return job_desk.start(state, erasing.confirmed(state.engine, found))


def _certificates(state: State, found: tuple[Certificate, ...]) -> None:
    if not found:
        text(_("None yet."), "p", "note")
    for one in found:
        with box("details", "certificate"):
            said = _("{date}: {what}").format(date=one.done_at[:10], what=erase_words.asked_line(one))
            text(said, "summary")
            path = certificates.text_of(state.engine.data, one.token)
            text(erase_words.certificate_text(one), "pre", "certificate-text")
            if path is not None:
                text(str(path), "code", "job-item note")
        if not one.clean:
            text(_("The check found something left: open this certificate."), "p", "notice")
