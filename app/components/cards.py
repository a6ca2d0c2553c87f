"""How a message found in the archive is shown: search result, source of an answer, citation."""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime

from nicegui import ui

from engine import Citation, Evidence, Hit

from ..i18n import date_short
from ..i18n import gettext as _
from .highlight import Analyse, marked
from .markup import box, link, text

SOURCE_CHARS = 300  # of a source's text under an answer; the whole message is one click away


def result(hit: Hit, *, terms: Set[str], analyse: Analyse) -> None:
    """A search result: title, who and when, the piece that matched."""
    with box("li", "result"):
        with box("h2", "result-title"):
            link(hit.title, hit.path)
        byline(hit.author, hit.created_at, category=hit.category)
        # Escaped by `marked`, and sanitised once more in the browser.
        ui.html(marked(hit.excerpt, terms, analyse), tag="p").classes("excerpt")


def source(evidence: Evidence) -> None:
    """A message that an answer may rest on, with the number that the answer uses."""
    with box("li", "source", id=f"source-{evidence.n}"):
        text(str(evidence.n), "span", "source-number", aria_hidden="true")
        with box("div", "source-body"):
            with box("h3", "source-title"):
                link(evidence.title, evidence.path)
            byline(evidence.author, evidence.created_at, category=evidence.category)
            text(shortened(evidence.text, SOURCE_CHARS), "p", "excerpt")


def chip(citation: Citation, evidence: Evidence | None, changed: str = "") -> None:
    """A citation inside an answer: its number, linked to the message; the quote, or what changed, shows on hover."""
    who = evidence.author if evidence else ""
    label = _("Source {n}: message by {author}").format(n=citation.n, author=who)
    look = "chip changed" if changed else "chip"
    link(
        str(citation.n), citation.path, look,
        title=changed or f"«\u00a0{citation.quote}\u00a0»", aria_label=f"{label}. {changed}" if changed else label,
    )  # fmt: skip


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
