"""The doctor on the page of the archive: a quick look at once, a full examination when it is asked for."""

from __future__ import annotations

import logging

from nicegui import run, ui

from engine import ArchivisteError
from engine.doctor.findings import Finding, Level

from .. import doctor_checks, doctor_words
from ..components.markup import box, button, text
from ..i18n import gettext as _
from ..messages import message
from ..state import State

log = logging.getLogger(__name__)
_LOOKS = {Level.OK: "sound", Level.WARNING: "warning", Level.ERROR: "broken"}


def doctor(state: State) -> None:
    """The section; the quick look begins once the page is there."""
    with box("section", "doctor"):
        text(_("Health"), "h2")
        place = box("div", aria_busy="true")
        with place:
            text(_("Looking…"), "p", "note", role="status")

        async def examine(*, quick: bool) -> None:
            found = await run.io_bound(_examine, state, quick)
            if found is None or place.is_deleted:
                return
            place.clear()
            place.props["aria-busy"] = "false"
            with place:
                if isinstance(found, str):
                    text(found, "p", "notice", role="alert")
                else:
                    _findings(found, whole=not quick)

        async def examine_whole() -> None:
            if not state.may("moderate"):
                return
            whole.set_visibility(False)
            place.clear()
            place.props["aria-busy"] = "true"
            with place:
                said = _("Every message and every index is being read. On a large forum this takes minutes.")
                text(said, "p", "note", role="status")
            await examine(quick=False)
            whole.set_visibility(True)

        whole = button(_("Examine everything"), examine_whole, "button quiet")
        ui.timer(0, lambda: examine(quick=True), once=True)


def _findings(found: tuple[Finding, ...], *, whole: bool) -> None:
    """What is wrong, and all the rest once everything was examined."""
    wrong = [finding for finding in found if finding.level is not Level.OK]
    if not wrong:
        said = _("All is well: everything was examined.") if whole else _("All is well, at a first look.")
        text(said, "p", role="status")
    with box("ul", "findings"):
        for finding in found if whole else wrong:
            with box("li", _LOOKS[finding.level]):
                text(doctor_words.line(finding), "p")
                for said in doctor_words.advice(finding):
                    text(said, "p", "note")


def _examine(state: State, quick: bool) -> tuple[Finding, ...] | str:
    try:
        return doctor_checks.examine(state.engine, quick=quick, models=state.models)
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("the doctor failed")
        return message(ArchivisteError())
