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
from ..components.post import ReadyPost, anchor, post_article, prepare
from ..i18n import gettext as _
from ..i18n import ngettext, number
from ..state import State
from ..theme import frame
from .not_found import show as show_not_found

WINDOW = 20  # messages loaded at a time
BEFORE = 5  # of which before the one that was asked for
MAX_WINDOWS = 5

# DOMPurify, the second wall, drops `target`: links that leave the forum get it back when they are followed.
_OPEN_OUTSIDE = """(event) => {
    const link = event.target.closest('a.outside');
    if (link) link.target = '_blank';
}"""


@dataclass(frozen=True, slots=True)
class _Opening:
    """What a page opens with. `target` is the message asked for, None for the topic as a whole."""

    topic: Topic
    size: int
    category: str
    target: int | None
    posts: Sequence[ReadyPost]


@dataclass(frozen=True, slots=True)
class _Window:
    """The messages of one loading, and the element that shows them."""

    first: int
    last: int
    element: ui.element


def register(state: State) -> None:
    """Make the page known to the server, under the addresses that a Discourse gives its topics."""

    async def show(topic: str, post: str = "") -> None:
        topic_id, post_number = _number(topic), _number(post)
        opening = None
        if topic_id is not None and (post_number is not None or not post):
            opening = await run.io_bound(_open, state, topic_id, post_number)
        if opening is not None:
            _page(state, opening)
            return
        ui.context.client.status_code = 404
        show_not_found(
            state,
            _("This message is not in the archive"),
            _("It may have been deleted, made private, or written after the archive was made."),
        )

    @ui.page("/t/{slug}/{topic}/{post}")
    async def post_page(slug: str, topic: str, post: str) -> None:
        await show(topic, post)

    @ui.page("/t/{first}/{second}")
    async def topic_page(first: str, second: str) -> None:
        # /t/12/3 or /t/slug/12: a slug never consists of digits only.
        await (show(first, second) if first.isdigit() else show(second))

    @ui.page("/t/{topic}")
    async def short_page(topic: str) -> None:
        await show(topic)


def _number(digits: str) -> int | None:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 12 else None


def _open(state: State, topic_id: int, target: int | None) -> _Opening | None:
    """The topic with its first window, None when it (or the message) is not held."""
    store = state.archive.store
    topic = store.topic(topic_id)
    if topic is None or (target is not None and store.post_at(topic_id, target) is None):
        return None
    before = BEFORE if target is not None else 0
    posts = _load(state, topic_id, target or 0, before=before, after=WINDOW - 1 - before)
    category = posts[0].row.category if posts else ""
    return _Opening(topic, store.topic_size(topic_id), category, target, posts)


def _load(state: State, topic_id: int, number_: int, *, before: int, after: int) -> Sequence[ReadyPost]:
    rows = state.archive.store.window(topic_id, number_, before=before, after=after)
    base_url = state.facts().base_url
    return tuple(prepare(row, base_url=base_url) for row in rows)


def _page(state: State, opening: _Opening) -> None:
    topic, base_url = opening.topic, state.facts().base_url
    shown: deque[_Window] = deque()

    def add(posts: Sequence[ReadyPost], *, in_front: bool) -> None:
        """Show one more window, and drop the farthest one when there are too many."""
        with column:
            element = box("div", "window")
        if in_front:
            element.move(target_index=0)
        with element:
            for post in posts:
                row = post.row
                post_article(
                    post, base_url=base_url, target=row.post_number == opening.target,
                    accepted=row.id == topic.accepted_post_id,
                )  # fmt: skip
        window = _Window(posts[0].row.post_number, posts[-1].row.post_number, element)
        if in_front:
            shown.appendleft(window)
        else:
            shown.append(window)
        if len(shown) > MAX_WINDOWS:
            dropped = shown.pop() if in_front else shown.popleft()
            dropped.element.delete()

    async def refresh_ends() -> None:
        """Show a button at an end that has more messages beyond it."""
        store = state.archive.store
        first, last = shown[0].first, shown[-1].last
        has_before = await run.io_bound(store.window, topic.id, first, before=1, after=-1)
        has_after = await run.io_bound(store.window, topic.id, last + 1, before=0, after=0)
        earlier.set_visibility(bool(has_before))
        later.set_visibility(bool(has_after))

    async def load_earlier() -> None:
        first = shown[0].first
        posts = await run.io_bound(_load, state, topic.id, first, before=WINDOW, after=-1)
        if posts and first == shown[0].first:  # not when two clicks came at once
            add(posts, in_front=True)
            await refresh_ends()
            _scroll_to(first)  # what was being read stays in sight

    async def load_later() -> None:
        last = shown[-1].last
        posts = await run.io_bound(_load, state, topic.id, last + 1, before=0, after=WINDOW - 1)
        if posts and last == shown[-1].last:
            add(posts, in_front=False)
            await refresh_ends()

    with frame(state, topic.title):
        _head(opening, base_url)
        earlier = button(_("Earlier messages"), load_earlier, "button quiet more")
        column = box("div", "posts")
        column.on("click", js_handler=_OPEN_OUTSIDE)
        later = button(_("Later messages"), load_later, "button quiet more")
        if not opening.posts:
            earlier.set_visibility(False)
            later.set_visibility(False)
            return
        add(opening.posts, in_front=False)
        earlier.set_visibility(opening.target is not None and len(opening.posts) > 0)
        ui.timer(0, refresh_ends, once=True)
        if opening.target is not None:
            _scroll_to(opening.target)


def _head(opening: _Opening, base_url: str) -> None:
    topic = opening.topic
    with box("header", "topic-head"):
        text(topic.title, "h1")
        with box("p", "byline"):
            if opening.category:
                text(opening.category, "span", "category")
            for tag in topic.tags:
                text(tag, "span", "tag")
            count = ngettext("{n} message", "{n} messages", opening.size)
            text(count.format(n=number(opening.size)))
            if topic.closed:
                text(_("closed topic"))
        with box("p", "topic-links"):
            path = f"/t/{topic.slug or 'sujet'}/{topic.id}"
            if opening.target is not None and opening.posts and opening.posts[0].row.post_number > 1:
                link(_("Go to the opening message"), f"{path}/1")
            if base_url:
                outside_link(_("See the topic on the forum"), base_url + path, "outside")


def _scroll_to(post_number: int) -> None:
    # A number of ours: nothing of the archive enters the script.
    ui.run_javascript(f"document.getElementById('{anchor(post_number)}')?.scrollIntoView()")
