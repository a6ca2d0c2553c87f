"""Where the links of a post lead: to our own pages when they lead into the forum, else out, and then in full."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

SCHEMES = {"http", "https", "mailto"}
_TOPIC_PATH = re.compile(r"^/t/(?:(?P<slug>[^/]*[^/\d][^/]*)/)?(?P<topic>\d{1,12})(?:/(?P<post>\d{1,9}))?/?$")


def topic_path(url: str, base_url: str) -> str | None:
    """Our path of a link into the forum ("/t/slug/12/3"), None when the link leads anywhere else."""
    try:
        parts = urlsplit(url)
        home = urlsplit(base_url)
    except ValueError:
        return None
    if parts.netloc and (not home.netloc or parts.netloc.lower() != home.netloc.lower()):
        return None
    found = _TOPIC_PATH.match(parts.path.removeprefix(home.path.rstrip("/")))  # a forum may live in a folder
    if found is None:
        return None
    return our_path(int(found["topic"]), int(found["post"]) if found["post"] else None, found["slug"])


def our_path(topic: int, post: int | None, slug: str | None = "") -> str:
    """Where we show a place of the forum, whether it is held or not; our page knows the right slug."""
    place = f"/t/{slug or 'sujet'}/{topic}"
    return place if post is None else f"{place}/{post}"


def absolute(href: str, base_url: str) -> str | None:
    """The full address of a link of the forum, None when there is none that a reader could follow."""
    href = href.strip()
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme:
        # "https:sortir" has no host: over HTTPS it would lead into our own pages.
        whole = parts.netloc or parts.scheme.lower() == "mailto"
        return href if whole and parts.scheme.lower() in SCHEMES else None
    if parts.netloc:
        return f"https:{href}" if href.startswith("//") else None
    if base_url and href.startswith("/"):
        home = urlsplit(base_url)
        return f"{home.scheme}://{home.netloc}{href}"
    return None


def number(digits: str) -> int | None:
    """The number that these digits are, None for anything else."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 12 else None


def image_source(attributes: Mapping[str, str]) -> str:
    """The address of an image, that of the upload which the forum could not find when it shows nothing."""
    shown = attributes.get("src", "")
    return shown if shown and not shown.endswith("/images/transparent.png") else attributes.get("data-orig-src", shown)
