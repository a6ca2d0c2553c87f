"""Coming in and going out: /entrer takes a passphrase, /sortir ends a session. Plain pages, without any script."""

from __future__ import annotations

import asyncio
import logging
import math
from html import escape
from typing import Final
from urllib.parse import quote, urlencode

import nicegui
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from .. import i18n
from ..access import Entered, Role, current
from ..access.guard import COOKIE
from ..access.headers import PLAIN
from ..access.passphrases import MAX_CHARS
from ..access.plain import form, plain_page
from ..access.roles import ENTER, LEAVE, OTHER, TRIED
from ..i18n import gettext as _
from ..state import State

log = logging.getLogger(__name__)

_HEADERS: Final = {"Cache-Control": "no-store", "Content-Security-Policy": PLAIN}


def register(state: State) -> None:
    """Make the two addresses known to the server."""
    access = state.access

    @nicegui.app.get(ENTER)
    def ask(vers: str = "/", essai: str = "") -> Response:
        role = access.role(current())
        if role is Role.MODERATOR or (role is Role.READER and essai != OTHER):
            return RedirectResponse(_local(vers), status_code=303)
        return _ask(vers, notice=access.notice()) if essai else _ask_again(vers)

    @nicegui.app.post(ENTER)
    async def enter(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=4) as given:
            phrase, target = (str(given.get(name, "")) for name in ("phrase", "vers"))
        visitor = current()
        address = visitor.address if visitor else ""
        entered = await access.enter(phrase, address)
        if not entered.token:
            # An address of this network, never what was typed.
            log.warning("a passphrase was refused (%s), waits %.0f s", address, entered.wait_s)
            return _ask(target, entered, access.notice())
        await asyncio.to_thread(access.leave, visitor)  # the session that this one replaces
        return admit(RedirectResponse(_local(target), status_code=303), entered)

    @nicegui.app.get(LEAVE)
    def ask_to_leave() -> Response:
        lead = _("On this browser, Archiviste will ask for the passphrase again.")
        links = ((_("Back to the start"), "/"),)
        return _plain(plain_page(_("Log out"), lead, body=form(LEAVE, _("Log out")), links=links))

    @nicegui.app.post(LEAVE)
    def leave() -> Response:
        access.leave(current())
        response = RedirectResponse(ENTER, status_code=303)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response


def admit(response: Response, entered: Entered) -> Response:
    """The same answer, with the cookie of a new session."""
    response.set_cookie(
        COOKIE, entered.token, max_age=int(entered.lasts.total_seconds()), httponly=True, samesite="strict"
    )
    return response


def _ask_again(target: str) -> Response:
    """A page that goes on by itself to the form.

    Somebody who follows a link of another site arrives without their cookie (SameSite=Strict); from this page of ours
    the browser sends it, and the form lets them through.
    """
    onward = f"{ENTER}?{urlencode({'vers': target, TRIED: '1'})}"
    return _plain(plain_page(_("One moment…"), links=((_("Continue"), onward),), refresh=onward))


def _ask(target: str, refused: Entered | None = None, notice: str = "") -> Response:
    """The form. `notice` says why a right passphrase may not be taken here."""
    label = _("Passphrase")
    field = (
        f'<label for="phrase">{escape(label)}</label>'
        f'<input class="field" id="phrase" name="phrase" type="password" required autofocus'
        f' maxlength="{MAX_CHARS}" autocomplete="current-password">'
    )
    status, headers = 200, dict(_HEADERS)
    if refused is not None and refused.wait_s > 0:
        wait_s = math.ceil(refused.wait_s)
        wait = _("Too many attempts. Try again in {delay}.").format(delay=i18n.duration(wait_s))
        notice, status = wait, 429
        headers["Retry-After"] = str(wait_s)
    elif refused is not None:
        wrong = _("This passphrase is not right. Check the capitals and the spaces between the words.")
        notice, status = f"{wrong} {notice}".strip(), 403
    body = form(ENTER, _("Enter"), fields=field, hidden=(("vers", _local(target)),))
    lead = _("This archive opens with the passphrase of its members. The moderators’ one opens the settings as well.")
    return HTMLResponse(plain_page(_("Passphrase"), lead, notice=notice, body=body), status, headers)


def _plain(page: str) -> Response:
    return HTMLResponse(page, headers=_HEADERS)


def _local(target: str) -> str:
    """An address of this server, whatever was asked for."""
    if not target.startswith("/") or target.startswith(("//", "/\\")) or not target.isprintable():
        return "/"
    return quote(target, safe="/?&=%+:@!$'()*,;~#")
