"""Every setting, for moderators: /reglages. What is changed goes to settings.toml, for the next start."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from nicegui import run, ui
from nicegui.events import GenericEventArguments

from engine import ArchivisteError, SettingsError
from engine.settings import CHANGES_INDEX

from .. import i18n, settings_file
from ..access import current
from ..components.markup import box, button, has_page, link, text
from ..i18n import N_
from ..i18n import gettext as _
from ..messages import message
from ..setting_words import GROUPS, OPTIONS
from ..setting_words_several import Words
from ..settings import FILE, LOOPBACK, Choices
from ..settings_file import Value
from ..state import State
from ..theme import BUILT_WITHIN_S, frame

log = logging.getLogger(__name__)

PATH: Final = "/reglages"
PAGES: Final = (
    ("/reglages/modeles", N_("Models"), N_("See, download, check and add the models.")),
    ("/reglages/acces", N_("Access"), N_("Open the archive to the network, choose the passphrases, see who is in.")),
)
# A change of these has all messages read again for their meaning, which takes hours on a large forum.
READ_AGAIN: Final = frozenset({"bge_model", "bge_precision", "forum_vectors"})
RESTART, PREPARE, READ = (
    N_("at the next start"),
    N_("at the next start; the search is then prepared again"),
    N_("at the next start; the messages are then read again for their meaning"),
)


def register(state: State) -> None:
    """Make the page known to the server."""
    try:
        started = settings_file.filed(state.engine.data)
    except SettingsError:  # the application started without this file, in a test
        started = Choices(state.app, state.engine)

    @ui.page(PATH, response_timeout=BUILT_WITHIN_S)
    async def settings_page() -> None:
        # Whoever sits at the machine could edit the file anyway; others could make it read or send what is theirs.
        visitor = current()
        here = not state.access.shared or (visitor is not None and visitor.address in LOOPBACK)
        with frame(state, _("Settings"), here=PATH), box("div", "settings"):
            text(_("Settings"), "h1")
            _pages()
            path = state.engine.data / FILE
            said = _("What you change here is written to {path} and counts from the next start.")
            text(said.format(path=path), "p", "lead")
            if not here:
                text(_("They can only be changed on the computer that runs Archiviste."), "p", "notice")
            try:
                filed = await run.io_bound(settings_file.filed, state.engine.data)
            except ArchivisteError as error:
                text(message(error), "p", "notice", role="alert")
                return
            if filed is not None:
                _groups(state, Now(Choices(state.app, state.engine), started, filed), editable=here)


class Now:
    """The settings in force, and what their file says: when the application started, and by now."""

    def __init__(self, force: Choices, started: Choices, filed: Choices) -> None:
        self.force, self.started, self.filed = force, started, filed

    def overridden(self, name: str) -> bool:
        """Whether the command line or the environment decided in the place of the file."""
        if name == "app.host" and self.force.app.lan:
            return False  # the network decides of it
        return settings_file.value(self.force, name) != settings_file.value(self.started, name)

    def pending(self, name: str) -> bool:
        """Whether the file has changed since the start."""
        return settings_file.value(self.filed, name) != settings_file.value(self.started, name)


def effect(name: str) -> str:
    """When a change of this setting counts, and what it costs."""
    section, _dot, key = name.partition(".")
    if section == "engine" and key in CHANGES_INDEX:
        return _(PREPARE)
    return _(READ) if section == "engine" and key in READ_AGAIN else _(RESTART)


def shown(name: str, found: Value) -> str:
    """A value in words; nothing secret."""
    if found is None or found == "":
        return _("none")
    if settings_file.options(name):
        return _(OPTIONS[settings_file.typed(found)])
    if isinstance(found, float):
        return i18n.decimal(found, 3)
    return masked(str(found))


def masked(said: str) -> str:
    """An address without the password that may stand in it."""
    try:
        parts = urlsplit(said)
        if parts.password is None and "@" not in parts.netloc:
            return said
    except ValueError:
        return said
    return said.replace(parts.netloc, "•••@" + parts.netloc.rpartition("@")[2])


def _pages() -> None:
    there = [page for page in PAGES if has_page(page[0])]
    if there:
        with box("ul", "cards"):
            for path, name, told in there:
                with box("li"), link("", path, "example"):
                    text(_(name), "strong")
                    text(_(told), "span", "note")


def _groups(state: State, now: Now, *, editable: bool) -> None:
    for title, group in GROUPS.items():
        with box("section", "setting-group"):
            text(_(title), "h2")
            for name, words in group.items():
                _Row(state.engine.data, name, words, now, editable=editable)


class _Row:
    """One setting: its words, its field, and what came of a change."""

    def __init__(self, data: Path, name: str, words: Words, now: Now, *, editable: bool) -> None:
        self._data, self._name, self._now = data, name, now
        found = settings_file.value(now.filed, name)
        with box("div", "setting"):
            with box("div", "setting-words"):
                text(_(words.name), "h3", id=f"nom-{name}")
                text(_(words.told), "p")
                with box("p", "note"):
                    text(name.partition(".")[2], "code")
                    text(_("By default: {value}.").format(value=shown(name, settings_file.default(name))))
                    text(_("Takes effect {when}.").format(when=effect(name)))
            with box("div", "setting-value"):
                if editable:
                    self._field(found)
                else:
                    text(shown(name, found), "strong")
                self._said = text(self._state(), "p", "note", role="status")

    def _field(self, found: Value) -> None:
        name = self._name
        label = {"aria_labelledby": f"nom-{name}"}
        choices = settings_file.options(name)
        if choices:
            with box("select", "field", **label) as field:
                for choice in choices:
                    option = text(_(OPTIONS[choice]), "option", value=choice)
                    if choice == settings_file.typed(found):
                        option.props["selected"] = True
        else:
            kept = settings_file.typed(found)
            secret = masked(kept) != kept
            field = box("input", "field", autocomplete="off", spellcheck="false", maxlength=1000, **label)
            field.props["defaultValue"] = "" if secret else kept
            field.props["placeholder"] = masked(kept) if secret else shown(name, settings_file.default(name))
        field.on("change", self._change, js_handler="(event) => emit(event.target.value)")
        if found != settings_file.default(name):
            button(_("Back to the default"), lambda: self._save(""), "button quiet small")

    async def _change(self, event: GenericEventArguments) -> None:
        await self._save(str(event.args)[:1000].strip())

    async def _save(self, said: str) -> None:
        """Keep it, or say why not. The value that counts now stays what it is until the next start."""
        result = await run.io_bound(_kept, self._data, self._name, said)
        if isinstance(result, str):
            self._tell(result, "notice")
        elif result is not None:
            self._now.filed = result
            self._tell(self._state() or _("Saved; it is what counts now."), "note saved")

    def _tell(self, said: str, look: str) -> None:
        self._said.text = said
        self._said.classes(replace=look)

    def _state(self) -> str:
        now = shown(self._name, settings_file.value(self._now.force, self._name))
        if self._now.overridden(self._name):
            return _("Chosen at the start, by the command line or the environment: {value}.").format(value=now)
        if self._now.pending(self._name):
            return _("Saved for the next start. Now: {value}.").format(value=now)
        return ""


def _kept(data: Path, name: str, said: str) -> Choices | str:
    """The choices of the file once the value is in it, or the sentence that says why it is not."""
    try:
        settings_file.save(data, name, said)
        return settings_file.filed(data)
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("a setting could not be saved")
        return message(ArchivisteError())
