"""The roles, and which of them each address of the server wants."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal

Action = Literal["read", "moderate"]


class Role(IntEnum):
    """Who somebody is; each role may do what those before it may."""

    NOBODY = 0
    READER = 1
    MODERATOR = 2


NEEDED: Final[dict[Action, Role]] = {"read": Role.READER, "moderate": Role.MODERATOR}

ENTER: Final = "/entrer"
TRIED: Final = "essai"  # parameter of ENTER: that the browser was asked again, from a page of ours…
OTHER: Final = "autre"  # …or that another passphrase is wanted than the one that let in
LEAVE: Final = "/sortir"
SOCKET: Final = "/_nicegui_ws"  # the websocket of every page, and its polling stand-in
UPLOADS: Final = "/_nicegui/client"  # where a page receives files
RECEIVE: Final = "/archive/depot"  # where a backup of any size is received (app/pages/depot.py)
FIRST_RUN: Final = "/bienvenue"  # the assistant
ALIVE: Final = "/sante"  # for whoever watches over the process (app/health.py)…
READY: Final = "/pret"  # …and for the balancer that sends people to it
SNAPSHOTS: Final = "/instantane"  # for replicas, which give a secret (app/snapshot_route.py)
# What the page of the passphrase needs, and nothing of an archive.
_OPEN: Final = (ENTER, LEAVE, ALIVE, READY, SNAPSHOTS, "/favicon.ico", "/assets/css", "/assets/icons")
# The pages of moderators, files that are sent to the server, and files that NiceGUI serves for a page to download.
_MODERATORS: Final = ("/archive", "/mesures", "/reglages", FIRST_RUN, UPLOADS, "/_nicegui/auto")


def needed(path: str) -> Role:
    """The least role that an address answers to; what nobody thought of is for readers, never for all."""
    if any(is_under(path, prefix) for prefix in _MODERATORS):
        return Role.MODERATOR
    if any(is_under(path, prefix) for prefix in _OPEN):
        return Role.NOBODY
    return Role.READER


def is_under(path: str, prefix: str) -> bool:
    """Whether a path is this one or stands below it."""
    return path == prefix or path.startswith(f"{prefix}/")
