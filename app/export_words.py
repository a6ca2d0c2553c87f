"""What a static archive says to its readers, in the language of the screen, and how its posts are made safe."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path

from engine.export import Look, Words
from engine.store import ArchiveStore

from . import i18n
from .components.post_html import clean
from .components.post_images import described
from .i18n import gettext as _
from .i18n import ngettext
from .resources import resource


def look(data: Path) -> Look:
    """The words, the cleaner and the files of the pages of this archive."""
    store = ArchiveStore(data)
    try:
        title, base_url = store.meta("title") or _("Archive of the forum"), store.meta("base_url")
    finally:
        store.close()
    if not base_url.startswith(("https://", "http://")):
        base_url = ""  # it comes from a backup, and becomes the start of links
    return Look(_words(title), partial(clean, base_url=base_url), _describe, resource("assets", "export"))


def _describe(path: Path, stem: str, name: str) -> tuple[str, bool]:
    found = described(path, stem, name)
    return found.served_as, bool(found.media_type)


def _words(title: str) -> Words:
    today = i18n.date_long(datetime.now(UTC))
    return Words(
        language=i18n.language(),
        title=title,
        about=_("{title}: public messages of the forum as they were on {date}, to read without a connection.").format(
            title=title, date=today
        ),
        search=_("Search"),
        search_hint=_("Words to look for"),
        search_needs_script=_("The search needs JavaScript; the lists of topics work without it."),
        search_none=_("No message holds these words."),
        search_some=_("No message holds all of these words. Here are those that hold the most of them."),
        search_loading=_("Searching…"),
        search_more=_("More results"),
        search_missing=_("A file of the search can’t be read: copy the whole folder of the archive again."),
        search_found=_("{n} topics hold these words."),
        search_found_one=_("One topic holds these words."),
        home=_("All categories"),
        categories=_("Categories"),
        no_category=_("Without a category"),
        closed=_("Closed"),
        archived=_("Archived"),
        pinned=_("Pinned"),
        accepted=_("Accepted answer"),
        accepted_jump=_("Go to the accepted answer"),
        pages=_("Pages"),
        earlier=_("Previous page"),
        later=_("Next page"),
        skip=_("Go to the content"),
        permalink=_("Link to this message"),
        deleted_account=_("deleted account"),
        topics=lambda n: ngettext("{n} topic", "{n} topics", n).format(n=i18n.number(n)),
        messages=_messages,
        likes=lambda n: ngettext("{n} like", "{n} likes", n).format(n=i18n.number(n)),
        number=i18n.number,
        message=lambda n: _("Message {n}").format(n=i18n.number(n)),
        in_reply_to=lambda n: _("In reply to message {n}").format(n=i18n.number(n)),
        page_of=lambda n, last: _("page {n} of {last}").format(n=i18n.number(n), last=i18n.number(last)),
        date=i18n.date_long,
        date_short=i18n.date_short,
        edited=_edited,
    )


@lru_cache(maxsize=4096)
def _messages(n: int) -> str:
    return ngettext("{n} message", "{n} messages", n).format(n=i18n.number(n))


def _edited(written: datetime, revised: datetime | None) -> str:
    """As the page of a topic says it, and Discourse before: nothing of what was corrected at once."""
    if revised is None or revised - written <= timedelta(minutes=5):
        return ""
    return _("edited on {date}").format(date=i18n.date_long(revised))
