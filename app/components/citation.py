"""A message as a Markdown quotation with its permanent address: what the button "Quote" copies."""

from __future__ import annotations

from engine.store.archive import PostRow

from ..i18n import date_long, number
from ..i18n import gettext as _

WORDS_CHARS = 1_500  # of a long message; who wants other words of it selects them


def author_name(row: PostRow) -> str:
    """The name that its author shows; of a deleted account nothing else is known."""
    return row.display_name or row.username or _("deleted account")


def quoted_words(row: PostRow) -> str:
    """The author's own words, without those that they quoted, cut at a word when they are many."""
    words = row.text.strip()
    if len(words) <= WORDS_CHARS:
        return words
    return words[:WORDS_CHARS].rsplit(None, 1)[0] + "\u00a0…"


def source_line(row: PostRow, base_url: str) -> str:
    """Who wrote it, when and where, as a Markdown link to the message on the forum; no host when unknown."""
    said = _("{author}, {date}, message {n} of “{title}”").format(
        author=author_name(row), date=date_long(row.created_at), n=number(row.post_number),
        title=row.title,
    )  # fmt: skip
    label = said.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("\n", " ")
    return f"— [{label}]({base_url}{row.path})"
