"""How Discourse names the files of posts: by their SHA-1, in an address, in the name of a smaller copy, in base 62.

Knows nothing of where files are kept.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

SHA1_DIGITS = 40
_SHORT = re.compile(
    r"(?:upload://|(?:(?:https?:)?//[^/?#]+)?(?:/[^?#]*)?/uploads/short-url/)([0-9A-Za-z]{1,27})(?:\.[^/]*)?"
)
# original/1X/0a1b….png, and of its smaller copies optimized/1X/0a1b…_2_690x388.png
_NAMED = re.compile(r"/([0-9a-f]{40})(?:_[0-9]{1,3}_[0-9]{1,5}x[0-9]{1,5})?(?:\.[^/]*)?")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MAX_PARTS = 12


def sha1_of(url: str) -> str:
    """The 40 hex digits that an address tells, that of the original for a smaller copy; "" when it tells none."""
    short = _SHORT.fullmatch(url.split("?")[0])
    if short is not None:
        number = 0
        for digit in short[1]:
            number = number * 62 + _DIGITS.index(digit)
        found = f"{number:0{SHA1_DIGITS}x}"
        return found if len(found) == SHA1_DIGITS else ""
    path = url.split("?")[0].split("#")[0]
    named = _NAMED.fullmatch(path[path.rfind("/") :]) if "/" in path else None
    return named[1] if named is not None else ""


def is_copy(url: str) -> bool:
    """Whether an address is that of a smaller copy of an image."""
    return "/optimized/" in url or "/_optimized/" in url


def place_of(url: str, base_url: str) -> str:
    """Where a backup keeps the file of an address of the forum, below its `uploads/`; "" for any other address.

    "/uploads/default/original/1X/0a1b….png" gives "default/original/1X/0a1b….png". Never holds "..", an empty part or
    a backslash.
    """
    try:
        parts, home = urlsplit(url), urlsplit(base_url)
    except ValueError:
        return ""
    if parts.scheme not in ("", "http", "https") or (parts.netloc and parts.netloc.lower() != home.netloc.lower()):
        return ""
    top, *rest = unquote(parts.path).removeprefix(home.path.rstrip("/")).removeprefix("/").split("/")
    good = top == "uploads" and 2 <= len(rest) <= _MAX_PARTS and rest[0] != "short-url" and all(map(_is_plain, rest))
    return "/".join(rest) if good else ""


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and "\\" not in part and ":" not in part and part.isprintable()
