"""What the user reads of a source before it is read: what it is, how it will be read, what stays out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from .forum_key import KEY, USER_KEY
from .i18n import N_
from .i18n import gettext as _
from .offered import Offer

KINDS: Final[Mapping[str, str]] = MappingProxyType({
    "demo": N_("The demo forum"),
    "dump": N_("A backup of the whole forum"),
    "topics": N_("Topics saved one by one"),
    "posts": N_("Messages saved one by one"),
    "forum": N_("A forum on the internet"),
})  # fmt: skip


def heading(offer: Offer) -> str:
    """What it is."""
    return _(KINDS[offer.kind])


def sentences(offer: Offer) -> Iterator[str]:
    """What will be done with it, a paragraph each."""
    if offer.newest:
        yield _("This folder holds several backups: the newest, {name}, is read.").format(name=offer.newest)
    match offer.kind:
        case "demo":
            yield _("A small forum about bicycles, made for this application. It takes seconds, without a network.")
            return
        case "forum":
            yield _(
                "Its public messages are fetched one topic after the other, at the pace that the forum allows. This can"
                " be stopped, and goes on from there."
            )
            if offer.with_key:
                yield _("The key of the environment is sent to this forum.")
            else:
                yield _("No key is sent. For a forum that only opens to its members, put one in the variable {name}"
                        " before Archiviste starts.").format(name=f"{USER_KEY} ({KEY})")  # fmt: skip
        case "dump":
            yield _("What is private in it stays out: private messages, restricted categories, what was deleted.")
        case _:
            yield _("Only what these files show as public is read. What they don’t hold is left as it is.")
