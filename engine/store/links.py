"""Which topics others link to or quote, read from the HTML of the posts: the store keeps no table of links."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

import numpy as np

from .columns import Numbers
from .database import Connection

# A quote names its topic; a link leads to /t/ID/… or /t/slug/ID/…, and a slug never consists of digits only.
_LINK = re.compile(
    r"""data-topic=["'](?P<quoted>\d{1,12})["']
    | href=["'](?:https?://(?P<host>[^/"'\s<>]+))?[^"'\s<>?\#]*?/t/
      (?:(?=[^/"'\s<>]*[^\d/"'\s<>])[^/"'\s<>]+/)?(?P<linked>\d{1,12})(?![\w-])""",
    re.VERBOSE,
)


def read(db: Connection) -> tuple[Numbers, Numbers]:
    """(ids of topics, how many posts of other topics link to or quote each); takes seconds for 400,000 posts."""
    address = db.execute("SELECT value FROM meta WHERE key = 'base_url'").fetchone()
    host = urlsplit(address[0]).netloc.lower() if address else ""
    count: Counter[int] = Counter()
    # What the database can rule out is not read: an eighth of the posts is left.
    for topic_id, cooked in db.execute(
        "SELECT topic_id, cooked FROM posts WHERE instr(cooked, '/t/') OR instr(cooked, 'data-topic=')"
    ):
        count.update(targets(cooked, host=host) - {topic_id})
    found = sorted(count)
    return np.array(found, np.int64), np.array([count[topic_id] for topic_id in found], np.int64)


def targets(cooked: str, *, host: str) -> frozenset[int]:
    """The topics that the HTML of a post links to or quotes; links to another host lead to no topic of ours."""
    return frozenset(
        int(found["quoted"] or found["linked"])
        for found in _LINK.finditer(cooked)
        if not found["host"] or found["host"].lower() == host
    )
