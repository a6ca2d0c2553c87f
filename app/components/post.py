"""One message of a topic: who, when, its sanitised text, and where it stands on the forum."""

from __future__ import annotations

from dataclasses import dataclass

from nicegui import ui

from engine.store.archive import PostRow

from ..i18n import date_long, ngettext, number
from ..i18n import gettext as _
from .markup import box, link, outside_link, text
from .post_html import clean


@dataclass(frozen=True, slots=True)
class ReadyPost:
    """A message whose HTML has been sanitised, which takes too long for the event loop."""

    row: PostRow
    safe_html: str


def prepare(row: PostRow, *, base_url: str) -> ReadyPost:
    """The message, ready to be shown; call it in a thread."""
    return ReadyPost(row, clean(row.cooked, base_url=base_url))


def anchor(post_number: int) -> str:
    """The id of a message in the page."""
    return f"message-{post_number}"


def post_article(post: ReadyPost, *, base_url: str, target: bool, accepted: bool) -> None:
    """A message; the `target` is the one that the address names."""
    row = post.row
    classes = "post is-target" if target else "post"
    label = _("Message {n}").format(n=row.post_number)
    with box("article", classes, id=anchor(row.post_number), aria_label=label):
        with box("header", "post-head"):
            text(row.display_name or row.username, "span", "author")
            if row.display_name and row.display_name != row.username:
                text(f"@{row.username}", "span", "username")
            with box("span", "when"):
                link(date_long(row.created_at), row.path, "date")
                text(_("no. {n}").format(n=row.post_number), "span", "number")
        if row.reply_to and row.reply_to != row.post_number:
            # Only the end of the path changes: the parent stands in the same topic.
            parent = row.path.rpartition("/")[0] + f"/{row.reply_to}"
            link(_("In reply to message {n}").format(n=row.reply_to), parent, "reply-to")
        # `clean` has made it safe; NiceGUI's own sanitising in the browser stays on as a second wall.
        ui.html(post.safe_html).classes("post-body")
        with box("footer", "post-foot"):
            if accepted:
                text(_("Accepted answer"), "span", "accepted")
            if row.likes:
                likes = ngettext("{n} like", "{n} likes", row.likes)
                text(likes.format(n=number(row.likes)), "span", "likes")
            if base_url:
                outside_link(_("See on the forum"), base_url + row.path, "outside")
