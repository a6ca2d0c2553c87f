"""BBCode that migrations left in posts: quotes and spoilers set apart, tags with a uid removed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .plain_text import BLOCK

# phpBB stores "[b:0a1b2c3d]" and "[/list:u:0a1b2c3d]": the uid is what tells it from ordinary brackets.
_UID_TAG = re.compile(
    r"\[/?(\*|attachment|b|code|color|email|flash|i|img|list|quote|s|size|u|url)"
    r"(?:=[^\[\]\n\v]{0,200}?)?(?::[a-z])?:[0-9a-z]{5,10}\]",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"\[(?:(?P<open>quote|spoiler)(?P<uid>:[0-9a-z]{5,10})?(?:=(?P<value>[^\[\]\n\v]{0,200}))?"
    r"|/(?P<close>quote|spoiler)(?::[0-9a-z]{5,10})?)\]",
    re.IGNORECASE,
)
_UID_END = re.compile(r":[0-9a-z]{5,10}$", re.IGNORECASE)
_PLACE = re.compile(r"\b(post|topic):([0-9]{1,15})\b")
_QUOTE_MARKS = "\"'“”„«»‘’ \u00a0\u202f"


@dataclass(frozen=True, slots=True)
class Leftover:
    """What one pair of tags enclosed, still marked; `author` is "" when the quote does not name one."""

    kind: Literal["quote", "spoiler"]
    marked: str
    author: str = ""
    topic_id: int | None = None
    post_number: int | None = None


def split(marked: str) -> tuple[str, tuple[Leftover, ...]]:
    """The text outside leftover quotes and spoilers, and those in their order of opening.

    A tag without its partner is removed and encloses nothing: words of the author are never lost to a
    quote that was not closed. A nested quote is set apart from the one around it.
    """
    if "[" not in marked:
        return marked, ()
    marks = list(_MARK.finditer(marked))
    if not marks:
        return _drop_uid_tags(marked), ()
    openers = _pairs(marks)
    closers = set(openers.values())
    sinks: list[list[str]] = [[]]
    opened: list[int] = []
    found: list[tuple[int, Leftover]] = []
    at = 0
    for index, mark in enumerate(marks):
        sinks[-1].append(marked[at : mark.start()])
        at = mark.end()
        if index in openers:
            opened.append(index)
            sinks.append([])
        elif index in closers:
            start = opened.pop()
            found.append((start, _leftover(marks[start], "".join(sinks.pop()))))
            sinks[-1].append(BLOCK)
    sinks[-1].append(marked[at:])
    found.sort(key=lambda pair: pair[0])
    return _drop_uid_tags("".join(sinks[0])), tuple(leftover for _, leftover in found)


def _pairs(marks: list[re.Match[str]]) -> dict[int, int]:
    """Index of each opening mark that has a partner → index of that partner."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    count = {"quote": 0, "spoiler": 0}
    for index, mark in enumerate(marks):
        if mark["open"]:
            waiting.append(index)
            count[mark["open"].lower()] += 1
            continue
        kind = mark["close"].lower()
        while count[kind]:
            candidate = waiting.pop()
            opened = marks[candidate]["open"].lower()
            count[opened] -= 1
            if opened == kind:
                pairs[candidate] = index
                break
    return pairs


def _leftover(mark: re.Match[str], inner: str) -> Leftover:
    inner = _drop_uid_tags(inner)
    if mark["open"].lower() == "spoiler":
        return Leftover("spoiler", inner)
    value = _UID_END.sub("", mark["value"] or "") if '"' in (mark["value"] or "") else mark["value"] or ""
    value = value.strip(_QUOTE_MARKS)
    places = {name: int(number) for name, number in _PLACE.findall(value)}
    author = value.split(",")[0].strip(_QUOTE_MARKS)
    return Leftover("quote", inner, author, places.get("topic"), places.get("post"))


def _drop_uid_tags(marked: str) -> str:
    return _UID_TAG.sub(lambda match: BLOCK if match[1] == "*" else "", marked)
