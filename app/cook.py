"""Markdown of the demo forum → HTML as Discourse cooks it; nothing else is ever cooked here."""

from __future__ import annotations

import html
import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_QUOTE = re.compile(r'^\[quote="([^",]+), post:(\d+)"\]\n(.*?)\n\[/quote\]\n?', re.MULTILINE | re.DOTALL)
_INLINE = re.compile(
    r"(?P<open>\[spoiler\])|(?P<close>\[/spoiler\])|:(?P<emoji>[a-z][a-z0-9_]*):|(?<!\w)@(?P<who>[A-Za-z0-9_]+)"
)


def cook(raw: str, *, topic_id: int) -> str:
    """The HTML of a post: quotes with their attribution, spoilers, emoji, mentions, images, code, tables."""
    pieces: list[str] = []
    at = 0
    for quote in _QUOTE.finditer(raw):
        pieces.append(_markdown().render(raw[at : quote.start()]))
        pieces.append(_aside(quote[1], quote[2], topic_id, _markdown().render(quote[3])))
        at = quote.end()
    pieces.append(_markdown().render(raw[at:]))
    return "".join(pieces).strip()


@cache
def _markdown() -> MarkdownIt:
    # Discourse keeps the author's line breaks; raw HTML stays text.
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "langPrefix": "lang-"})
    parser.enable(["table", "strikethrough"])
    parser.core.ruler.push("discourse", _discourse_inline)
    return parser


def _discourse_inline(state: StateCore) -> None:
    for block in state.tokens:
        children: list[Token] = []
        for token in block.children or ():
            if token.type == "text":
                children += _split(token)
                continue
            if token.type == "image":
                _shorten(token)
            children.append(token)
        if block.children is not None:
            block.children = children


def _split(token: Token) -> list[Token]:
    """A text token cut around what Discourse adds to Markdown. Code is never a text token."""
    pieces: list[Token] = []
    at = 0
    for match in _INLINE.finditer(token.content):
        pieces.append(_text(token.content[at : match.start()]))
        pieces.append(Token("html_inline", "", 0, content=_element(match)))
        at = match.end()
    return [*pieces, _text(token.content[at:])]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _element(match: re.Match[str]) -> str:
    if match["open"]:
        return '<span class="spoiler">'
    if match["close"]:
        return "</span>"
    if match["who"]:
        return f'<a class="mention" href="/u/{match["who"].lower()}">@{match["who"]}</a>'
    name = match["emoji"]
    return (
        f'<img src="/images/emoji/twitter/{name}.png?v=12" title=":{name}:" class="emoji" alt=":{name}:"'
        ' loading="lazy" width="20" height="20">'
    )


def _shorten(image: Token) -> None:
    source = str(image.attrGet("src") or "")
    if source.startswith("upload://"):
        name = source.removeprefix("upload://")
        image.attrSet("src", f"/uploads/short-url/{name}")
        image.attrSet("data-base62-sha1", name.rsplit(".", 1)[0])


def _aside(who: str, post: str, topic_id: int, quoted: str) -> str:
    name = html.escape(who)
    return (
        f'<aside class="quote no-group" data-username="{name}" data-post="{post}" data-topic="{topic_id}">\n'
        f'<div class="title">\n<div class="quote-controls"></div>\n{name}:</div>\n'
        f"<blockquote>\n{quoted}</blockquote>\n</aside>\n"
    )
