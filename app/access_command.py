"""The command `access`: chooses the passphrases, shows who is in, sends everybody away."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from getpass import getpass
from typing import Final

from . import i18n
from .access import Role, Session, passphrases
from .access.keys import NAMES, Keys
from .access.shared_keys import open_keys
from .documents import Document
from .errors import PassphraseRefused
from .i18n import N_, ngettext
from .i18n import gettext as _
from .output import DONE, print_json, print_lines
from .settings import Choices

ACTIONS: Final = ("list", "set", "revoke", "clear")
WORDS: Final = {Role.READER: N_("reader"), Role.MODERATOR: N_("moderator"), Role.NOBODY: N_("nobody")}


def add_arguments(parser: ArgumentParser) -> None:
    """The grammar of the command."""
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="list", metavar="ACTION",
        help=_("list who is in, set a passphrase, revoke every session, or clear both passphrases"),
    )  # fmt: skip
    parser.add_argument(
        "role", nargs="?", choices=tuple(NAMES), metavar="ROLE",
        help=_("set: reader or moderator; the passphrase is asked for, or read from standard input"),
    )  # fmt: skip


def check(parser: ArgumentParser, given: Namespace) -> None:
    """Refuse what does not go together."""
    if given.action == "set" and given.role is None:
        parser.error(_("the following arguments are required: %s") % "ROLE")


def run(given: Namespace, choices: Choices) -> int:
    """Do what is asked of access."""
    with closing(open_keys(choices.app, choices.engine.data)) as keys:
        if given.action == "set":
            _set(keys, NAMES[given.role])
        elif given.action == "revoke":
            count = keys.end_all()
            print_lines(ngettext("{n} session ended.", "{n} sessions ended.", count).format(n=i18n.number(count)))
        elif given.action == "clear":
            keys.clear()
            print_lines(_("Both passphrases are forgotten, and every session has ended."))
        elif given.json:
            print_json(_document(keys))
        else:
            _list(keys)
    return DONE


def _set(keys: Keys, role: Role) -> None:
    others = {other: kept for other, kept in keys.passphrases().items() if other is not role}
    keys.set_passphrase(role, passphrases.hashed(_asked(), others))
    print_lines(_("The passphrase is set, and the sessions that the former one opened have ended."))
    if not others:
        missing = Role.MODERATOR if role is Role.READER else Role.READER
        print_lines(_("Set the other one too: archiviste access set {role}").format(role=missing.name.lower()))


def _asked() -> str:
    """The passphrase: typed twice without being shown, or the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    phrase = getpass(_("Passphrase: "))
    if getpass(_("The same again: ")) != phrase:
        raise PassphraseRefused(reason="differs")
    return phrase


def _list(keys: Keys) -> None:
    chosen = keys.passphrases()
    for role in (Role.READER, Role.MODERATOR):
        state = _("a passphrase is set") if role in chosen else _("no passphrase")
        print_lines(_("{role}: {state}").format(role=_(WORDS[role]), state=state))
    sessions = keys.sessions()
    print_lines(*map(_line, sessions))
    if not sessions:
        print_lines(_("Nobody is in."))


def _line(session: Session) -> str:
    return _("{role} from {address}, since {since}, until {until}").format(
        role=_(WORDS[session.role]),
        address=session.address,
        since=i18n.date_short(session.created_at),
        until=i18n.date_short(session.expires_at),
    )


def _document(keys: Keys) -> Document:
    return {
        "passphrases": sorted(role.name.lower() for role in keys.passphrases()),
        "sessions": [
            {
                "id": session.id,
                "role": session.role.name.lower(),
                "address": session.address,
                "created_at": session.created_at.isoformat(),
                "seen_at": session.seen_at.isoformat(),
                "expires_at": session.expires_at.isoformat(),
            }
            for session in keys.sessions()
        ],
    }
