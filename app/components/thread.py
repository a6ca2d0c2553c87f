"""The messages of a topic that a page shows: a few windows of them, and more at both ends as they are asked for.

A page never holds more than MAX_WINDOWS: a topic of 2,700 messages is read from anywhere in it. What keeps the reader's
place in the browser is assets/js/topic.js.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from nicegui import run, ui

from engine import Topic
from engine.store import reading

from ..i18n import gettext as _
from ..state import State
from .markup import box, button
from .post import ReadyPost, post_article, prepare

WINDOW = 20  # messages loaded at a time
BEFORE = 5  # of which before the one that was asked for
MAX_WINDOWS = 5


@dataclass(frozen=True, slots=True)
class _Window:
    """The messages of one loading, and the element that shows them."""

    first: int
    last: int
    element: ui.element


def load(
    state: State, topic_id: int, number: int, *, before: int = 0, after: int = 0, author: str = ""
) -> Sequence[ReadyPost]:
    """Messages around a number, sanitised; call it in a thread."""
    rows = reading.window(state.archive.store, topic_id, number, before=before, after=after, author=author)
    base_url = state.facts().base_url
    store, data = state.archive.store, state.archive.settings.data
    return tuple(prepare(row, base_url=base_url, store=store, data=data) for row in rows)


class Thread:
    """The column of messages of one page, in the slot where it is built."""

    def __init__(self, state: State, topic: Topic, span: reading.Span, *, author: str, target: int | None) -> None:
        self._state, self._topic, self._span = state, topic, span
        self._author, self._target = author, target
        self._shown: deque[_Window] = deque()
        # Their names are what a keyboard and a screen reader use; topic.js presses them when their end comes near.
        self._earlier = button(_("Earlier messages"), self.load_earlier, "button quiet more earlier")
        self._column = box("div", "posts")
        self._later = button(_("Later messages"), self.load_later, "button quiet more later")

    def show(self, posts: Sequence[ReadyPost]) -> None:
        """Show these in place of all others."""
        self._column.clear()
        self._shown.clear()
        self._add(posts, in_front=False)

    async def load_earlier(self) -> None:
        """One more window in front."""
        if not self._shown:
            return
        first = self._shown[0].first
        posts = await self._load(first, before=WINDOW)
        if posts and self._shown and first == self._shown[0].first:  # not when two clicks came at once
            self._add(posts, in_front=True)

    async def load_later(self) -> None:
        """One more window behind."""
        if not self._shown:
            return
        last = self._shown[-1].last
        posts = await self._load(last + 1, after=WINDOW)
        if posts and self._shown and last == self._shown[-1].last:
            self._add(posts, in_front=False)

    async def go(self, number: int) -> None:
        """Show the messages around a number, wherever it stands in the topic."""
        there = await run.io_bound(
            reading.nearest, self._state.archive.store, self._topic.id, number, author=self._author
        )
        if there is None:
            return
        posts = await self._load(there, before=BEFORE, after=WINDOW - BEFORE)
        if posts:
            self._target = there
            self.show(posts)
            # Numbers only: nothing of the archive enters the script.
            ui.run_javascript(f"archiviste.topic.came({int(number)}, {int(there)})")

    async def _load(self, number: int, *, before: int = 0, after: int = 0) -> Sequence[ReadyPost]:
        found = await run.io_bound(
            load, self._state, self._topic.id, number, before=before, after=after, author=self._author
        )
        return found or ()  # None when the server is stopping

    def _add(self, posts: Sequence[ReadyPost], *, in_front: bool) -> None:
        """Show one more window, and drop the farthest one when there are too many."""
        base_url = self._state.facts().base_url
        with self._column:
            element = box("div", "window")
        if in_front:
            element.move(target_index=0)
        with element:
            for post in posts:
                row = post.row
                post_article(
                    post, base_url=base_url, target=row.post_number == self._target,
                    accepted=row.id == self._topic.accepted_post_id, author=self._author,
                )  # fmt: skip
        window = _Window(posts[0].row.post_number, posts[-1].row.post_number, element)
        if in_front:
            self._shown.appendleft(window)
        else:
            self._shown.append(window)
        if len(self._shown) > MAX_WINDOWS:
            dropped = self._shown.pop() if in_front else self._shown.popleft()
            dropped.element.delete()
        self._earlier.set_visibility(self._shown[0].first > self._span.first)
        self._later.set_visibility(self._shown[-1].last < self._span.last)
