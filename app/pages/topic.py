"""Reading a topic around one of its messages: /t/slug/topic/message and its shorter forms.

Long topics (2,700 messages) are read by windows: the page never holds more than MAX_WINDOWS of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from nicegui import run, ui

from engine import Topic

from ..components.markup import box, button, link, outside_link, text
from ..components.post import post_article
from ..i18n import date_long, ngettext, number
from ..i18n import gettext as _
from ..state import State
from ..theme import frame
from .not_found import show as show_not_found

WINDOW = 20  # messages loaded at a time
BEFORE = 5  # of which before the one that was asked for
MAX_WINDOWS = 5


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the page opens with. `target` is the message asked for, None for the topic as a whole."""

    topic: Topic
    size: int
    category: str
    target: int | None
    posts: Sequence[PostRow]


def register(state: State) -> None:
    """Make the page known to the server, under the addresses that a Discourse gives its topics."""

    async def show(topic_id: str, post_number: str = "") -> None:
        opened = await run.io_bound(_read, state, topic_id, post_number)
        if opened is None:
            ui.context.client.status_code = 404
            show_not_found(
                state,
                _("This message is not in the archive"),
                _("It may have been deleted, made private, or written after the archive was made."),
            )
            return
        _page(state, opened)

    @ui.page("/t/{slug}/{topic_id}/{post_number}")
    async def post_page(slug: str, topic_id: str, post_number: str) -> None:
        await show(topic_id, post_number)

    @ui.page("/t/{first}/{second}")
    async def topic_page(first: str, second: str) -> None:
        # /t/12/3 or /t/slug/12: a slug never consists of digits only.
        await (show(first, second) if first.isdigit() else show(second))

    @ui.page("/t/{topic_id}")
    async def short_page(topic_id: str) -> None:
        await show(topic_id)
