"""The assistant of the first start, for moderators: /bienvenue leads from an empty archive to a first answer.

What was chosen is kept after each step, so that it can be left and taken up again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from nicegui import run, ui

from .. import first_run, i18n
from ..access.roles import FIRST_RUN
from ..components.job_models import model_offers
from ..components.job_source import SourcePicker, offer_card
from ..components.markup import box, button, has_page, link, text
from ..first_run import STEPS, FirstRun
from ..i18n import N_, ngettext
from ..i18n import gettext as _
from ..offered import Offer
from ..state import State
from ..theme import BUILT_WITHIN_S, frame
from .welcome_reading import reading

NAMES: Final[Mapping[str, str]] = MappingProxyType({
    "source": N_("What to read"),
    "modeles": N_("Models"),
    "acces": N_("Who may come"),
    "lecture": N_("Reading"),
})  # fmt: skip
ACCESS, MODELS = "/reglages/acces", "/reglages/modeles"
LAN_COMMAND: Final = "archiviste serve --lan"


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(FIRST_RUN, response_timeout=BUILT_WITHIN_S)
    async def welcome_page(etape: str = "") -> None:
        kept = await run.io_bound(first_run.load, state.engine.data) or FirstRun()
        step = etape if etape in STEPS and kept.has_reached(etape) else kept.reached
        with frame(state, _("Welcome"), here="/archive", search=False), box("div", "welcome"):
            text(_("Welcome to Archiviste"), "h1")
            if not kept.job and state.facts().posts:
                _already(state)
            _steps(kept, step)
            with box("section", "step"):
                _STEPS[step](state, kept)


def address(step: str) -> str:
    """Where a step is shown."""
    return f"{FIRST_RUN}?{urlencode({'etape': step})}"


def _steps(kept: FirstRun, here: str) -> None:
    with box("nav", aria_label=_("Steps")), box("ol", "steps"):
        for step in STEPS:
            with box("li", **({"aria_current": "step"} if step == here else {})):
                if step != here and kept.has_reached(step):
                    link(_(NAMES[step]), address(step))
                else:
                    text(_(NAMES[step]))


def _already(state: State) -> None:
    """The archive was filled without the assistant."""
    posts = state.facts().posts
    said = ngettext("The archive already holds {n} message.", "The archive already holds {n} messages.", posts)
    with box("p", "notice in-line"):
        text(said.format(n=i18n.number(posts)))
        link(_("Ask it a question"), "/")


def _go_on(state: State, kept: FirstRun, step: str) -> Callable[[], object]:
    """A step further, once it is kept."""

    async def go() -> None:
        if state.may("moderate"):
            later = max(STEPS.index(step), STEPS.index(kept.reached))
            await keep(state, replace(kept, reached=STEPS[later]), step)

    return go


async def keep(state: State, kept: FirstRun, step: str) -> None:
    """Write down where the assistant stands, then show this step of it."""
    if await run.io_bound(_saved, state, kept):
        ui.navigate.to(address(step))
    else:
        said = _("The data folder can’t be used: {path}.").format(path=state.engine.data)
        ui.notify(said, timeout=0, close_button=_("Close"))


def _saved(state: State, kept: FirstRun) -> bool:
    try:
        first_run.save(state.engine.data, kept)
    except OSError:
        return False
    return True


def _later(state: State, kept: FirstRun) -> None:
    async def leave() -> None:
        if state.may("moderate") and await run.io_bound(_saved, state, replace(kept, later=True)):
            ui.navigate.to("/")

    button(_("Finish later"), leave, "button quiet")


# --- the steps --------------------------------------------------------------------------------


def _source(state: State, kept: FirstRun) -> None:
    lead = _(
        "Archiviste answers questions from the messages of a forum, on this computer and without the internet. First,"
        " which forum?"
    )
    place = box("div")

    def choose() -> None:
        place.clear()
        with place:
            text(lead, "p", "lead")
            SourcePicker(state, chosen, demo=not state.facts().posts)
            with box("div", "buttons"):
                _later(state, kept)

    def chosen(offer: Offer) -> None:
        async def take() -> None:
            named = offer.origin != "demo"
            if state.may("moderate") and (offer.origin in ("demo", "received") or state.sits_here()):
                reached = kept.reached if kept.has_reached("modeles") else "modeles"
                source = offer.source if named else ""
                await keep(state, FirstRun(reached, offer.origin, source), "modeles")

        place.clear()
        with place, box("section", "offer", tabindex=-1) as section:
            offer_card(offer)
            with box("div", "buttons"):
                button(_("Continue"), take)
                button(_("Choose something else"), choose, "button quiet")
        with section:  # the button that was pressed is gone, and with it the focus
            ui.run_javascript(f"document.getElementById('{section.html_id}')?.focus()")

    choose()


def _models(state: State, kept: FirstRun) -> None:
    text(_("Models make answers and searches better"), "h2")
    said = _(
        "Archiviste works without them: small models come with it, and answers are made of extracts of the messages."
        " Nothing is downloaded unless you ask for it here."
    )
    text(said, "p")
    model_offers(state)
    if has_page(MODELS):
        with box("p", "note in-line"):
            text(_("All of them, and those that are on a USB stick:"))
            link(_("Models"), MODELS)
    with box("div", "buttons"):
        button(_("Continue"), _go_on(state, kept, "acces"))
        _later(state, kept)


def _access(state: State, kept: FirstRun) -> None:
    text(_("Who may come"), "h2")
    with box("section", "way-to-read"):
        text(_("This computer only"), "h3")
        if state.access.shared:
            text(_("At this moment the archive is also open to others."), "p")
        else:
            text(_("It is so now. There is nothing to do."), "p")
    with box("section", "way-to-read"):
        text(_("Other computers of the network"), "h3")
        if state.access.is_guarded():
            text(_("Passphrases are chosen. Close Archiviste, then open it to the others with:"), "p")
        else:
            said = _(
                "Choose two passphrases, one for the readers and one for the moderators. Then close Archiviste, and"
                " open it to the others with:"
            )
            text(said, "p")
        text(LAN_COMMAND, "code", "command")
        with box("p", "note in-line"):
            text(_("Or always, by a setting:"))
            link(_("Settings"), "/reglages")
        if has_page(ACCESS):
            link(_("See to the access"), ACCESS, "button quiet")
    said = _("This can be done at any time. The assistant waits where it is.")
    text(said, "p", "note")
    with box("div", "buttons"):
        button(_("Continue"), _go_on(state, kept, "lecture"))
        _later(state, kept)


def _reading(state: State, kept: FirstRun) -> None:
    async def again() -> None:
        if state.may("moderate"):
            await keep(state, replace(kept, job=0), "source")

    async def begun(job: int) -> None:
        await keep(state, replace(kept, job=job), "lecture")

    reading(state, kept, begun=begun, again=again)


_STEPS: Final[Mapping[str, Callable[[State, FirstRun], None]]] = MappingProxyType({
    "source": _source, "modeles": _models, "acces": _access, "lecture": _reading,
})  # fmt: skip
