"""Quotes of erased posts in the HTML of others: found by the post they name, or by their words; all else stays."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_ATTRIBUTES = r"""(?:[^<>"']|"[^"]{0,4000}"|'[^']{0,4000}'){0,200}"""
_TAG = re.compile(rf"<(/?)(aside|blockquote)\b({_ATTRIBUTES})>", re.IGNORECASE)
_PLACE = re.compile(r"""\bdata-(topic|post)\s*=\s*["']?(\d{1,15})""", re.IGNORECASE)
_LINES = re.compile(
    r"</?(?:p|br|div|li|ul|ol|h\d|blockquote|aside|pre|tr|table|details|summary)\b[^<>]*>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<[^<>]*>")
# What old posts hold instead of HTML: Discourse's own form, and that of forums that were migrated to it.
_BBCODE = re.compile(
    r"(?P<head>\[quote\b[^\]\n]{0,300}\])(?P<said>(?:(?!\[quote\b).){0,20000}?)(?P<tail>\[/quote(?::\w{1,20})?\])",
    re.IGNORECASE | re.DOTALL,
)
_BBCODE_PLACE = re.compile(r"post:\s*(?P<post>\d{1,9}),\s*topic:\s*(?P<topic>\d{1,9})")
_LINKED = re.compile(r"""/t/(?P<slug>(?=[^/"'\s<>]*[^\d/"'\s<>])[^/"'\s<>]{1,300})/(?P<topic>\d{1,12})(?![\w-])""")
# The link above a quote from another topic, or on top of a onebox.
_TITLED = re.compile(
    r"""(?P<head><div\b[^<>]*\bclass="title"[^<>]*>(?:[^<]|<(?!a\b)[^<>]*>){0,50}?<a\b[^<>]*/t/[^<>]*?(?P<topic>\d{1,12})(?:/\d{1,9})?"[^<>]*>)"""
    r"""(?P<said>[^<]*)(?=</a>)"""
)

MARKS = ("<blockquote", "<aside", "[quote")  # one of which stands in a text that quotes
Place = tuple[int, int]  # topic, number in it


@dataclass(slots=True)
class Element:
    """An aside or a blockquote of a text: where it and its inside begin and end, and those directly in it."""

    tag: str
    attributes: str
    start: int
    inner: int
    inner_end: int = -1
    end: int = -1
    children: list[Element] = field(default_factory=list)

    @property
    def place(self) -> Place | None:
        """The post that it says it quotes."""
        said = {name.lower(): int(value) for name, value in _PLACE.findall(self.attributes)}
        return (said["topic"], said["post"]) if len(said) == 2 else None


def elements(cooked: str) -> list[Element]:
    """The outermost quotes; one that is never closed ends with the text."""
    outermost: list[Element] = []
    above: list[Element] = []
    for found in _TAG.finditer(cooked):
        tag = found[2].lower()
        if not found[1]:
            opened = Element(tag, found[3], found.start(), found.end())
            (above[-1].children if above else outermost).append(opened)
            above.append(opened)
        elif any(element.tag == tag for element in above):
            while above:
                closed = above.pop()
                closed.inner_end, closed.end = found.start(), found.end()
                if closed.tag == tag:
                    break
    for element in above:
        element.inner_end = element.end = len(cooked)
    return outermost


def said_in(cooked: str) -> Iterator[str]:
    """What each quote says, without the quotes inside it."""
    above = elements(cooked) if "<" in cooked else []
    while above:
        element = above.pop()
        above += element.children
        yield own_words(cooked, element)
    if "[quote" in cooked:
        for found in _BBCODE.finditer(cooked):
            yield lines(found["said"])


def own_words(cooked: str, element: Element) -> str:
    """The text of a quote in lines, lower case, without markup nor the quotes inside it."""
    pieces, done = [], element.inner
    for child in element.children:
        pieces.append(cooked[done : child.start])
        done = child.end
    pieces.append(cooked[done : element.inner_end])
    return lines("\n".join(pieces))


def lines(markup: str) -> str:
    """The text of some HTML, in lower case, a space between words and a line for each block."""
    text = html.unescape(_ANY_TAG.sub("", _LINES.sub("\n", markup)))
    return "\n".join(line for said in text.splitlines() if (line := " ".join(said.split()).lower()))


def without_erased(
    cooked: str, *, places: frozenset[Place], is_erased: Callable[[str], bool], gap: str
) -> tuple[str, int]:
    """The HTML with `gap` in the place of what erased posts say in it, and how many quotes that were.

    `is_erased` is asked about the own words of each quote.
    """
    cuts: list[tuple[int, int]] = []
    if "<aside" in cooked or "<blockquote" in cooked:
        above = elements(cooked)
        while above:
            element = above.pop()
            if element.place in places:
                cuts.append(_saying(element))
            elif (words := own_words(cooked, element)) and is_erased(words):
                cuts.append((element.inner, element.inner_end))
            else:
                above += element.children
    for start, end in sorted(cuts, reverse=True):
        cooked = f"{cooked[:start]}\n<p>{html.escape(gap)}</p>\n{cooked[end:]}"
    count = len(cuts)
    if "[quote" in cooked:
        cooked, more = _without_bbcode(cooked, places, is_erased, gap)
        count += more
    return cooked, count


def without_titles(cooked: str, *, topics: frozenset[int], title: str) -> str:
    """The HTML without the titles that went with the opening posts of these topics: in links, and above quotes."""

    def plain(found: re.Match[str]) -> str:
        return f"/t/sujet/{found['topic']}" if int(found["topic"]) in topics else found[0]

    def untitled(found: re.Match[str]) -> str:
        return f"{found['head']}{html.escape(title)}" if int(found["topic"]) in topics else found[0]

    return _TITLED.sub(untitled, _LINKED.sub(plain, cooked))


def _saying(element: Element) -> tuple[int, int]:
    """Where the words stand in a quote, below the name of whom it quotes."""
    said = [child for child in element.children if child.tag == "blockquote"]
    return (said[0].inner, said[-1].inner_end) if len(said) == 1 else (element.inner, element.inner_end)


def _without_bbcode(text: str, places: frozenset[Place], is_erased: Callable[[str], bool], gap: str) -> tuple[str, int]:
    count = 0

    def cut(found: re.Match[str]) -> str:
        nonlocal count
        told = _BBCODE_PLACE.search(found["head"])
        named = told is not None and (int(told["topic"]), int(told["post"])) in places
        if not named and not is_erased(lines(found["said"])):
            return found[0]
        count += 1
        return f"{found['head']}{gap}{found['tail']}"

    return _BBCODE.sub(cut, text), count
