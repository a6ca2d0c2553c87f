"""What this application is, what it holds and what it is made of: /a-propos."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nicegui import run, ui

from engine import ArchivisteError, Status
from engine.models import shelf

from .. import changelog, i18n, logs, versions
from ..components.markup import box, outside_link, text
from ..i18n import gettext as _
from ..i18n import ngettext
from ..messages import message
from ..models_command import ROLES, used
from ..state import State
from ..theme import BUILT_WITHIN_S, frame

PATH: Final = "/a-propos"


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the page tells of this installation."""

    status: Status
    libraries: Sequence[versions.Library]
    models: Sequence[shelf.Installed]  # of the data folder, those that are used
    changes: Sequence[changelog.Version]


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(PATH, response_timeout=BUILT_WITHIN_S)
    async def about_page() -> None:
        with frame(state, _("About"), here=PATH), box("div", "about"):
            _head()
            place = box("div", aria_busy="true")
            with place:
                text(_("Reading the archive…"), "p", "note")

        async def fill() -> None:
            moderates = state.may("moderate")
            found = await run.io_bound(_read, state)
            if found is None or place.is_deleted:
                return
            place.clear()
            place.props.pop("aria-busy", None)
            if isinstance(found, str):
                with place:
                    text(found, "p", "notice", role="alert")
                return
            with place:
                _archive(state, found.status)
                _models(state, found, paths=moderates)
                _privacy(state)
                if moderates:
                    _computer(state)
                _libraries(found.libraries)
                _changes(found.changes)

        ui.timer(0, fill, once=True)


def _head() -> None:
    with box("div", "about-head"):
        box("img", src="/assets/icons/archiviste.svg", alt="")
        with box("div"):
            text("Archiviste", "h1")
            version = versions.own()
            text(_("Version {version}, MIT licence").format(version=version or "–"), "p", "note")
    text(
        _("It answers from the archive of a forum, without the internet, and shows where each answer stands."),
        "p",
        "lead",
    )


def _archive(state: State, status: Status) -> None:
    facts = state.facts()
    with box("section"):
        text(_("This archive"), "h2")
        with box("dl"):
            _fact(_("Forum"), facts.title)
            if facts.base_url:
                text(_("Address"), "dt")
                with box("dd"):
                    outside_link(facts.base_url, facts.base_url, "outside")
            posts = ngettext("{n} message", "{n} messages", status.posts).format(n=i18n.number(status.posts))
            topics = ngettext("{n} topic", "{n} topics", status.topics).format(n=i18n.number(status.topics))
            _fact(_("Size"), _("{posts}, {topics}").format(posts=posts, topics=topics))
            if facts.updated_at is not None:
                _fact(_("Up to date on"), i18n.date_long(facts.updated_at))
            if status.generation is None:
                _fact(_("What can be found"), _("nothing yet"))
            else:
                share = i18n.percent(status.dense_coverage if status.dense_model else 0.0)
                said = _("words of all the messages; meaning of {share} of them").format(share=share)
                _fact(_("What can be found"), said)


def _models(state: State, found: _Facts, *, paths: bool) -> None:
    with box("section"):
        text(_("Models in use"), "h2")
        with box("dl"):
            model = found.status.dense_model
            _fact(_("To search by meaning"), model or _("none"), "code" if model else "span")
            writes = state.models.generate is not None or state.models.remote is not None
            if not writes:
                _fact(_("To write answers"), _("none: answers are extracts"))
            for mine in found.models:
                said = " · ".join(filter(None, (mine.name, mine.licence or "", i18n.size(mine.size))))
                _fact(_(ROLES[mine.role]), f"{said} — {mine.path}" if paths else said, "code")
            if state.models.remote is not None:
                _fact(_("Answer server"), state.engine.llm_url or "" if paths else _("chosen by the moderators"))
            if (url := state.engine.encoder_url) is not None:
                _fact(_("Server for the meaning"), url if paths else _("chosen by the moderators"))
            if (url := state.engine.reranker_url) is not None:
                _fact(_("Server that reads again"), url if paths else _("chosen by the moderators"))


def _computer(state: State) -> None:
    with box("section"):
        text(_("On this computer"), "h2")
        with box("dl"):
            _fact(_("Data folder"), str(state.engine.data), "code")
            _fact(_("Logs"), str(logs.path_of(state.engine.data).parent), "code")
            _fact(_("Data format"), versions.formats(), "code")
            _fact(_("Python"), platform.python_version(), "code")
        said = _(
            "A newer version of Archiviste opens this folder and brings it up to date. An older one refuses it and"
            " changes nothing. Removing Archiviste leaves it where it is."
        )
        text(said, "p", "note")


def _privacy(state: State) -> None:
    with box("section"):
        text(_("What is kept"), "h2")
        text(_("Only messages that everybody could read on the forum are in the archive."), "p")
        if state.app.question_log:
            said = _("Questions are kept {days} days for the moderators, without who asked them.")
            text(said.format(days=i18n.number(state.app.question_days)), "p")
        else:
            text(_("Questions are not kept."), "p")
        if state.models.remote is not None:
            said = _("Questions and the messages found are sent to the answer server that the moderators chose.")
            text(said, "p")
        if state.engine.encoder_url is not None:
            said = _(
                "Questions, messages and sentences of answers are sent to the server that the moderators chose for"
                " searching by meaning."
            )
            text(said, "p")
        if state.engine.reranker_url is not None:
            said = _("Questions and extracts of the messages found are sent to the server that reads results again.")
            text(said, "p")
        if str(state.engine.index_url or "").startswith("http"):
            said = _(
                "The messages, and the words of searches, are sent to the search engine that the moderators chose."
            )
            text(said, "p")
        text(_("The list of your last questions stays in your browser. Nothing else leaves this computer."), "p")


def _libraries(found: Sequence[versions.Library]) -> None:
    with box("section"):
        text(_("Made with"), "h2")
        with box("table"):
            with box("thead"), box("tr"):
                for title in (_("Library"), _("Version"), _("Licence")):
                    text(title, "th", scope="col")
            with box("tbody"):
                for library in found:
                    with box("tr"):
                        for said in (library.name, library.version, library.licence or "–"):
                            with box("td"):
                                text(said, "code")


def _changes(found: Sequence[changelog.Version]) -> None:
    if not found:
        return
    with box("section"):
        text(_("What has changed"), "h2")
        text(_("From version to version, in English."), "p", "note")
        for version in found:
            with box("details", lang="en"):
                text(version.title, "summary")
                for section in version.sections:
                    text(section.title, "h3")
                    with box("ul"):
                        for change in section.changes:
                            with box("li"):
                                _marked(change)


def _marked(change: str) -> None:
    """A sentence of the changelog, in which code stands between backticks."""
    for at, piece in enumerate(change.split("`")):
        if piece:
            text(piece, "code" if at % 2 else "span")


def _fact(name: str, said: str, kind: str = "span") -> None:
    text(name, "dt")
    with box("dd"):
        text(said, kind)


def _read(state: State) -> _Facts | str:
    """The facts, or the sentence that says why there are none."""
    try:
        taken = used(state.engine)
        mine = [model for model in shelf.installed(state.engine.data) if model.path in taken]
        return _Facts(state.archive.status(), versions.libraries(), mine, changelog.read())
    except ArchivisteError as error:
        return message(error)
