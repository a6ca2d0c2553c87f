"""Small evidence, and a reader of answers that shares no code with the engine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime

from markdown_it import MarkdownIt

from engine.values import ContextPost, Evidence, PostId, PostNumber, Role, TopicId


def evidence(
    n: int,
    text: str = "Il faut nourrir le cuir deux fois par an.",
    *,
    topic: int = 12,
    number: int | None = None,
    title: str = "Entretien du cuir",
    author: str = "alice",
    context: Sequence[ContextPost] = (),
) -> Evidence:
    number = n if number is None else number
    path = f"/t/entretien-du-cuir/{topic}/{number}"
    return Evidence(
        n=n,
        post_id=PostId(1000 + n),
        topic_id=TopicId(topic),
        post_number=PostNumber(number),
        url=f"https://forum.exemple{path}",
        path=path,
        title=title,
        category="Atelier",
        author=author,
        created_at=datetime(2014, 3, 1, 12, n % 60, tzinfo=UTC),
        text=text,
        context=tuple(context),
    )


def around(role: Role, text: str, *, number: int = 1, author: str = "bruno") -> ContextPost:
    return ContextPost(role, PostId(2000 + number), PostNumber(number), author, datetime(2014, 3, 1, tzinfo=UTC), text)


def words(text: str) -> list[str]:
    """Index terms for the tests: folded words of three letters and more, plural dropped."""
    folded = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    return [word.rstrip("s") for word in re.findall(r"[a-z0-9]{3,}", folded)]


_FOREIGN = {
    "scheme": re.compile(r"[a-z][a-z0-9+.-]*://|\b(javascript|vbscript):|\b(data|mailto|tel|file|ftp):\S", re.I),
    "www": re.compile(r"\bwww\.", re.I),
    "mail": re.compile(r"[\w.+-]@\w"),
    "domain": re.compile(r"\w\.(com|org|net|fr|invalid|example|ru|xyz|be|ch)\b(?!-)|\w\.[a-z]{2,}/\w"),
    "address": re.compile(r"(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])", re.ASCII),
    "tag": re.compile(r"[<>]"),
    "path": re.compile(r"/(t|p|u)/[\w-]"),
    "definition": re.compile(r"^ {0,3}\[[^\[\]]+\]:", re.M),
    "entity": re.compile(r"&(#\d+|#x[0-9a-f]+|[a-z]\w+);", re.I | re.ASCII),
    "hidden": re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f\xad]"),
}


def foreign(text: str) -> list[str]:
    """What a reader, a browser or a Markdown renderer could follow in the text, apart from `[[n]]`."""
    found = [f"{kind}: {match[0]!r}" for kind, pattern in _FOREIGN.items() if (match := pattern.search(text))]
    for block in MarkdownIt("commonmark", {"html": True}).parse(text):
        for token in [block, *(block.children or ())]:
            if token.type in {"link_open", "image", "html_inline", "html_block"}:
                found.append(f"markdown {token.type}: {token.content!r} {token.attrs}")
    return found
