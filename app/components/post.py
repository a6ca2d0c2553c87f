"""One message of a topic: who, when, its sanitised text, and what a reader can do with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

from nicegui import ui

from engine.store.archive import ArchiveStore, PostRow

from ..browsing_words import member_path
from ..i18n import date_long, ngettext, number
from ..i18n import gettext as _
from .avatar import avatar
from .citation import author_name, quoted_words, source_line
from .markup import box, link, outside_link, text
from .post_html import clean
from .post_images import surroundings

UNSAID = timedelta(minutes=5)  # after which Discourse itself shows that a message was edited


@dataclass(frozen=True, slots=True)
class ReadyPost:
    """A message whose HTML has been sanitised, which takes too long for the event loop."""

    row: PostRow
    safe_html: str


def prepare(row: PostRow, *, base_url: str, store: ArchiveStore, data: Path) -> ReadyPost:
    """The message, ready to be shown; call it in a thread. `data` is the folder where images are kept."""
    around = surroundings(store, data, base_url, row.id)
    safe_html = clean(row.cooked, base_url=base_url, image_of=around.image, file_of=around.file, quoted=around.quoted)
    return ReadyPost(row, safe_html)


def anchor(post_number: int) -> str:
    """The id of a message in the page."""
    return f"message-{post_number}"


def post_article(post: ReadyPost, *, base_url: str, target: bool, accepted: bool, author: str = "") -> None:
    """A message; the `target` is the one that the address names, `author` the only one shown."""
    row = post.row
    label = _("Message {n}, by {author}").format(n=number(row.post_number), author=author_name(row))
    look = "post is-target" if target else "post"
    with box("article", look, id=anchor(row.post_number), aria_label=label, tabindex=-1):
        _head(row)
        if row.reply_to and row.reply_to != row.post_number:
            # Only the end of the path changes: the parent stands in the same topic.
            parent = row.path.rpartition("/")[0] + f"/{row.reply_to}"
            link(_("In reply to message {n}").format(n=number(row.reply_to)), parent, "reply-to")
        # `clean` has made it safe; NiceGUI's own sanitising in the browser stays on as a second wall.
        ui.html(post.safe_html).classes("post-body")
        with box("footer", "post-foot"):
            if accepted:
                text(_("Accepted answer"), "span", "accepted")
            if row.likes:
                likes = ngettext("{n} like", "{n} likes", row.likes)
                text(likes.format(n=number(row.likes)), "span", "likes")
            _actions(row, base_url, author)


def _head(row: PostRow) -> None:
    with box("header", "post-head"):
        avatar(row.username, row.display_name)
        if row.username:
            link(author_name(row), member_path(row.username), "author")
        else:
            text(author_name(row), "span", "author")
        if row.display_name and row.display_name != row.username:
            text(f"@{row.username}", "span", "username")
        with box("span", "when"):
            link(date_long(row.created_at), row.path, "date")
            text(_("no. {n}").format(n=number(row.post_number)), "span", "number")
            if row.revised_at is not None and row.revised_at - row.created_at > UNSAID:
                text(_("edited on {date}").format(date=date_long(row.revised_at)), "span", "revised")


def _actions(row: PostRow, base_url: str, author: str) -> None:
    with box("span", "post-actions"):
        # Copied by assets/js/topic.js: a browser only allows it while the click lasts.
        text(
            _("Quote"), "button", "action", type="button", title=_("Copy as a quotation, with its address"),
            data_words=quoted_words(row), data_source=source_line(row, base_url),
        )  # fmt: skip
        if not author and row.username:
            only = f"{row.path}?{urlencode({'auteur': row.username})}"
            link(_("Only this author"), only, "action")
        if base_url:
            outside_link(_("See on the forum"), base_url + row.path, "action outside")
