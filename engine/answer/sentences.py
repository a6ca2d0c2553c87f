"""French sentence splitting for forum posts: exact slices of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

# Words that a full stop shortens without ending the sentence.
ABBREVIATIONS = frozenset(
    """
    m mm mme mmes mlle mr dr me pr st ste ex p pp cf env n no art av apr fig vol éd ed chap réf ref tél
    tel max min approx qq qqn qqch bd bvd vs nb ndlr ndr càd cad dim haut larg long coul ann div sté
    resp janv févr fév avr juil sept oct nov déc
    """.split()
)
# These may end a sentence too: they do when a capital follows.
ENDING_ABBREVIATIONS = frozenset({"etc", "svp", "env", "max", "min"})
# A quotation longer than this is taken as a forgotten closing mark.
QUOTED_CHARS = 300
# Before the full stop of a list item's number: digits and what indents them.
ITEM_CHARS = 40


@dataclass(frozen=True, slots=True)
class Sentence:
    """A slice of a text: `source[start:end] == text`, no white space at either end."""

    start: int
    end: int
    text: str


def split(text: str) -> tuple[Sentence, ...]:
    """The sentences of the text in order; only white space stands between them."""
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    cuts: list[int] = []
    inside = 0
    for found in _BOUNDARY.finditer(text):
        while inside < len(quoted) and quoted[inside][1] < found.end():
            inside += 1
        if inside < len(quoted) and quoted[inside][0] < found.start() and found.end() < quoted[inside][1]:
            continue
        if "\n" in found[0] or _ends(text, found):
            cuts.append(found.end())
    edges = [0, *cuts, len(text)]
    return tuple(_trimmed(text, start, end) for start, end in pairwise(edges) if text[start:end].strip())


def shorten(text: str, limit: int) -> str:
    """The longest beginning of the text, cut between words, of at most `limit` characters."""
    if len(text) <= limit:
        return text
    head = text[: limit + 1]
    cut = max(head.rfind(" "), head.rfind("\n"))
    return text[: cut if cut > 0 else limit].rstrip()


def _ends(text: str, found: re.Match[str]) -> bool:
    mark, follower = found["mark"], text[found.end() : found.end() + 1]
    if mark.startswith(("…", "..")):
        return not follower.islower()
    if "»" in found[0] and follower.islower():  # « Oui ! » dit-il
        return False
    if mark != ".":
        return True
    word = _last_word(text, found.start())
    if word in ENDING_ABBREVIATIONS:
        return follower.isupper()
    if word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
        return False
    # "1. Brosser": the number of a list item is not a sentence. A long line is none, and is not gone through again.
    line = text.rfind("\n", max(0, found.start() - ITEM_CHARS), found.start()) + 1
    return (not line and found.start() > ITEM_CHARS) or not text[line : found.start()].strip().isdigit()


def _last_word(text: str, end: int) -> str:
    start = end
    while start > max(0, end - 12) and text[start - 1].isalpha():
        start -= 1
    return text[start:end].lower()


def _trimmed(text: str, start: int, end: int) -> Sentence:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    return Sentence(start, start + len(piece), piece)


_QUOTED = re.compile(rf"«[^«»\n]{{0,{QUOTED_CHARS}}}+»")
# An end mark with the closing quotes that belong to it, then space; or a line break.
_BOUNDARY = re.compile(r"\n+|(?P<mark>[.?!…]++)(?:[ \u00a0\u202f]?[»”\")’\]])*+(?:[^\S\n]++|(?=\n)|\Z)")
