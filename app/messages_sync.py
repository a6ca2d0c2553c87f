"""What the user reads when a live forum can't be read: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, ForumUnavailable, StoreBusy

from .i18n import N_

SYNC_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    ForumUnavailable: N_(
        "The forum {url} can’t be read now. What was fetched is kept. Start again later: it will go on from there."
    ),
})  # fmt: skip

SYNC_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (ForumUnavailable, "address"): N_(
        "This is not the address of a forum: “{url}”. Give it as https://forum.example.org. Nothing was fetched."
    ),
    (ForumUnavailable, "offline"): N_(
        "The forum {url} can’t be reached. Check its address and your connection. What was fetched is kept: start"
        " again, it will go on from there."
    ),
    (ForumUnavailable, "certificate"): N_(
        "The certificate of {url} is not valid: nothing proves that this is the forum. What was fetched before is"
        " kept. Check the clock of this computer, or tell the forum’s administrator."
    ),
    (ForumUnavailable, "failing"): N_(
        "The server of {url} fails again and again. What was fetched is kept. Start again later: it will go on from"
        " there."
    ),
    (ForumUnavailable, "garbled"): N_(
        "The answers of {url} arrive cut or unreadable. What was fetched is kept. Start again later: it will go on"
        " from there."
    ),
    (ForumUnavailable, "too_many"): N_(
        "The forum {url} asks to be left alone for a while: it received too many requests. What was fetched is kept."
        " Start again in a few hours, or raise “sync_interval_s” in your settings."
    ),
    (ForumUnavailable, "not_discourse"): N_(
        "There is no Discourse forum at {url}. Nothing was fetched. Check the address."
    ),
    (ForumUnavailable, "login_required"): N_(
        "The forum {url} only opens to its members. Nothing was changed. Ask its administrator for a key and put it in"
        " the variable DISCOURSE_USER_API_KEY, or ask for a backup."
    ),
    (ForumUnavailable, "key_refused"): N_(
        "The forum {url} refuses your key. Nothing was changed. Check DISCOURSE_USER_API_KEY, or DISCOURSE_API_KEY and"
        " DISCOURSE_API_USERNAME."
    ),
    (ForumUnavailable, "redirected"): N_(
        "The forum {url} leads to another address, {host}. Nothing was fetched. Give that address if it is the right"
        " one."
    ),
    (ForumUnavailable, "blocked"): N_(
        "The forum {url} refuses to be read by a program. What was fetched is kept. Ask its administrator for a"
        " backup."
    ),
    (ForumUnavailable, "younger"): N_(
        "The forum at {url} was set up anew since your archive was made. Nothing was changed. Use another data folder"
        " for it."
    ),
    (StoreBusy, "sync"): N_(
        "This archive is already being brought up to date from its forum. Nothing was started a second time."
    ),
})  # fmt: skip
