"""Quotes of posts that are not public: what a public post says of them goes before anything is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..sources import SkipReason
from . import visibility
from .copy_text import NULL, Row, text

PLACEHOLDER = '<aside class="quote withheld"></aside>'

_ASIDE = re.compile(r"<(/?)aside\b", re.IGNORECASE)
_TOPIC = re.compile(r"\bdata-topic\s*=\s*[\"']?(\d{1,15})(?!\d)", re.IGNORECASE)
_POST = re.compile(r"\bdata-post\s*=\s*[\"']?(\d{1,9})(?!\d)", re.IGNORECASE)
_OPEN_TO_ALL = (b"1", b"2")  # types of posts that may be public
_NUMBERS = 1 << 32  # above any post number

Private = Callable[[int, int | None], bool]  # (topic, post number or None for the topic as a whole)


def withhold(cooked: str, is_private: Private) -> str:
    """The same HTML with a placeholder for each quote of something private, and for the quotes inside it.

    A private quote that is never closed takes all that follows with it.
    """
    if "data-topic" not in cooked:
        return cooked
    kept: list[str] = []
    at = depth = dropped = 0  # `dropped`: depth of the private quote being passed over, 0 outside
    for start, end, is_end in _asides(cooked):
        if is_end:
            if dropped and depth == dropped:
                at, dropped = end, 0
            depth = max(0, depth - 1)
            continue
        depth += 1
        if not dropped and _is_private(cooked[start:end], is_private):
            kept += (cooked[at:start], PLACEHOLDER)
            dropped = depth
    if not dropped:
        kept.append(cooked[at:])
    return "".join(kept)


def _asides(cooked: str) -> Iterator[tuple[int, int, bool]]:
    """Where each tag of a quote begins and ends, and whether it is an end tag; each character is looked at once."""
    end = 0
    for found in _ASIDE.finditer(cooked):
        if found.start() >= end:
            end = cooked.find(">", found.end()) + 1
            if not end:
                return
            yield found.start(), end, bool(found[1])


def _is_private(attributes: str, is_private: Private) -> bool:
    topic, number = _TOPIC.search(attributes), _POST.search(attributes)
    return topic is not None and is_private(int(topic[1]), int(number[1]) if number else None)


class PrivatePlaces:
    """Which topics and posts of a dump are not public, by number; only the pass that fills it changes it."""

    COLUMNS = ("id", "topic_id", "post_number", "post_type", "hidden", "user_deleted", "deleted_at")

    def __init__(self) -> None:
        self._posts: set[int] = set()

    def note(self, row: Row) -> None:
        """Take in one row of `posts`; one that can't be read is private like any other that is not known."""
        _, topic, number, type_, hidden, user_deleted, deleted_at = row.fields
        if type_ in _OPEN_TO_ALL and hidden == user_deleted == b"f" and deleted_at == NULL:
            return
        try:
            reason = visibility.post_reason(
                post_type=int(type_), hidden=text(hidden), user_deleted=text(user_deleted), deleted_at=text(deleted_at)
            )
            if reason is not None:
                self._posts.add(int(topic) * _NUMBERS + int(number))
        except ValueError:
            return  # the pass that reads the posts tells of it

    def judge(self, verdicts: Mapping[int, SkipReason | None]) -> Private:
        """Whether a place is private. A topic that the dump does not have, such as one merged away, is not."""

        def is_private(topic_id: int, number: int | None) -> bool:
            if verdicts.get(topic_id) is not None:
                return True
            return number is not None and topic_id * _NUMBERS + number in self._posts

        return is_private
