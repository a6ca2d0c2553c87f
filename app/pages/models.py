"""The models, for moderators: /reglages/modeles shows them, downloads, checks and adds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from nicegui import run, ui
from nicegui.events import GenericEventArguments

from engine.models import catalogue, machine, shelf
from engine.models.catalogue import Entry

from .. import i18n
from ..access import current
from ..components.markup import box, button, link, text
from ..i18n import N_
from ..i18n import gettext as _
from ..messages import message
from ..model_words import said_of
from ..model_work import Action, Done, ModelWork
from ..models_command import GIB, ROLES, used
from ..progress import describe
from ..settings import LOOPBACK
from ..state import State
from ..theme import BUILT_WITHIN_S, frame

PATH: Final = "/reglages/modeles"
_ACTIONS: Final[Mapping[Action, str]] = MappingProxyType({
    "pull": N_("Download"),
    "check": N_("Verification"),
    "add": N_("Copy"),
})  # fmt: skip
LOOK_S: Final = 0.5  # between two looks at the work under way
PATH_CHARS: Final = 1000


@dataclass(frozen=True, slots=True)
class _Shelf:
    """What there is: the models of the data folder, those that are used, and the memory of this computer."""

    mine: Sequence[shelf.Installed]
    used: frozenset[Path]
    memory: int


def register(state: State) -> None:
    """Make the page known to the server."""
    work = state.model_work

    @ui.page(PATH, response_timeout=BUILT_WITHIN_S)
    async def models_page() -> None:
        visitor = current()
        here = not state.access.shared or (visitor is not None and visitor.address in LOOPBACK)
        with frame(state, _("Models"), here="/reglages"), box("div", "settings"):
            link(_("Settings"), "/reglages", "note")
            text(_("Models"), "h1")
            said = _("Everything works without them, in a simpler way: small models come with the application.")
            text(said, "p", "lead")
            text(_("What you fetch or add here is used from the next start of the application."), "p")
            _Page(state, work, files=here)


class _Page:
    """The list and the work under way, which every open page of this kind shows."""

    def __init__(self, state: State, work: ModelWork, *, files: bool) -> None:
        self._state, self._work, self._files = state, work, files
        self._path, self._leave = "", False
        self._seen: Done | None = work.last
        self._place = box("section", "work", aria_live="polite")
        self._place.set_visibility(False)
        with self._place:
            self._title = text("", "strong")
            self._bar = box("progress", max=1000)
            self._told = text("", "p", "note")
            self._stop = button(_("Stop"), work.cancel, "button quiet small")
        self._list = box("div", "models", aria_busy="true")
        with self._list:
            text(_("Reading the list…"), "p", "note")
        ui.timer(0, self._fill, once=True)
        ui.timer(LOOK_S, self._look)

    async def _fill(self) -> None:
        found = await run.io_bound(_read, self._state)
        if found is None or self._list.is_deleted:
            return
        self._list.clear()
        self._list.props.pop("aria-busy", None)
        with self._list:
            text(_("This computer has {count} GB of memory.").format(count=i18n.number(found.memory / GIB)), "p")
            mine = {model.name: model for model in found.mine}
            for role, title in ROLES.items():
                with box("section", "setting-group"):
                    text(_(title), "h2")
                    for entry in (entry for entry in catalogue.entries() if entry.role == role):
                        self._entry(entry, mine.pop(entry.name, None), found)
                    for model in [model for model in mine.values() if model.role == role]:
                        self._own(mine.pop(model.name), found)
            if self._files:
                self._add_form()

    def _entry(self, entry: Entry, model: shelf.Installed | None, found: _Shelf) -> None:
        facts = [i18n.size(entry.size) if entry.size else ""]
        if entry.memory_gb:
            facts.append(_("computer with {count} GB").format(count=i18n.number(entry.memory_gb)))
            if entry.memory_gb * 0.9 * GIB > found.memory:  # a system shows less of its memory than its nominal size
                facts.append(_("too heavy for this one"))
        with box("div", "model"):
            with box("div"):
                with box("h3"):
                    text(entry.title, "code")
                with box("p", "facts"):
                    for name in filter(None, (entry.name, entry.licence)):
                        text(name, "code")
                    for fact in filter(None, facts):
                        text(fact)
                    self._mark(model, found)
            with box("div", "model-actions"):
                if model is not None:
                    self._check_button(model)
                else:
                    self._button(_("Fetch this model"), lambda: self._work.pull(entry.name), entry.title)

    def _own(self, model: shelf.Installed, found: _Shelf) -> None:
        with box("div", "model"):
            with box("div"):
                with box("h3"):
                    text(model.name, "code")
                with box("p", "facts"):
                    text(str(model.path), "code")
                    text(i18n.size(model.size))
                    self._mark(model, found)
            with box("div", "model-actions"):
                self._check_button(model)

    def _mark(self, model: shelf.Installed | None, found: _Shelf) -> None:
        if model is not None:
            in_use = model.path in found.used
            text(_("in use") if in_use else _("in the data folder"), "span", "state used" if in_use else "state")

    def _check_button(self, model: shelf.Installed) -> None:
        self._button(_("Check its files"), lambda: self._work.check(model), model.name)

    def _button(self, said: str, begin: Callable[[], bool], about: str) -> None:
        label = _("{action}: {model}").format(action=said, model=about)
        button(said, lambda: self._begin(begin), "button quiet small", aria_label=label)

    def _begin(self, begin: Callable[[], bool]) -> None:
        self._tell("")
        if not begin():
            self._tell(_("Another model is being worked on. Wait for its end."))
        self._look_now()

    def _add_form(self) -> None:
        with box("section", "setting-group add-model"):
            text(_("Add a model that is on this computer"), "h2")
            text(_("A .gguf file, or the folder of a model, as on a USB stick."), "p", "note")
            with box("div", "search"):
                said = _("Path of the file or of the folder")
                field = box("input", "field", maxlength=PATH_CHARS, placeholder=said, aria_label=said)
                field.on("change", self._typed, js_handler="(event) => emit(event.target.value)")
                button(_("Add this model"), self._add, "button")
            with box("label", "note"):
                leave = box("input", type="checkbox")
                leave.on("change", self._left, js_handler="(event) => emit(event.target.checked)")
                text(_("Leave its files where they are"))
            self._refused = text("", "p", "notice", role="alert")
            self._refused.set_visibility(False)

    def _typed(self, event: GenericEventArguments) -> None:
        self._path = str(event.args)[:PATH_CHARS].strip()

    def _left(self, event: GenericEventArguments) -> None:
        self._leave = event.args is True

    def _add(self) -> None:
        self._refused.set_visibility(not self._path)
        self._refused.text = _("Write the path of the model first.")
        if self._path:
            path = Path(self._path)
            self._begin(lambda: self._work.add(path, leave=self._leave))

    # --- the work under way ---

    async def _look(self) -> None:
        self._look_now()
        done = self._work.last
        if done is not None and done is not self._seen and self._work.action is None:
            self._seen = done
            self._tell(said_of(done))
            await self._fill()

    def _look_now(self) -> None:
        work, progress = self._work, self._work.progress
        if work.action is None:
            return
        self._place.set_visibility(True)
        self._stop.set_visibility(True)
        self._bar.set_visibility(True)
        self._title.text = f"{_(_ACTIONS[work.action])} — {work.name}"
        share = progress.done / progress.total if progress is not None and progress.total else 0.0
        self._bar.props["value"] = round(1000 * min(share, 1.0))
        self._told.text = f"{message(progress)} — {describe(progress)}" if progress is not None else _("Beginning…")

    def _tell(self, said: str) -> None:
        """One sentence in the place of the progress, nothing when it is empty."""
        self._place.set_visibility(bool(said))
        self._title.text = self._work.name if said else ""
        self._told.text = said
        self._bar.set_visibility(False)
        self._stop.set_visibility(False)


def _read(state: State) -> _Shelf:
    data = state.engine
    return _Shelf(shelf.installed(data.data), frozenset(used(data)), machine.memory_bytes())
