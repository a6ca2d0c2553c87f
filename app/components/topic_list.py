"""Lists of topics: sorted by a click, page by page; and the links that sort any list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.store.browsing import TopicLine, TopicPage

from ..browsing_words import TOPIC_ORDER_NAMES, listed, member_path, tag_path
from ..i18n import date_short, ngettext, number
from ..i18n import gettext as _
from .charts import messages
from .markup import box, link, text
from .pager import pager


def sort_links(names: Mapping[str, str], chosen: str, address: Callable[[str], str]) -> None:
    """The orders of a list, each a link."""
    with box("nav", "modes", aria_label=_("Order of the list")):
        for name, said in names.items():
            current = {"aria_current": "true"} if name == chosen else {}
            link(_(said), address(name), "mode", **current)


def topic_list(found: TopicPage, path: str, order: str, *, heading: str = "h2") -> None:
    """A page of topics below the links that sort it; `path` is where the list is, `heading` what its titles are."""
    usual = next(iter(TOPIC_ORDER_NAMES))
    if not found.total:
        text(_("No topic here."), "p", "note")
        return
    count = ngettext("{n} topic", "{n} topics", found.total)
    text(count.format(n=number(found.total)), "p", "count")
    if found.total > 1:
        sort_links(TOPIC_ORDER_NAMES, order, lambda name: listed(path, order=name, usual=usual, page=1))
    with box("ol", "topic-list result-list"):
        for topic in found.topics:
            with box("li", "topic-line"):
                _line(topic, heading)
    pager(found.page, found.pages, lambda n: listed(path, order=order, usual=usual, page=n))


def short_list(topics: Sequence[tuple[TopicLine, str]]) -> None:
    """Some topics, each with a fact about it."""
    with box("ol", "short-list"):
        for topic, fact in topics:
            with box("li"):
                link(topic.title, topic.path)
                text(fact, "span", "fact")


def _line(topic: TopicLine, heading: str) -> None:
    with box(heading, "topic-title"):
        link(topic.title, topic.path)
    with box("p", "byline"):
        if topic.category:
            text(topic.category, "span", "category")
        for tag in topic.tags:
            link(tag, tag_path(tag), "tag")
        if topic.author:
            link(topic.author, member_path(topic.author), "author")
        text(messages(topic.posts))
        if topic.likes:
            text(ngettext("{n} like", "{n} likes", topic.likes).format(n=number(topic.likes)))
        if topic.views:
            text(ngettext("{n} view", "{n} views", topic.views).format(n=number(topic.views)))
        if topic.created_at.date() != topic.active_at.date():
            said = _("from {first} to {last}")
            text(said.format(first=date_short(topic.created_at), last=date_short(topic.active_at)))
        else:
            text(date_short(topic.created_at))
