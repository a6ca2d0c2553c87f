"""What a question expects, as a person writes it: one address of a message or of a topic a line, and back.

Read: an address as a browser shows it, /p/NUMBER, or the number of a message alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from engine.evaluate.questions import Question
from engine.store import ArchiveStore
from engine.values import PostId, TopicId

from .addresses import place_of

_POST: Final = re.compile(r"/p/(\d{1,12})")
_TOPIC: Final = re.compile(r"/t/[^/]+/(\d{1,12})(?:/(\d{1,9}))?")
LINES: Final = 100


@dataclass(frozen=True, slots=True)
class Expected:
    """Messages and topics of the archive; `unknown` are the lines that name none of it."""

    post_ids: tuple[PostId, ...] = ()
    topic_ids: tuple[TopicId, ...] = ()
    unknown: tuple[str, ...] = ()


def written(store: ArchiveStore, question: Question) -> str:
    """What a question expects, one address a line; what the archive lacks by its number."""
    held = store.posts(question.post_ids)
    lines = [quote(held[p].path) if p in held else f"/p/{p}" for p in question.post_ids]
    for topic_id in question.topic_ids:
        if not any(row.topic_id == topic_id for row in held.values()):  # its message says it
            lines.append(f"/t/-/{topic_id}")
    return "\n".join(lines)


def read(store: ArchiveStore, said: str, *, known: Question) -> Expected:
    """What the lines name. `known` may expect what the archive does not hold (any more): that stays."""
    posts: list[PostId] = []
    topics: list[TopicId] = []
    unknown: list[str] = []
    for line in filter(None, map(str.strip, said.splitlines()[:LINES])):
        found = _named(store, line, known)
        if found is None:
            unknown.append(line[:200])
        elif isinstance(found, tuple):
            topics.append(found[0])
        else:
            posts.append(found)
    # The topics of a question whose messages are named too, as the upstream's files have them.
    topics += [t for t in known.topic_ids if any(row.topic_id == t for row in store.posts(posts).values())]
    return Expected(tuple(dict.fromkeys(posts)), tuple(dict.fromkeys(topics)), tuple(unknown))


def _named(store: ArchiveStore, line: str, known: Question) -> PostId | tuple[TopicId] | None:
    """The message, the topic (in a tuple), or None."""
    if line.isascii() and line.isdigit() and len(line) <= 12:
        line = f"/p/{line}"
    place = place_of(line) or ""
    if found := _POST.fullmatch(place):
        post_id = PostId(int(found[1]))
        return post_id if post_id in known.post_ids or store.posts([post_id]) else None
    if found := _TOPIC.fullmatch(place):
        topic_id = TopicId(int(found[1]))
        if found[2] is None:
            return (topic_id,) if topic_id in known.topic_ids or store.topic(topic_id) else None
        row = store.post_at(topic_id, int(found[2]))
        return row.id if row is not None else None
    return None
