"""A message among its neighbours, beside what cites it: at the side of a wide screen, a sheet on a phone."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from nicegui import run, ui

from engine import ArchivisteError

from ..i18n import gettext as _
from ..messages import message
from ..state import State
from .markup import box, button, link, text
from .post import ReadyPost, post_article, prepare

log = logging.getLogger(__name__)

AROUND = 2  # messages shown before and after the one that is opened

# A plain click opens the panel; with Ctrl, Cmd, Shift or the middle button it stays the link that it is.
_CLICK = """(event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    event.preventDefault();
    emit();
}"""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the panel holds: the title of the topic, the messages, and the number of the one that was asked for."""

    title: str
    path: str
    posts: Sequence[ReadyPost]
    target: int
    accepted: int | None


class ContextPanel:
    """The panel of a page, closed until a link opens it. Build it where it stands."""

    def __init__(self, state: State, place: ui.element) -> None:
        self._state, self._place = state, place  # `place` has the class "opened" while the panel shows
        self._wanted = (0, 0)
        self._panel = box("aside", "context", aria_label=_("Message in its topic"))
        self._panel.set_visibility(False)

    def opens_from(self, opener: ui.element, topic_id: int, post_number: int) -> None:
        """Let a click on this link open the panel on that message."""
        opener.on("click", lambda _event: self.open(topic_id, post_number), args=[], js_handler=_CLICK)

    async def open(self, topic_id: int, post_number: int) -> None:
        """Show the message among its neighbours, or why it can't be shown."""
        self._wanted = (topic_id, post_number)
        found = await run.io_bound(_load, self._state, topic_id, post_number)
        if found is None or self._wanted != (topic_id, post_number) or self._panel.is_deleted:
            return  # the server is stopping, another link was clicked since, or the page has gone
        self._panel.clear()
        with self._panel:
            with box("div", "context-head"):
                text(found.title if isinstance(found, _Shown) else _("Message"), "h2", tabindex=-1)
                close = _("Close")
                button("×", self.close, "knob", data_escape=True, title=close, aria_label=close)
            if isinstance(found, _Shown):
                self._posts(found)
            else:
                text(found, "p", "notice", role="alert")
        self._panel.set_visibility(True)
        self._place.classes("opened")
        ui.run_javascript(f"archiviste.panelOpened('{self._panel.html_id}')")

    def close(self) -> None:
        """Hide the panel; the focus goes back to the link that opened it."""
        self._wanted = (0, 0)
        self._panel.set_visibility(False)
        self._place.classes(remove="opened")
        ui.run_javascript("archiviste.panelClosed()")

    def _posts(self, shown: _Shown) -> None:
        with box("div", "context-posts"):
            for post in shown.posts:
                post_article(
                    post, base_url=self._state.facts().base_url, target=post.row.post_number == shown.target,
                    accepted=post.row.id == shown.accepted,
                )  # fmt: skip
        link(_("Read the whole topic"), shown.path, "button quiet")


def _load(state: State, topic_id: int, post_number: int) -> _Shown | str:
    """The messages, or the sentence that says why there are none."""
    try:
        store = state.archive.store
        topic, row = store.topic(topic_id), store.post_at(topic_id, post_number)
        if topic is None or row is None:
            return _("This message is no longer in the archive.")
        rows = store.window(topic_id, post_number, before=AROUND, after=AROUND)
        base_url = state.facts().base_url
        posts = tuple(prepare(each, base_url=base_url, store=store, data=state.archive.settings.data) for each in rows)
        return _Shown(topic.title, row.path, posts, post_number, topic.accepted_post_id)
    except ArchivisteError as error:
        return message(error)
    except Exception:  # the page boundary
        log.exception("a message can't be shown beside an answer")
        return message(ArchivisteError())
