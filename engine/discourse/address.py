"""The address of a forum, from what a person types or pastes."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import ForumUnavailable

# First parts of Discourse's own paths: what follows the forum's address when a page of it was pasted.
_PAGES = frozenset(
    "t c u tag tags latest new top unread hot categories posts p about search login session site.json faq".split()
)


@dataclass(frozen=True, slots=True)
class Address:
    """A forum's address: `base_url` without a slash at its end, perhaps with the folder where the forum lives."""

    base_url: str
    host: str
    loopback: bool


def address(text: str) -> Address:
    """The address typed: https, or http on this very computer. Raises ForumUnavailable (reason "address")."""
    text = text.strip()
    refused = ForumUnavailable(reason="address", url=_without_secret(text))
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:  # a port that is no number, a bracket that doesn't close
        raise refused from error
    loopback = _is_loopback(host)
    allowed = parts.scheme == "https" or (parts.scheme == "http" and loopback)
    if not host or not allowed or "@" in parts.netloc or any(c.isspace() or c == "\\" for c in parts.netloc):
        raise refused
    folders = [part for part in parts.path.split("/") if part]
    kept = next((n for n, part in enumerate(folders) if part in _PAGES), len(folders))
    named = f"[{host}]" if ":" in host else host
    netloc = named if port is None or (parts.scheme, port) == ("https", 443) else f"{named}:{port}"
    base_url = "/".join((f"{parts.scheme}://{netloc}", *folders[:kept]))
    return Address(base_url, host, loopback)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _without_secret(text: str) -> str:
    """The text without a name and password before the host, nor what follows a "?": errors are logged."""
    return text.partition("?")[0].rpartition("@")[2]
