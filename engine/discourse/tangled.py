"""HTML whose nesting would cost a tree builder a time or a memory out of proportion to its length.

HTML5 asks a parser to search its stack of open elements at almost each tag, and to reopen in every
block the formatting left open before it: both grow with the square of hostile input. Discourse never
produces such a post, so losing its structure costs nothing; its text is kept.
"""

from __future__ import annotations

import re
from html import unescape

from .elements import BLOCKS, DROPPED, FORMATTING
from .plain_text import BLOCK, BREAK

FEW_TAGS = 600  # below, the worst input known costs under 20 ms and 20 MB (lexbor, selectolax 1.0)
MANY_TAGS = 20_000  # that many nested blockquotes take 0.4 s
MAX_OPEN_FORMATTING = 40  # formatting elements open at once; a legible post has three or four

# Possessive quantifiers: a long run of "<aaaa" must not be tried again from each of its characters.
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*+)[^<>]*+>")


def is_tangled(source: str) -> bool:
    """Whether `source` should not be given to a tree builder."""
    tags = source.count("<")
    if tags < FEW_TAGS:
        return False
    if tags > MANY_TAGS:
        return True
    depth = 0
    for match in _TAG.finditer(source):
        if match[2].lower() in FORMATTING:
            depth = max(depth - 1, 0) if match[1] else depth + 1
            if depth > MAX_OPEN_FORMATTING:
                return True
    return False


def strip_tags(source: str) -> str:
    """Marked text of `source` without its tags, nor what stands inside elements that nobody reads."""
    pieces: list[str] = []
    at = 0
    inside: str | None = None  # the dropped element being passed over
    for match in _TAG.finditer(source):
        name = match[2].lower()
        if inside is None:
            pieces.append(source[at : match.start()].replace("\n", " "))
            if name in BLOCKS:
                pieces.append(BLOCK)
            elif name == "br":
                pieces.append(BREAK)
            elif name in DROPPED and not match[1]:
                inside = name
        elif match[1] and name == inside:
            inside = None
        at = match.end()
    if inside is None:
        pieces.append(source[at:].replace("\n", " "))
    return unescape("".join(pieces))
