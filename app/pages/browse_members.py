"""The members who wrote: /auteurs and /u/name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nicegui import run, ui

from engine.store import browsing, members
from engine.store.archive import PostRow
from engine.store.browsing import TopicPage
from engine.store.members import MemberLife, MemberPage

from .. import browsing_words as words
from ..components.charts import messages
from ..components.days import post_line
from ..components.later import soon
from ..components.markup import box, link, text
from ..components.pager import page_number, pager
from ..components.topic_list import sort_links, topic_list
from ..i18n import date_long, date_short, ngettext, number
from ..i18n import gettext as _
from ..narrowing import narrowed
from ..state import State
from ..theme import BUILT_WITHIN_S, frame
from .browse import life
from .browse_topics import USUAL as USUAL_TOPICS
from .not_found import show as show_not_found

USUAL = next(iter(words.MEMBER_ORDERS))


@dataclass(frozen=True, slots=True)
class _Written:
    """What a member wrote: the posts that were liked most, and a page of the topics opened."""

    liked: Sequence[PostRow]
    topics: TopicPage


def register(state: State) -> None:
    """Make the pages known to the server."""

    @ui.page(words.MEMBERS, response_timeout=BUILT_WITHIN_S)
    async def members_page(tri: str = "", page: str = "") -> None:
        order = tri if tri in words.MEMBER_ORDERS else USUAL

        def read() -> MemberPage:
            return members.members(state.archive.store, order=words.MEMBER_ORDERS[order], page=page_number(page))

        with frame(state, _("Authors"), here=words.PATH), box("div", "browsing"):
            _way()
            text(_("Authors"), "h1")
            await soon(read, lambda found: _members(found, order))

    @ui.page("/u/{name}", response_timeout=BUILT_WITHIN_S)
    async def member_page(name: str, tri: str = "", page: str = "") -> None:
        found = await run.io_bound(members.member, state.archive.store, name)
        if found is None:
            ui.context.client.status_code = 404
            show_not_found(
                state, _("This member has no message in the archive"), _("Check the address, or browse the archive.")
            )
            return
        await _member(state, found, tri, page_number(page))


def _members(found: MemberPage, order: str) -> None:
    if not found.total:
        text(_("The archive is empty."), "p", "note")
        return
    count = ngettext("{n} author", "{n} authors", found.total)
    text(count.format(n=number(found.total)), "p", "count")

    def address(name: str, page: int = 1) -> str:
        return words.listed(words.MEMBERS, order=name, usual=USUAL, page=page)

    sort_links(words.MEMBER_ORDER_NAMES, order, address)
    with box("ol", "member-list result-list"):
        for member in found.members:
            with box("li", "member-line"):
                link(member.username, words.member_path(member.username), "author")
                if member.display_name and member.display_name != member.username:
                    text(member.display_name, "span", "display-name")
                with box("span", "fact"):
                    text(messages(member.posts))
                    text(_("from {first} to {last}").format(
                        first=date_short(member.first_at), last=date_short(member.last_at)))  # fmt: skip
    pager(found.page, found.pages, lambda n: address(order, n))


async def _member(state: State, found: MemberLife, tri: str, page: int) -> None:
    member, store = found.member, state.archive.store
    order = tri if tri in words.TOPIC_ORDERS else USUAL_TOPICS

    def read() -> _Written:
        return _Written(
            members.liked_posts(store, member.username),
            browsing.topics(store, author=member.username, order=words.TOPIC_ORDERS[order], page=page),
        )

    with frame(state, member.username, here=words.PATH), box("div", "browsing"):
        _way()
        text(member.display_name or member.username, "h1")
        facts = [
            f"@{member.username}", messages(member.posts),
            ngettext("{n} topic opened", "{n} topics opened", member.topics).format(n=number(member.topics)),
            ngettext("{n} like received", "{n} likes received", found.likes).format(n=number(found.likes)),
            _("from {first} to {last}").format(first=date_long(member.first_at), last=date_long(member.last_at)),
        ]  # fmt: skip
        with box("p", "byline"):
            for fact in facts:
                text(fact)
        link(_("Read all these messages"), words.posts_by(member.username), "button quiet")
        with box("section", "block"):
            text(_("Messages by year"), "h2")
            life(found.life, more=narrowed("", "authors", member.username))
        await soon(read, lambda written: _written(written, words.member_path(member.username), order))


def _written(found: _Written, path: str, order: str) -> None:
    if found.liked:
        with box("section", "block"):
            text(_("Most liked messages"), "h2")
            with box("ul", "result-list"):
                for row in found.liked:
                    with box("li", "day-post"):
                        post_line(row)
    if found.topics.total:
        with box("section", "block"):
            text(_("Topics opened"), "h2")
            topic_list(found.topics, path, order, heading="h3")


def _way() -> None:
    with box("nav", "way", aria_label=_("Way back")):
        link(_("Browse"), words.PATH)
        link(_("Authors"), words.MEMBERS)
