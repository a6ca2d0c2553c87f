"""The network, for moderators: /reglages/acces shows the addresses to give, the passphrases to choose, who is in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

import nicegui
from nicegui import run, ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from engine import ArchivisteError

from .. import i18n
from ..access import Access, Role, Session, current, passphrases
from ..access.network import addresses, picture
from ..access.roles import ENTER
from ..components.markup import box, button, text
from ..errors import AccessElsewhere, PassphraseRefused
from ..i18n import N_
from ..i18n import gettext as _
from ..messages import message
from ..settings import LOOPBACK
from ..state import State
from ..theme import BUILT_WITHIN_S, frame
from .login import admit

PATH: Final = "/reglages/acces"
PHRASES: Final = f"{PATH}/phrases"
ROLES: Final[Mapping[Role, str]] = {Role.READER: N_("Reader"), Role.MODERATOR: N_("Moderator")}
_FIELDS: Final = (
    ("reader", Role.READER, N_("Passphrase to read")),
    ("moderator", Role.MODERATOR, N_("Passphrase to moderate")),
)
DONE: Final = "fait"


def register(state: State) -> None:
    """Make the page, and the address that takes its passphrases, known to the server."""
    access = state.access

    @ui.page(PATH, response_timeout=BUILT_WITHIN_S)
    async def access_page(dit: str = "") -> None:
        with frame(state, _("Access"), here="/reglages"), box("div", "access"):
            text(_("Access"), "h1")
            if dit == DONE:
                text(
                    _("The passphrases are set. Whoever came in with a former one must give the new one."),
                    "p",
                    "notice",
                )
            elif dit in passphrases.REASONS:
                refused = PassphraseRefused(reason=dit, count=passphrases.bound(dit))
                text(message(refused), "p", "notice", role="alert")
            _addresses(state)
            if access.is_elsewhere:
                text(message(AccessElsewhere()), "p", "notice")
                if said := access.notice():
                    text(said, "p", "notice", role="alert")
                return
            _passphrases(access)
            await _sessions(access)

    @nicegui.app.post(PHRASES)
    async def choose(request: Request) -> Response:
        """A form of its own rather than an event: what is typed never enters the state of a page."""
        async with request.form(max_files=0, max_fields=8) as given:
            typed = {name: (str(given.get(name, "")), str(given.get(f"{name}_again", ""))) for name, *_rest in _FIELDS}
        visitor = current()
        if visitor is None or not access.may("moderate"):
            return Response(status_code=403)
        if access.is_elsewhere:
            return RedirectResponse(PATH, status_code=303)
        was_open = not access.is_guarded()
        try:
            chosen = await asyncio.to_thread(_choose, access, typed)
        except PassphraseRefused as refused:
            return RedirectResponse(f"{PATH}?dit={refused.details['reason']}", status_code=303)
        response = RedirectResponse(f"{PATH}?dit={DONE}", status_code=303)
        if Role.MODERATOR in chosen or was_open:  # the session of this very browser has just ended
            kept = access.keys.passphrases()[Role.MODERATOR]
            admit(response, await asyncio.to_thread(access.welcome, Role.MODERATOR, kept, visitor.address))
        return response


def _choose(access: Access, typed: Mapping[str, tuple[str, str]]) -> set[Role]:
    """Keep the passphrases that were typed; whose they are. Raises PassphraseRefused, and then none is kept."""
    kept = access.keys.passphrases()
    chosen: dict[Role, str] = {}
    for name, role, _label in _FIELDS:
        phrase, again = typed[name]
        if not phrase and not again:
            continue
        if phrase != again:
            raise PassphraseRefused(reason="differs")
        others = {**kept, **chosen}
        others.pop(role, None)
        chosen[role] = passphrases.hashed(phrase, others)
    if len({**kept, **chosen}) < len(_FIELDS):
        raise PassphraseRefused(reason="both")
    for role, new in chosen.items():
        access.keys.set_passphrase(role, new)
    return set(chosen)


def _addresses(state: State) -> None:
    text(_("Addresses"), "h2")
    app = state.app
    if not state.access.shared:
        text(_("Archiviste only answers this computer."), "p")
        said = _("To open it to the others of your network, choose two passphrases below, then start it with:")
        text(said, "p")
        text("archiviste serve --lan", "code", "command")
        return
    text(_("On the same network, open this address or scan its picture, then give the passphrase."), "p")
    with box("ul", "addresses"):
        for address in addresses(app):
            if any(f"//{name}:" in address for name in LOOPBACK):
                continue
            with box("li", "address"):
                box("img", src=picture(address), alt=_("QR code of {address}").format(address=address))
                text(address, "code")
    if not app.certificate and not app.trusted_proxies:
        said = _("Without HTTPS, whoever listens to the network can read what is exchanged, passphrases included.")
        text(said, "p", "hint")


def _passphrases(access: Access) -> None:
    kept = access.keys.passphrases()
    text(_("Passphrases"), "h2")
    text(_("At least {count} characters, for instance four or five words that don’t go together.").format(
        count=i18n.number(passphrases.MIN_CHARS)), "p")  # fmt: skip
    if kept:
        text(_("What is left empty does not change."), "p", "hint")
    with box("form", "phrases", method="post", action=PHRASES):
        for name, role, label in _FIELDS:
            with box("fieldset"):
                text(_(label), "legend")
                for suffix, said in (("", _("New passphrase")), ("_again", _("The same again"))):
                    text(said, "label", for_=f"{name}{suffix}")
                    box(
                        "input", "field", id=f"{name}{suffix}", name=f"{name}{suffix}", type="password",
                        minlength=passphrases.MIN_CHARS, maxlength=passphrases.MAX_CHARS,
                        autocomplete="new-password", required=role not in kept,
                    )  # fmt: skip
        text(_("Set the passphrases"), "button", "button", type="submit")


async def _sessions(access: Access) -> None:
    if not access.is_guarded():
        return
    text(_("Who is in"), "h2")
    place = box("div", "sessions")

    async def show() -> None:
        sessions = await run.io_bound(access.keys.sessions)
        if sessions is None:  # the server is stopping
            return
        place.clear()
        with place, box("ul", "session-list"):
            for session in sessions:
                line(session)

    def line(session: Session) -> None:
        said = _("{role} from {address}").format(role=_(ROLES[session.role]), address=session.address)
        since = _("last seen on {seen}, until {until}").format(
            seen=i18n.date_short(session.seen_at), until=i18n.date_short(session.expires_at)
        )
        with box("li", "session"):
            with box("div"):
                text(said, "p")
                text(since, "p", "hint")
            button(_("End"), lambda: end(session.id), "button quiet", aria_label=_("End: {who}").format(who=said))

    async def end(session_id: int) -> None:
        if access.may("moderate"):
            await act(access.keys.end, session_id)

    async def end_all() -> None:
        if access.may("moderate"):
            await act(access.keys.end_all)

    async def act(change: Callable[..., object], *arguments: int) -> None:
        try:
            await run.io_bound(change, *arguments)
        except ArchivisteError as error:
            with place:
                text(message(error), "p", "notice", role="alert")
            return
        if access.may("moderate"):
            await show()
        else:
            ui.navigate.to(ENTER)  # it was one's own

    await show()
    button(_("End every session"), end_all, "button quiet")
