"""Initials in a coloured disc, for a member whose picture is not in the archive."""

from __future__ import annotations

import zlib

from .markup import text

TINTS = 5  # classes of the sheet; a member always has the same


def avatar(username: str, display_name: str) -> None:
    """The disc; it says nothing to a screen reader, since the name stands beside it."""
    tint = zlib.crc32(username.encode("utf-8", "replace")) % TINTS
    text(initials(display_name or username), "span", f"avatar tint-{tint}", aria_hidden="true")


def initials(name: str) -> str:
    """The first letters of the first and the last word: « Jean-Paul Bert » → « JB »."""
    words = [word for word in "".join(c if c.isalnum() else " " for c in name).split() if word]
    if not words:
        return "?"
    first, last = words[0][0], words[-1][0] if len(words) > 1 else ""
    return (first + last).upper()
