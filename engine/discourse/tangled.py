"""HTML whose nesting would cost a tree builder a time or a memory out of proportion to its length.

HTML5 asks a parser to search its stack of open elements at almost each tag, and to reopen in every
block the formatting left open before it: both grow with the square of hostile input. Discourse never
produces such a post, so losing its structure costs nothing; its text is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

from .elements import BLOCKS, DROPPED, FORMATTING, UNCLOSED
from .plain_text import BLOCK, BREAK

FEW_TAGS = 600  # below, the worst input known costs under 20 ms and 20 MB (lexbor, selectolax 1.0)
MANY_TAGS = 20_000  # that many nested blockquotes take 0.4 s
MAX_OPEN_FORMATTING = 40  # formatting elements open at once; a legible post has three or four
MAX_DEPTH = 300  # elements inside one another; browsers themselves stop at 512
MAX_REFERENCES = 50_000  # "&": ammonia's time grows with the square of their number, 0.3 s here
LONG_TAG = 4_000  # characters; a shorter tag has too few attributes to matter
MAX_ATTRIBUTES = 500  # of one tag: each is compared with all those before it

# Possessive quantifiers: a long run of "<aaaa" must not be tried again from each of its characters.
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*+)[^<>]*+>")
# A tag as a browser reads it: a quoted value may hold "<" and ">". Its end may lack.
_WHOLE_TAG = re.compile(r"""</?[A-Za-z](?:[^>=]++|=[ \t\n\f\r]*+(?:"[^"]*+"|'[^']*+')|=)*+""")
_VALUE = re.compile(r"""=[ \t\n\f\r]*+(?:"[^"]*+"|'[^']*+')""")
_ATTRIBUTE_ENDS = re.compile(r"[\s/=]++")


def is_tangled(source: str) -> bool:
    """Whether `source` should not be given to a tree builder."""
    tags = source.count("<")
    if tags > MANY_TAGS or source.count("&") > MAX_REFERENCES or (tags and _has_endless_tag(source)):
        return True
    return tags >= FEW_TAGS and _is_deep(source)


def _has_endless_tag(source: str) -> bool:
    if len(source) < LONG_TAG:
        return False
    long = (match[0] for match in _WHOLE_TAG.finditer(source) if len(match[0]) >= LONG_TAG)
    return any(len(_ATTRIBUTE_ENDS.findall(_VALUE.sub("=", tag))) > MAX_ATTRIBUTES for tag in long)


def _is_deep(source: str) -> bool:
    """Whether elements nest further than people nest them; an end tag that closes nothing does not count."""
    depth = formatting = 0
    opened: Counter[str] = Counter()
    for match in _TAG.finditer(source):
        name = match[2].lower()
        if name in FORMATTING:
            formatting = max(formatting - 1, 0) if match[1] else formatting + 1
        if name not in UNCLOSED:
            if not match[1]:
                opened[name] += 1
                depth += 1
            elif opened[name]:
                opened[name] -= 1
                depth -= 1
        if formatting > MAX_OPEN_FORMATTING or depth > MAX_DEPTH:
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
