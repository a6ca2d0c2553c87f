"""HTML of a post → its searchable parts: own words, quotes, code, spoilers, attachments.

The one home of what counts as the author's own words. Output is text, never markup: what is shown as
HTML is sanitised where it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..sources import Attachment, CookedText, Quote
from ..values import PostNumber, TopicId
from . import bbcode
from .elements import BLOCKS, CELLS, CHROME, DECORATION, DROPPED, SPOILERS, WITH_ATTRIBUTES
from .plain_text import BLOCK, BREAK, lay_out, one_line, remove_controls, repair, verbatim
from .tangled import is_tangled, strip_tags

# Of one post. Discourse takes at most 150,000 characters of source, which become six times that at the very worst.
MAX_HTML_BYTES = 2 * 1024 * 1024
_USELESS = re.compile(r"[\W_]+")
_NOTHING = CookedText("")

# javascript:, data: and the like are no files; "upload:" is Discourse's own
_FOREIGN_SCHEME = re.compile(r"(?!https?:|upload:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_LOST = "/images/transparent.png"  # what Discourse shows of an upload that it can't find
_SMILEY_PATH = re.compile(r"/(?:smil(?:e|ey|ies)|emoji|emoticons?)/", re.IGNORECASE)

_Kind = Literal["own", "quote", "code", "spoiler"]


@dataclass(slots=True)
class _Sink:
    """Where the text being walked goes; only the walk appends to it."""

    kind: _Kind
    pieces: list[str] = field(default_factory=list)
    author: str = ""
    topic_id: int | None = None
    post_number: int | None = None
    awaits_blockquote: bool = False


def parse(cooked: str) -> CookedText:
    """The parts of a post's HTML; never raises, and takes a time in proportion to its length."""
    source = remove_controls(cooked)
    if not source or source.isspace():
        return _NOTHING
    attachments: list[Attachment] = []
    if is_tangled(source):
        sinks = [_Sink("own", [strip_tags(source)])]
    else:
        sinks = _walk(LexborHTMLParser(source).root, attachments)
    return _gather(sinks, tuple(dict.fromkeys(attachments)))


def clean_html(cooked: str) -> str:
    """The same HTML without control characters; neither parsed nor sanitised."""
    return remove_controls(cooked)


def useful_chars(parts: CookedText) -> int:
    """Number of letters and digits of the author's own words."""
    return len(_USELESS.sub("", parts.text))


def _walk(root: LexborNode | None, attachments: list[Attachment]) -> list[_Sink]:
    """The sinks that the tree under `root` fills, own words first; a loop, since posts can nest deeply."""
    sink = _Sink("own")
    sinks = [sink]
    keep_lines = False
    above: list[tuple[LexborNode | None, str, _Sink, bool]] = []  # what to go on with after the children
    node = root
    while True:
        if node is None:
            if not above:
                return sinks
            node, mark, sink, keep_lines = above.pop()
            sink.pieces.append(mark)
            continue
        tag = node.tag or ""
        if tag == "-text":
            text = node.text_content or ""
            sink.pieces.append(text if keep_lines else text.replace("\n", " "))
            node = node.next
            continue
        if tag == "br":
            sink.pieces.append(BREAK)
            node = node.next
            continue
        attributes = node.attributes if tag in WITH_ATTRIBUTES else None
        classes = (attributes.get("class") or "").split() if attributes else []
        if tag in DROPPED or tag[:1] in "-!" or (attributes and _is_chrome(node, classes, attributes, sink)):
            node = node.next
            continue
        if tag in ("img", "video", "audio") or ("onebox" in classes and tag in ("aside", "div")):
            sink.pieces.extend(_leaf(node, tag, classes, attributes or {}, attachments))
            node = node.next
            continue
        if tag == "a" and "attachment" in classes and attributes:
            _attach(attachments, attributes.get("href") or "", _inner_text(node))
        elif attributes and (address := attributes.get("data-video-src")):  # a player that the browser builds
            _attach(attachments, address, "")
        mark = BLOCK if tag in BLOCKS else " " if tag in CELLS else ""
        sink.pieces.append(mark)
        above.append((node.next, mark, sink, keep_lines))
        opened = _open_sink(node, classes, attributes or {}, sink)
        if opened is not None:
            sink.pieces.append(BLOCK if opened.kind != "spoiler" or tag != "span" else " ")
            sink = opened
            sinks.append(opened)
        keep_lines = keep_lines or tag == "pre"
        node = node.first_child


def _is_chrome(node: LexborNode, classes: list[str], attributes: Mapping[str, str | None], sink: _Sink) -> bool:
    """Whether an element is the forum's own furniture, or hidden from its readers."""
    if "style" in attributes and "display:none" in (attributes["style"] or "").replace(" ", "").lower():
        return True
    if not classes:
        return False
    if not CHROME.isdisjoint(classes):
        return True
    if "title" in classes:  # "Alice:", above the words that are quoted
        return sink.kind == "quote" and sink.awaits_blockquote
    if "meta" in classes:  # file name and size, under an enlargeable image
        return node.parent is not None and node.parent.tag == "a"
    return False


def _open_sink(node: LexborNode, classes: list[str], attributes: Mapping[str, str | None], sink: _Sink) -> _Sink | None:
    """A new sink when the element sets its text apart from the one around it."""
    tag = node.tag
    if tag == "pre":
        return _Sink("code") if sink.kind == "own" else None  # code that is quoted stays in the quote
    if tag == "aside" and "quote" in classes:
        return _Sink(
            "quote",
            author=attributes.get("data-username") or _author_in_title(node),
            topic_id=_number(attributes.get("data-topic")),
            post_number=_number(attributes.get("data-post")),
            awaits_blockquote=True,
        )
    if tag == "blockquote":
        if sink.kind == "quote" and sink.awaits_blockquote:
            sink.awaits_blockquote = False
            return None
        return _Sink("quote")
    if classes and not SPOILERS.isdisjoint(classes):
        return _Sink("spoiler")
    return None


def _author_in_title(quote: LexborNode) -> str:
    """The name that old versions of Discourse wrote only above the quote ("Alice:")."""
    title = quote.css_first("div.title")
    if title is None or title.css_first("a") is not None:  # a link there is the title of a topic
        return ""
    return _inner_text(title).rstrip(": ")


def _leaf(
    node: LexborNode,
    tag: str,
    classes: list[str],
    attributes: Mapping[str, str | None],
    attachments: list[Attachment],
) -> Iterator[str]:
    """What is read of an element that is not walked: a title of a onebox, nothing of an image."""
    if tag == "img":
        address = attributes.get("src") or ""
        if not address or address.endswith(_LOST):
            address = attributes.get("data-orig-src") or address
        if not DECORATION.isdisjoint(classes) or _SMILEY_PATH.search(address):
            return
        parent = node.parent
        if parent is not None and parent.tag == "a" and "lightbox" in (parent.attributes.get("class") or ""):
            address = parent.attributes.get("href") or address
        _attach(attachments, address, attributes.get("alt") or attributes.get("title") or "")
    elif tag in ("video", "audio"):
        source = node.css_first("source[src]")
        address = attributes.get("src") or (source.attributes.get("src") if source is not None else None) or ""
        _attach(attachments, address, "")
    else:
        heading = node.css_first("h3, h4") or node.css_first("article a, a")
        title = attributes.get("data-youtube-title") or (_inner_text(heading) if heading is not None else "")
        yield f"{BLOCK}{title}{BLOCK}"


def _inner_text(node: LexborNode) -> str:
    """Text of a small element, on one line."""
    texts = (inner.text_content or "" for inner in node.traverse(include_text=True) if inner.tag == "-text")
    return " ".join("".join(texts).split())


def _attach(attachments: list[Attachment], address: str, name: str) -> None:
    url = "".join(remove_controls(address).split())
    if url and not _FOREIGN_SCHEME.match(url):
        attachments.append(Attachment(url, one_line(name) or url.split("?")[0].rstrip("/").rsplit("/", 1)[-1]))


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None


def _gather(sinks: list[_Sink], attachments: tuple[Attachment, ...]) -> CookedText:
    """The sinks' texts, laid out and cleaned; empty ones are dropped."""
    own = ""
    quotes: list[Quote] = []
    code: list[str] = []
    spoilers: list[str] = []
    for sink in sinks:
        marked = "".join(sink.pieces)
        if sink.kind == "code":
            code.append(verbatim(marked))
            continue
        marked, leftovers = bbcode.split(repair(marked))
        text = lay_out(marked)
        if sink.kind == "own":
            own = text
        elif sink.kind == "spoiler":
            spoilers.append(text)
        else:
            quotes.append(_quote(text, sink))
        for leftover in leftovers:
            if leftover.kind == "quote":
                quotes.append(_quote(lay_out(leftover.marked), leftover))
            else:
                spoilers.append(lay_out(leftover.marked))
    return CookedText(
        text=own,
        quotes=tuple(quote for quote in quotes if quote.text),
        code=tuple(filter(None, code)),
        spoilers=tuple(filter(None, spoilers)),
        attachments=attachments,
    )


def _quote(text: str, source: _Sink | bbcode.Leftover) -> Quote:
    topic_id, post_number = source.topic_id, source.post_number
    return Quote(
        author=one_line(source.author),
        text=text,
        topic_id=None if topic_id is None else TopicId(topic_id),
        post_number=None if post_number is None else PostNumber(post_number),
    )
