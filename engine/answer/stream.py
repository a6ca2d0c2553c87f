"""What a reader may see of an answer while a model writes it: no thoughts, no marker, no link.

The text shown meanwhile is only a preview; `citations.resolve` judges the whole at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from . import citations, links

# An opening marker that has not closed after so many characters is no marker.
MARKER_CHARS = 40
# Without a space for so long, the buffer is let go (a word of that length is shown or removed as it is).
WORD_CHARS = 400


def without_thoughts(text: str) -> str:
    """The text without its `<think>` blocks, closed or not; a block opened by the prompt counts too."""
    # The chat template of some models opens the block itself: all before a lonely end is thought.
    return _END.split(_BLOCK.sub("", text))[-1]


def preview(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces as plain text, cut between words, thoughts, markers and links left out."""
    waiting = ""
    for piece in spoken(pieces):
        waiting += piece
        cut = _safe_cut(waiting)
        if cut and (shown := _plain(waiting[:cut])):
            yield shown
        waiting = waiting[cut:]
    if shown := _plain(waiting):
        yield shown


def spoken(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces without `<think>` blocks, even when a tag is split over several pieces."""
    waiting, thinking = "", False
    for piece in pieces:
        waiting += piece
        while True:
            tag = _END if thinking else _START
            if found := tag.search(waiting):
                if not thinking and found.start():
                    yield waiting[: found.start()]
                waiting, thinking = waiting[found.end() :], not thinking
                continue
            keep = _partial_tag(waiting)
            if not thinking and keep:
                yield waiting[:keep]
            waiting = waiting[keep:]
            break
    if not thinking and waiting:
        yield waiting


def _partial_tag(text: str) -> int:
    """Where a tag that the next piece may complete begins; the length of the text if nowhere."""
    start = text.rfind("<", max(0, len(text) - len("</thinking>") + 1))
    if start < 0:
        return len(text)
    tail = text[start:].lower()
    return start if any(tag.startswith(tail) for tag in ("<thinking>", "</thinking>", "<think>")) else len(text)


def _safe_cut(text: str) -> int:
    """How much of the text can be shown: whole words, no part of a marker.

    White space waits with the word after it, which may be a marker that takes it away.
    """
    cut = _before_space(text, max(text.rfind(" "), text.rfind("\n")))
    opening = text.rfind("[[", 0, cut)
    if opening >= 0 and "]]" not in text[opening:cut] and cut - opening <= MARKER_CHARS:
        return _before_space(text, opening)
    return len(text) if not cut and len(text) > WORD_CHARS else cut


def _before_space(text: str, end: int) -> int:
    return len(text[: max(0, end)].rstrip())


def _plain(text: str) -> str:
    text = citations.without_markers(text)
    # `strip` trims its ends: the white space that joins this piece to its neighbours is put back.
    head = text[: len(text) - len(text.lstrip())]
    tail = text[len(text.rstrip()) :] if text.strip() else ""
    return f"{head}{links.strip(text).text}{tail}"


_START = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_BLOCK = re.compile(r"<think(?:ing)?>(?:(?!</think)[\s\S])*+(?:</think(?:ing)?>|\Z)", re.IGNORECASE)
