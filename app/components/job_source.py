"""Choosing what to read into the archive: a file or a folder of this computer, a file that is dropped, a live forum.

What is offered is recognised before anything is started, and what can't be read is told on the spot.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from nicegui import run, ui
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from engine import ArchivisteError

from .. import i18n, offer_words, offered
from ..i18n import gettext as _
from ..messages import message
from ..offered import SOURCE_CHARS, Offer
from ..state import State
from .job_drop import file_drop
from .markup import box, button, text

log = logging.getLogger(__name__)
Field = Literal["path", "forum"]
Way = Literal["path", "forum", "received"]


class SourcePicker:
    """The ways to name a source; `chosen` hears of one that was recognised."""

    def __init__(self, state: State, chosen: Callable[[Offer], None], *, demo: bool = False) -> None:
        self._state, self._chosen = state, chosen
        self._typed: dict[Field, str] = {"path": "", "forum": ""}
        self._wrong: dict[Way, TextElement] = {}
        with box("div", "sources-to-read"):
            if demo:
                with self._way(_("The demo forum"), _("To see what Archiviste does, in a few seconds.")):
                    button(_("Choose the demo"), lambda: chosen(offered.DEMO), "button")
            with self._way(
                _("A backup of the forum"),
                _("The file that an administrator fetches from Discourse (.tar.gz), or its dump.sql.gz."),
            ):
                file_drop(state, self._received)
                self._notice("received")
            if state.sits_here():
                with self._way(
                    _("A file or a folder of this computer"),
                    _("By its path: nothing is copied. A backup, a folder of backups, or topics saved as JSON."),
                ):
                    self._field("path", _("Path of the file or of the folder"), _("Look at it"))
                    self._notice("path")
                with self._way(_("A forum on the internet"), _("Its public messages are fetched from its address.")):
                    self._field("forum", _("Address of the forum"), _("Look at it"), kind="url")
                    self._notice("forum")

    def _way(self, title: str, told: str) -> ui.element:
        section = box("section", "way-to-read")
        with section:
            text(title, "h2")
            text(told, "p", "note")
        return section

    def _notice(self, way: Way) -> None:
        self._wrong[way] = text("", "p", "notice", role="alert")
        self._wrong[way].set_visibility(False)

    def _field(self, name: Field, label: str, go: str, kind: str = "text") -> None:
        with box("div", "search"):
            field = box(
                "input", "field", type=kind, maxlength=SOURCE_CHARS, placeholder=label, aria_label=label,
                autocomplete="off", spellcheck="false",
            )  # fmt: skip

            def typed(event: GenericEventArguments) -> None:
                self._typed[name] = str(event.args)[:SOURCE_CHARS].strip()

            async def entered(event: GenericEventArguments) -> None:
                typed(event)
                await self._look(name)

            field.on("change", typed, js_handler="(event) => emit(event.target.value)")
            field.on("keydown.enter", entered, js_handler="(event) => emit(event.target.value)")
            said = _("{action}: {job}").format(action=go, job=label)
            button(go, lambda: self._look(name), "button", aria_label=said)

    async def _look(self, name: Field) -> None:
        if not (self._state.may("moderate") and self._state.sits_here()):
            return
        said = self._typed[name]
        if not said:
            self._tell(name, _("Write the path first.") if name == "path" else _("Write the address first."))
            return
        if name == "forum":
            await self._show(name, lambda: offered.forum(said))
        else:
            await self._show(name, lambda: offered.look(said))

    async def _received(self, path: Path) -> None:
        await self._show("received", lambda: received_offer(path))

    async def _show(self, way: Way, look: Callable[[], Offer]) -> None:
        self._tell(way, _("Looking at what this is…"))
        found = await run.io_bound(tried, look)
        if isinstance(found, Offer):
            self._tell(way, "")
            self._chosen(found)
        elif found is not None:
            self._tell(way, found)
            # On a phone it may stand below what is in sight.
            notice = self._wrong[way].html_id
            ui.run_javascript(f"document.getElementById('{notice}')?.scrollIntoView({{block: 'center'}})")

    def _tell(self, way: Way, said: str) -> None:
        """A sentence below one of the ways, and nothing any more below the others."""
        for name, notice in self._wrong.items():
            notice.set_visibility(name == way and bool(said))
        self._wrong[way].text = said


def offer_card(offer: Offer) -> None:
    """What was recognised, and what will be done with it."""
    text(offer_words.heading(offer), "h2")
    if offer.name:
        text(offer.name, "code", "job-item")
    if offer.bytes:
        text(i18n.size(offer.bytes), "p", "note")
    for said in offer_words.sentences(offer):
        text(said, "p")


def received_offer(path: Path) -> Offer:
    """What a file is that was sent to the application; one that can't be read goes at once. Raises as `look`."""
    try:
        return offered.look(str(path), origin="received")
    except ArchivisteError:
        path.unlink(missing_ok=True)
        raise


def tried(look: Callable[[], Offer]) -> Offer | str:
    """The offer, or the sentence that says why there is none."""
    try:
        return look()
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("a source can't be looked at")
        return message(ArchivisteError())
