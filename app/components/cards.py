"""How a message found in the archive is shown: source of an answer, citation, who wrote it and when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from nicegui import ui

from engine import Citation, Evidence

from ..i18n import date_short
from ..i18n import gettext as _
from .markup import box, link, text

# Lets a link open its message on the same page: (link, topic, number of the message).
Opens = Callable[[ui.element, int, int], None]
SOURCE_CHARS = 300  # of a source's text under an answer; the whole message is one click away


def source(evidence: Evidence, opens: Opens | None = None) -> None:
    """A message that an answer may rest on, with the number that the answer uses."""
    with box("li", "source", id=f"source-{evidence.n}"):
        text(str(evidence.n), "span", "source-number", aria_hidden="true")
        with box("div", "source-body"):
            with box("h3", "source-title"):
                opener = link(evidence.title, evidence.path)
            byline(evidence.author, evidence.created_at, category=evidence.category)
            text(shortened(evidence.text, SOURCE_CHARS), "p", "excerpt")
    if opens is not None:
        opens(opener, evidence.topic_id, evidence.post_number)


def chip(citation: Citation, evidence: Evidence | None, changed: str = "", opens: Opens | None = None) -> None:
    """A citation inside an answer: its number, linked to the message; the quote, or what changed, shows beneath it."""
    label = _("Source {n}").format(n=citation.n)
    if evidence is not None:
        label = _("Source {n}: message by {author}").format(n=citation.n, author=evidence.author)
    opener = link(str(citation.n), citation.path, "chip changed" if changed else "chip", aria_label=label)
    with box("span", "quote", role="tooltip") as quote:
        text(changed or f"«\u00a0{citation.quote}\u00a0»", "span", "quote-words")
        if evidence is not None:
            text(f"{evidence.author}, {date_short(evidence.created_at)} — {evidence.title}", "span", "quote-source")
    opener.props["aria-describedby"] = quote.html_id
    if opens is not None:
        opens(opener, citation.topic_id, citation.post_number)


def byline(author: str, moment: datetime, *, category: str = "") -> None:
    """Who, when and where, on one line."""
    with box("p", "byline"):
        if category:
            text(category, "span", "category")
        text(author, "span", "author")
        text(date_short(moment), "time", datetime=moment.date().isoformat())


def shortened(words: str, chars: int) -> str:
    """The beginning of a text on one line, cut at a word."""
    line = " ".join(words.split())
    if len(line) <= chars:
        return line
    return line[:chars].rsplit(" ", 1)[0].rstrip(" ,;:") + "\u00a0…"
