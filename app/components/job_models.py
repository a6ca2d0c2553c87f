"""The models that would suit this computer, each with a button that fetches it: nothing is fetched without a click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nicegui import run, ui

from engine.models import catalogue, machine, shelf
from engine.models.catalogue import Entry

from .. import i18n
from ..i18n import N_
from ..i18n import gettext as _
from ..messages import message
from ..model_words import said_of
from ..progress import describe
from ..state import State
from .markup import box, button, text

GIB: Final = 1 << 30
AT_EASE: Final = 0.9  # a system shows less of its memory than its nominal size
LOOK_S: Final = 0.5
USES: Final = {
    "llm": N_("Writes answers out of the messages, and says where each sentence comes from."),
    "embed": N_("Finds messages by their meaning more often than the small model that comes with Archiviste."),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Choice:
    memory: int
    offered: tuple[Entry, ...]
    installed: frozenset[str]


def model_offers(state: State) -> None:
    """The language models that suit this computer's memory, and the better encoder if it does."""
    place = box("div", "models", aria_busy="true")
    with place:
        text(_("Reading the list…"), "p", "note")

    async def fill() -> None:
        choice = await run.io_bound(_choose, state)
        if choice is None or place.is_deleted:
            return
        place.clear()
        place.props["aria-busy"] = "false"
        with place:
            said = _("This computer has {count} GB of memory.").format(count=i18n.number(choice.memory / GIB))
            if not choice.offered:
                said += " " + _("That is little for a larger model: go on without.")
            text(said, "p")
            for entry in choice.offered:
                _offer(state, entry, installed=entry.name in choice.installed)
            _work(state)

    ui.timer(0, fill, once=True)


def suited(memory: int) -> tuple[Entry, ...]:
    """What to propose to a computer of so many bytes: what is at ease there, by role, the lightest first."""
    return tuple(
        entry
        for role in USES
        for entry in catalogue.entries()
        if entry.role == role and (entry.memory_gb or 0) * AT_EASE * GIB <= memory
    )


def _choose(state: State) -> _Choice:
    memory = machine.memory_bytes()
    mine = frozenset(model.name for model in shelf.installed(state.engine.data))
    return _Choice(memory, suited(memory), mine)


def _offer(state: State, entry: Entry, *, installed: bool) -> None:
    with box("div", "model"):
        with box("div"):
            text(entry.title, "h3")
            text(_(USES[entry.role]), "p")
            with box("p", "facts"):
                text(_("computer with {count} GB").format(count=i18n.number(entry.memory_gb or 0)))
                for fact in (i18n.size(entry.size) if entry.size else "", entry.licence or ""):
                    if fact:
                        text(fact)
                if installed:
                    text(_("in the data folder"), "span", "state")
        if not installed:
            with box("div", "model-actions"):

                def fetch() -> None:
                    if state.may("moderate"):
                        state.model_work.pull(entry.name)

                label = _("{action}: {model}").format(action=_("Fetch this model"), model=entry.title)
                button(_("Fetch this model"), fetch, "button quiet small", aria_label=label)


def _work(state: State) -> None:
    """The download under way, whoever began it; it goes on when the page is left."""
    work = state.model_work
    seen = work.last
    with box("section", "work", aria_live="polite") as place:
        title = text("", "strong")
        bar = box("progress", max=1000)
        told = text("", "p", "note")
        stop = button(_("Stop"), lambda: work.cancel() if state.may("moderate") else None, "button quiet small")
    place.set_visibility(False)

    def look() -> None:
        nonlocal seen
        progress, done = work.progress, work.last
        busy = work.action is not None
        if busy:
            title.text = work.name
            share = progress.done / progress.total if progress is not None and progress.total else 0.0
            bar.props["value"] = round(1000 * min(share, 1.0))
            told.text = f"{message(progress)} — {describe(progress)}" if progress is not None else _("Beginning…")
        elif done is not None and done is not seen:
            seen = done
            title.text, told.text = done.name, said_of(done)
        else:
            return
        place.set_visibility(True)
        bar.set_visibility(busy)
        stop.set_visibility(busy)

    ui.timer(LOOK_S, look)
