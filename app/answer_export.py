"""A finished answer as a document, Markdown or HTML: question, answer, quotes, permanent addresses, dates. Pure.

Texts of the forum and of the model are data: in both formats they are escaped, and only addresses of the forum link.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final
from urllib.parse import quote, urlsplit

from engine import Answer, Citation, Evidence

from .answer_words import caution, dropped, heading, why, written_by
from .components.answer_text import Block, Doubted, Kind, Part, blocks
from .i18n import date_long, language
from .i18n import gettext as _

_BLANKS: Final = re.compile(r"[^\S\u00a0\u202f]+")  # hard spaces stay
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$])")
_LINE_START: Final = re.compile(r"^(\s*\d+(?=\.)|\s*(?=[-=:]))(.)")  # a list, a rule, the underline of a heading
_SAFE: Final = ":/?=&%#@~,+;-._!$"  # what an address keeps as it is

_STARTS: Final = {Kind.PARAGRAPH: "", Kind.ITEM: "- ", Kind.EXTRACT: "> "}
_OPENED: Final = {Kind.PARAGRAPH: "", Kind.ITEM: "<ul>", Kind.EXTRACT: '<ul class="extracts">'}
_CLOSED: Final = {None: "", Kind.PARAGRAPH: "", Kind.ITEM: "</ul>", Kind.EXTRACT: "</ul>"}

_STYLE: Final = """
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; }
h1, h2 { font-family: Georgia, serif; line-height: 1.25; }
h2 { margin-top: 2rem; font-size: 1.2rem; }
blockquote { margin: .5rem 0; padding: 0 1rem; border-left: 3px solid #9a4312; }
ul.extracts { padding: 0; list-style: none; }
ul.extracts li { margin: .75rem 0; padding-left: 1rem; border-left: 3px solid #9a4312; }
ol.sources { padding: 0; list-style: none; }
sup a { padding: 0 .15em; text-decoration: none; }
.note { color: GrayText; font-size: .9rem; }
.doubted { text-decoration: underline dotted; }
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an answer comes from: the archive, the day it was brought up to date, and the day of the question."""

    title: str
    base_url: str
    updated_at: datetime | None
    asked_at: datetime


def file_name(answer: Answer, ending: str) -> str:
    """A short name for the file, good on any disk: « quels-lots-de-la-jante.md »."""
    plain = unicodedata.normalize("NFKD", answer.question).encode("ascii", "ignore").decode().lower()
    return f"{re.sub(r'[^a-z0-9]+', '-', plain).strip('-')[:60].strip('-') or 'archiviste'}.{ending}"


def markdown(answer: Answer, origin: Origin) -> str:
    """The answer as a Markdown document, which is also what is copied."""
    return "\n".join(_markdown_lines(answer, origin)).strip() + "\n"


def html(answer: Answer, origin: Origin) -> str:
    """The answer as one HTML page that needs nothing else and runs nothing."""
    title = escape(answer.question)
    body = "\n".join(_html_lines(answer, origin))
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>{_STYLE}</style>\n'
        f"</head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def origin_line(origin: Origin) -> str:
    """Where and when: « Le forum, archive du 3 mai 2026. Question posée le 9 mai 2026. »."""
    asked = _("Asked on {date}.").format(date=date_long(origin.asked_at))
    if origin.updated_at is None:
        return f"{origin.title}. {asked}"
    return _("{title}, archive of {date}.").format(title=origin.title, date=date_long(origin.updated_at)) + f" {asked}"


def _notes(answer: Answer) -> Iterator[str]:
    """What the reader of the page was told around the answer."""
    if said := caution(answer):
        yield said
    yield written_by(answer)
    if answer.truncated:
        yield _("The answer was cut: it had become too long.")
    if answer.dropped:
        yield dropped(len(answer.dropped))


def _spans(answer: Answer) -> list[tuple[int, int]]:
    return [(check.start, check.end) for check in answer.unsupported]


def _blocks(answer: Answer) -> tuple[Block, ...]:
    return blocks(answer.text, {citation.n for citation in answer.citations}, _spans(answer))


def _cited(answer: Answer) -> Iterator[tuple[Citation, Evidence | None]]:
    """Each citation with its message, in the order of the numbers."""
    evidence = {item.n: item for item in answer.evidence}
    for citation in sorted(answer.citations, key=lambda citation: citation.n):
        yield citation, evidence.get(citation.n)


def _said(citation: Citation, item: Evidence | None) -> str:
    if item is None:
        return _("Message {n}").format(n=citation.post_number)
    return _("{author}, {date}").format(author=item.author, date=date_long(item.created_at))


def _address(url: str, origin: Origin) -> str:
    """The permanent address as it may stand in a document, "" when it is not one of the web."""
    whole = origin.base_url + url if url.startswith("/") else url
    return quote(whole, safe=_SAFE) if urlsplit(whole).scheme in ("http", "https") else ""


# --- Markdown -------------------------------------------------------------------------------------


def _markdown_lines(answer: Answer, origin: Origin) -> Iterator[str]:
    yield from (f"# {_plain(answer.question)}", "", f"## {heading(answer)}", "")
    before: Kind | None = None
    for block in _blocks(answer):
        if before is not None and (before is not block.kind or block.kind is not Kind.ITEM):
            yield ""
        yield _STARTS[block.kind] + "".join(_markdown_part(part, answer) for part in block.parts)
        before = block.kind
    yield ""
    for note in _notes(answer):
        yield from (f"*{_plain(note)}*", "")
    yield from ("## " + _("Messages cited"), "")
    for citation, item in _cited(answer):
        title = _plain(item.title if item else citation.path)
        address = _address(citation.url, origin)
        label = f"[{title}](<{address}>)" if address else title
        yield f"{citation.n}\\. {label} — {_plain(_said(citation, item))}"
        yield from ("", f"> {_plain(citation.quote)}", "")
    yield _plain(origin_line(origin))


def _markdown_part(part: Part, answer: Answer) -> str:
    match part:
        case int():
            return f"\u00a0\\[{part}\\]"
        case Doubted(span, inside):
            reason = _plain(why(answer.unsupported[span]))
            words = "".join(_markdown_part(each, answer) for each in inside)
            return f"{words} ({_plain(_('not verified in the sources'))}\u00a0: {reason})"
        case _:
            return _plain(part)


def _plain(said: str) -> str:
    """Words on one line that Markdown takes for words, wherever they come."""
    escaped = _MARKDOWN.sub(r"\\\1", _BLANKS.sub(" ", said))
    return _LINE_START.sub(r"\1\\\2", escaped)


# --- HTML -----------------------------------------------------------------------------------------


def _html_lines(answer: Answer, origin: Origin) -> Iterator[str]:
    yield f"<h2>{escape(heading(answer))}</h2>"
    before: Kind | None = None
    for block in _blocks(answer):
        if before is not block.kind:
            yield _CLOSED[before] + _OPENED[block.kind]
        tag = "p" if block.kind is Kind.PARAGRAPH else "li"
        yield f"<{tag}>{''.join(_html_part(part, answer) for part in block.parts)}</{tag}>"
        before = block.kind
    yield _CLOSED[before]
    yield from (f'<p class="note">{escape(note)}</p>' for note in _notes(answer))
    yield f'<h2>{escape(_("Messages cited"))}</h2>\n<ol class="sources">'
    for citation, item in _cited(answer):
        title, address = escape(item.title if item else citation.path), _address(citation.url, origin)
        label = f'<a href="{escape(address)}" rel="noreferrer">{title}</a>' if address else title
        yield f'<li id="source-{citation.n}">{citation.n}. {label} — {escape(_said(citation, item))}'
        yield f"<blockquote>{escape(citation.quote)}</blockquote></li>"
    yield f'</ol>\n<p class="note">{escape(origin_line(origin))}</p>'


def _html_part(part: Part, answer: Answer) -> str:
    match part:
        case int():
            return f'<sup><a href="#source-{part}">[{part}]</a></sup>'
        case Doubted(span, inside):
            words = "".join(_html_part(each, answer) for each in inside)
            reason = escape(why(answer.unsupported[span]))
            said = escape(_("not verified in the sources"))
            return f'<span class="doubted">{words}</span> <small title="{reason}">({said})</small>'
        case _:
            return escape(part)
