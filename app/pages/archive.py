"""The archive at a glance, for moderators: /archive tells what it holds, its indexes, its weight and its health."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from nicegui import run, ui

from engine import Status
from engine.index.listing import Listed, listed
from engine.store import ledger
from engine.store.ledger import Imported

from .. import disk_use, i18n, job_desk, received
from ..components.charts import messages
from ..components.job_board import JobBoard
from ..components.later import later
from ..components.markup import box, button, link, text
from ..disk_use import DiskUse
from ..i18n import N_, ngettext
from ..i18n import gettext as _
from ..job_states import Kind, Work
from ..state import State
from .archive_doctor import doctor
from .archive_frame import IMPORT, LEDGER, PATH, archive_frame

PARTS: Final[Mapping[str, str]] = MappingProxyType({
    "messages": N_("Messages"),
    "vectors": N_("Vectors"),
    "tables": N_("Tasks, questions and access"),
    "indexes": N_("Indexes"),
    "models": N_("Models"),
    "uploads": N_("Images and files of the forum"),
    "raw": N_("Pages fetched from the forum"),
    "received": N_("Backups that were sent here"),
    "backups": N_("Backups of this archive"),
    "exports": N_("Exports of this archive"),
    "logs": N_("Logs"),
    "others": N_("Other files"),
})  # fmt: skip
OUTCOMES: Final[Mapping[str, str]] = MappingProxyType({
    "running": N_("under way"),
    "done": N_("read whole"),
    "partial": N_("read in part"),
    "cancelled": N_("stopped"),
    "interrupted": N_("interrupted"),
    "failed": N_("failed"),
})  # fmt: skip
IMPORTS_SHOWN: Final = 5
COUNTED: Final = ("done", "partial")  # the others end before they write down what they did


@dataclass(frozen=True, slots=True)
class _Archive:
    status: Status
    missing: int
    imports: tuple[Imported, ...]
    generations: tuple[Listed, ...]


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(PATH)
    def archive_page() -> None:
        with archive_frame(state, _("Archive"), here=PATH):
            later(lambda: _read(state), lambda found: _show(state, found))
            with box("section"):
                text(_("Tasks"), "h2")
                JobBoard(state, history=False)
            doctor(state)
            with box("section"):
                text(_("Room on the disk"), "h2")
                later(lambda: disk_use.measure(state.engine.data), lambda found: _disk(state, found))


def _read(state: State) -> _Archive:
    store = state.archive.store
    return _Archive(
        state.archive.status(), ledger.totals(store).missing, ledger.imports(store, IMPORTS_SHOWN),
        listed(state.engine),
    )  # fmt: skip


def _show(state: State, found: _Archive) -> None:
    status = found.status
    with box("ul", "big-figures"):
        for said, n in (
            (ngettext("message", "messages", status.posts), status.posts),
            (ngettext("topic", "topics", status.topics), status.topics),
            (ngettext("category", "categories", status.categories), status.categories),
        ):
            with box("li"):
                text(i18n.number(n), "strong")
                text(said)
    with box("p", "lead"):
        left_out = sum(status.skipped.values())
        said = ngettext("{n} message was left out.", "{n} messages were left out.", left_out)
        text(said.format(n=i18n.number(left_out)))
        if found.missing:
            said = ngettext("{n} message is missing.", "{n} messages are missing.", found.missing)
            text(said.format(n=i18n.number(found.missing)))
        link(_("See the ledger"), LEDGER)
    with box("div", "two-columns"):
        with box("section"):
            text(_("Searching"), "h2")
            _index(state, found)
        with box("section"):
            text(_("Last imports"), "h2")
            _imports(found.imports)


def _index(state: State, found: _Archive) -> None:
    status = found.status
    if not status.posts:
        text(_("There is nothing to search yet."), "p")
        return
    if status.generation is None:
        text(_("The search has not been prepared yet: nothing can be found."), "p", "notice")
    else:
        _coverage(_("Words"), status.lexical_posts / status.posts, said_words(status))
        _coverage(_("Meaning"), status.dense_coverage if status.dense_model else 0.0, said_meaning(status))
        for one in found.generations:
            _generation(one)
    failure = text("", "p", "notice", role="alert")
    failure.set_visibility(False)

    async def prepare() -> None:
        if not state.may("moderate"):
            return
        done = await run.io_bound(job_desk.tried, lambda: job_desk.start(state, Work(Kind.INDEX)))
        if isinstance(done, str):
            failure.text = done
            failure.set_visibility(True)

    button(_("Bring the search up to date"), prepare, "button quiet")


def said_words(status: Status) -> str:
    """How much of the archive the keyword index knows."""
    behind = status.posts - status.lexical_posts
    if behind <= 0:
        return _("All messages can be found by their words.")
    said = ngettext(
        "{n} message can’t be found by its words yet.", "{n} messages can’t be found by their words yet.", behind
    )
    return said.format(n=i18n.number(behind))


def said_meaning(status: Status) -> str:
    """How much of the archive the index by meaning knows. Messages of a few words are not meant to be in it."""
    if status.dense_model is None:
        return _("Nothing is searched by meaning yet.")
    said = _("{n} messages can be found by their meaning; those of a few words are found by their words only.")
    return said.format(n=i18n.number(status.dense_posts))


def _coverage(name: str, share: float, said: str) -> None:
    share = min(1.0, max(0.0, share))
    with box("div", "coverage"):
        with box("p", "coverage-name"):
            text(name, "strong")
            text(i18n.percent(share), "span")
        box("progress", "job-bar", max=1000, value=round(1000 * share), aria_label=name)
        text(said, "p", "note")


def _generation(one: Listed) -> None:
    card = one.manifest
    if one.current:
        told = _("Version of the index in use, made on {date}: {count}.")
    elif one.base:
        told = _("Earlier version, made on {date}, whose vectors are in use: {count}.")
    else:
        told = _("Earlier version, made on {date}, which goes with the next one: {count}.")
    with box("p", "note in-line"):
        made = i18n.date_short(datetime.fromisoformat(card.created_at))
        text(told.format(date=made, count=messages(card.lexical_posts)))
        if one.current and card.dense_model:
            text(_("Model of the meaning:"))
            text(card.dense_model, "code")


def _imports(imports: tuple[Imported, ...]) -> None:
    if not imports:
        text(_("Nothing was imported yet."), "p")
        link(_("Import something"), IMPORT, "button quiet")
        return
    with box("ul", "imports"):
        for one in imports:
            with box("li"):
                outcome = _(OUTCOMES[one.state]) if one.state in OUTCOMES else one.state
                text(_("{date}: {outcome}").format(date=i18n.date_short(one.started_at), outcome=outcome), "strong")
                text(one.source, "code", "job-item note")
                if one.state in COUNTED:
                    said = _("Added {added}, changed {changed}, removed {removed}")
                    counts = {name: i18n.number(getattr(one, name)) for name in ("added", "changed", "removed")}
                    text(said.format(**counts), "p", "note")


def _disk(state: State, found: DiskUse) -> None:
    with box("table", "figures disk"), box("tbody"):
        for part, count in found.parts.items():
            if count:
                with box("tr"):
                    text(_(PARTS[part]), "th", scope="row")
                    with box("td", "share"):
                        box("progress", "job-bar", max=max(1, found.total), value=count, aria_hidden="true")
                    text(i18n.size(count), "td")
        with box("tr", "sum"):
            text(_("In all"), "th", scope="row")
            text(_("{size} free on this disk").format(size=i18n.size(found.free)), "td", "note")
            text(i18n.size(found.total), "td")
    if found.parts["received"]:
        _clean(state)


def _clean(state: State) -> None:
    """Backups that were sent here hold what is private: a task that reads one removes it, anybody may sooner."""
    said = _("Backups that were sent here go once they have been read. One that could not be read waits a week.")
    text(said, "p", "note")
    told = text("", "p", "note", role="status")

    async def clean() -> None:
        if not state.may("moderate"):
            return
        removed = await run.io_bound(received.remove_unused, state.engine.data)
        if removed is not None:
            said = ngettext("{n} file was removed.", "{n} files were removed.", removed)
            told.text = said.format(n=i18n.number(removed))

    button(_("Remove those that no task needs"), clean, "button quiet small")
