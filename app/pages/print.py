"""A whole topic on paper: /t/slug/topic/imprimer, a plain document without any script of the pages.

It is written window by window, so that a topic of 2,700 messages is never whole in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from urllib.parse import quote

import nicegui
from nicegui import run
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from engine import Topic
from engine.store import reading

from ..components.citation import author_name
from ..components.post import ReadyPost
from ..components.thread import load
from ..i18n import date_long, language, ngettext, number
from ..i18n import gettext as _
from ..resources import resource
from ..state import State

AT_A_TIME = 100  # messages read and written together
WORD = "imprimer"  # of the address


def register(state: State) -> None:
    """Make the document known to the server; before the pages of messages, whose address has the same shape."""

    @nicegui.app.get("/t/{slug}/{topic}/" + WORD)
    async def printed(slug: str, topic: str) -> Response:
        topic_id = int(topic) if topic.isascii() and topic.isdigit() and len(topic) <= 12 else 0
        found = await run.io_bound(state.archive.store.topic, topic_id)
        if found is None:
            said = _("This message is not in the archive")
            return HTMLResponse(f"{_start(said)}<h1>{escape(said)}</h1></body></html>", 404)
        home = found.slug or "sujet"
        if slug != home:
            return RedirectResponse(f"/t/{quote(home, safe='')}/{found.id}/{WORD}", 307)
        # Starlette reads an ordinary iterator in a thread, and stops when the reader leaves.
        return StreamingResponse(document(state, found), media_type="text/html; charset=utf-8")


def document(state: State, topic: Topic) -> Iterator[str]:
    """The pieces of the document."""
    base_url, span = state.facts().base_url, reading.span(state.archive.store, topic.id)
    count = ngettext("{n} message", "{n} messages", span.count)
    written = _("written from {first} to {last}").format(
        first=date_long(topic.created_at), last=date_long(topic.last_posted_at)
    )
    path = f"/t/{topic.slug or 'sujet'}/{topic.id}"
    source = escape(f"{base_url}{path}")
    printing, back = escape(_("Print")), escape(_("Back to the topic"))
    yield (
        f"{_start(topic.title)}<header><h1>{escape(topic.title)}</h1>"
        f"<p>{escape(count.format(n=number(span.count)))}, {escape(written)}</p>"
        f'<p class="source">{source}</p>'
        f'<p class="screen"><button type="button" onclick="print()">{printing}</button> '
        f'<a href="{escape(quote(path))}">{back}</a></p></header><main>'
    )
    at = 0
    while posts := load(state, topic.id, at, after=AT_A_TIME):
        yield "".join(_article(post) for post in posts)
        at = posts[-1].row.post_number + 1
    yield "</main></body></html>"


def _start(title: str) -> str:
    style = resource("assets", "css", "print.css").read_text("utf-8")
    return (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>"
    )


def _article(post: ReadyPost) -> str:
    row = post.row
    who = escape(author_name(row))
    reply = ""
    if row.reply_to and row.reply_to != row.post_number:
        reply = f"<p>{escape(_('In reply to message {n}').format(n=number(row.reply_to)))}</p>"
    place = escape(_("no. {n}").format(n=number(row.post_number)))
    return (
        f"<article><h2>{who} <small>{escape(date_long(row.created_at))}, {place}</small></h2>{reply}"
        f"<div>{post.safe_html}</div></article>"  # `clean` has made it safe
    )
