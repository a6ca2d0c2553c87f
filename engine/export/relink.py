"""Sanitised HTML of a post, made for the application's pages → the same for a page of a static archive.

Only the addresses change. Reads the serialiser's own output (attributes in double quotes, `"` escaped in them, `<`
escaped in text), in which a tag can't be mistaken for anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

Find = Callable[[str], str | None]  # an address of the application → one of the archive, None when nothing is there

_TAG = re.compile(r'<(a|img)((?: [a-z-]+="[^"]*")+)>')
_ADDRESS = re.compile(r' (href|src)="(/[^"]*)"')


def relink(safe_html: str, find: Find) -> str:
    """Addresses that begin with "/" are looked for; what leads nowhere keeps its text and loses its address."""
    if '="/' not in safe_html:
        return safe_html

    def tag(found: re.Match[str]) -> str:
        name, attributes = found[1], found[2]
        address = _ADDRESS.search(attributes)
        if address is None:
            return found[0]
        there = find(unescape(address[2]))
        if there is None:
            return f"<{name}{_ADDRESS.sub('', attributes)}>" if name == "a" else ""
        return f'<{name}{_ADDRESS.sub("", attributes)} {address[1]}="{escape(there)}">'

    return _TAG.sub(tag, safe_html)
