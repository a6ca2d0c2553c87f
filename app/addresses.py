"""An address of a Discourse, pasted in the search box → the place of this application that shows the same thing. Pure.

The forum's own host is not asked for: an old address of the forum, or a mirror's, means the same message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, unquote, urlsplit

MAX_CHARS: Final = 500
_SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)
# What a browser shows of an address: a host with a dot, or this machine, then a path.
_BARE_HOST: Final = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d{1,5})?/", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_FRAGMENT: Final = re.compile(r"(?:post|message)[_-]([0-9]{1,9})")
NO_SLUG: Final = "-"


def place_of(text: str) -> str | None:
    """The path here of what an address of a Discourse names, None when the text is no such address.

    Read: /t/slug/ID/N, /t/slug/ID, /t/ID/N, /t/ID, /p/POST, /c/slug/ID, /u/NAME, /tag/NAME, alone or after any host.
    """
    text = text.strip()
    if not text or len(text) > MAX_CHARS or any(c.isspace() for c in text):
        return None
    if not _SCHEME.match(text):
        if not text.startswith("/"):
            if not _BARE_HOST.match(text):
                return None
            text = "//" + text
        elif text.startswith("//"):
            return None
    try:
        parts = urlsplit(text)
    except ValueError:  # a bracket that doesn't close
        return None
    segments = [unquote(segment) for segment in parts.path.removesuffix(".json").split("/") if segment]
    # A forum may live in a folder of its host: the first segment that begins a known address counts.
    for at, segment in enumerate(segments):
        read = _READERS.get(segment.lower())
        if read is not None and (place := read(segments[at + 1 :], parts.fragment)) is not None:
            return place
    return None


def _topic(rest: Sequence[str], fragment: str) -> str | None:
    if not rest:
        return None
    slug = ""
    if not _NUMBER.fullmatch(rest[0]):  # a slug never consists of digits only
        slug, rest = rest[0], rest[1:]
    elif len(rest) > 2 and _NUMBER.fullmatch(rest[1]) and _NUMBER.fullmatch(rest[2]):
        rest = rest[1:]  # unless the title does
    if not rest or not _NUMBER.fullmatch(rest[0]):
        return None
    place = f"/t/{_written(slug) or NO_SLUG}/{int(rest[0])}"
    if len(rest) > 1 and _NUMBER.fullmatch(rest[1]):
        return f"{place}/{int(rest[1])}"
    named = _FRAGMENT.fullmatch(fragment)
    return f"{place}/{int(named[1])}" if named else place


def _post(rest: Sequence[str], _fragment: str) -> str | None:
    return f"/p/{int(rest[0])}" if rest and _NUMBER.fullmatch(rest[0]) else None


def _category(rest: Sequence[str], _fragment: str) -> str | None:
    # /c/parent/child/ID/l/latest: the number names the category, the word before it is for people.
    for before, number in pairwise(rest):
        if _NUMBER.fullmatch(number) and not _NUMBER.fullmatch(before):
            return f"/c/{_written(before) or NO_SLUG}/{int(number)}"
    return f"/c/{NO_SLUG}/{int(rest[0])}" if rest and _NUMBER.fullmatch(rest[0]) else None


def _named(folder: str) -> Callable[[Sequence[str], str], str | None]:
    def read(rest: Sequence[str], _fragment: str) -> str | None:
        name = _written(rest[0]) if rest else ""
        return f"/{folder}/{name}" if name else None

    return read


def _written(segment: str) -> str:
    """A word of an address, written again by us; "" when it can't be one segment of a path."""
    return "" if "/" in segment or segment in (".", "..") else quote(segment, safe="")


_READERS: Final[Mapping[str, Callable[[Sequence[str], str], str | None]]] = MappingProxyType({
    "t": _topic,
    "p": _post,
    "c": _category,
    "u": _named("u"),
    "users": _named("u"),
    "tag": _named("etiquette"),
    "tags": _named("etiquette"),
    "etiquette": _named("etiquette"),
})  # fmt: skip
