"""Lists of topics: /sujets, /c/slug/id, /etiquette/name; and /etiquettes."""

from __future__ import annotations

from nicegui import run, ui

from engine import Category
from engine.retrieve.facets import said
from engine.store import browsing
from engine.store.browsing import CategoryLine, TopicPage

from .. import browsing_words as words
from ..components.later import soon
from ..components.markup import box, link, text
from ..components.pager import page_number
from ..components.topic_list import topic_list
from ..i18n import gettext as _
from ..narrowing import narrowed
from ..search_place import Place
from ..state import State
from ..theme import BUILT_WITHIN_S, frame
from .browse import category_line, life, tag_cloud
from .not_found import show as show_not_found

USUAL = next(iter(words.TOPIC_ORDERS))


def register(state: State) -> None:
    """Make the pages known to the server; categories under the addresses that a Discourse gives them."""

    @ui.page(words.TOPICS, response_timeout=BUILT_WITHIN_S)
    async def topics_page(tri: str = "", page: str = "") -> None:
        with frame(state, _("All topics"), here=words.PATH), box("div", "browsing"):
            _way()
            text(_("All topics"), "h1")
            await _topics(state, words.TOPICS, tri, page)

    async def show_category(number: str, tri: str, page: str) -> None:
        found = await run.io_bound(_category, state, number)
        if found is None:
            _missing(state, _("This category is not in the archive"))
            return
        with frame(state, found.name, here=words.PATH), box("div", "browsing"):
            _way()
            text(found.name, "h1")
            if found.description:
                text(found.description, "p", "lead")
            link(_("Search in this category"), Place(query=narrowed("", "categories", said(found))).address)
            await soon(lambda: _below(state, found), _category_head)
            await _topics(state, words.category_path(found), tri, page, category=found.id)

    @ui.page("/c/{slug}/{number}", response_timeout=BUILT_WITHIN_S)
    async def category_page(slug: str, number: str, tri: str = "", page: str = "") -> None:
        await show_category(number, tri, page)

    @ui.page("/c/{parent}/{slug}/{number}", response_timeout=BUILT_WITHIN_S)
    async def subcategory_page(parent: str, slug: str, number: str, tri: str = "", page: str = "") -> None:
        await show_category(number, tri, page)

    @ui.page("/etiquette/{tag:path}", response_timeout=BUILT_WITHIN_S)  # a tag may hold a slash
    async def tag_page(tag: str, tri: str = "", page: str = "") -> None:
        if not await run.io_bound(browsing.has_tag, state.archive.store, tag):
            _missing(state, _("This tag is not in the archive"))
            return
        with frame(state, tag, here=words.PATH), box("div", "browsing"):
            _way()
            text(_("Tag “{tag}”").format(tag=tag), "h1")
            link(_("Search in these topics"), Place(query=narrowed("", "tags", tag)).address)
            await _topics(state, words.tag_path(tag), tri, page, tag=tag)

    @ui.page(words.TAGS, response_timeout=BUILT_WITHIN_S)
    async def tags_page() -> None:
        with frame(state, _("Tags"), here=words.PATH), box("div", "browsing"):
            _way()
            text(_("Tags"), "h1")
            await soon(lambda: browsing.tags(state.archive.store), _tags)


async def _topics(
    state: State, path: str, tri: str, page: str, *, category: int | None = None, tag: str | None = None
) -> None:
    order = tri if tri in words.TOPIC_ORDERS else USUAL

    def read() -> TopicPage:
        return browsing.topics(
            state.archive.store, category=category, tag=tag, order=words.TOPIC_ORDERS[order], page=page_number(page)
        )

    await soon(read, lambda found: topic_list(found, path, order))


def _category(state: State, number: str) -> Category | None:
    held = state.archive.store.categories()
    return next((one for one in held if str(one.id) == number), None)


def _below(state: State, category: Category) -> tuple[CategoryLine | None, tuple[CategoryLine, ...]]:
    """The line of a category, and those of its children."""
    lines = browsing.categories(state.archive.store)
    own = next((line for line in lines if line.category.id == category.id), None)
    return own, tuple(line for line in lines if line.category.parent_id == category.id)


def _category_head(found: tuple[CategoryLine | None, tuple[CategoryLine, ...]]) -> None:
    own, below = found
    if own is not None:
        life(own.life, more=narrowed("", "categories", said(own.category)))
    if below:
        with box("ul", "category-tree"):
            for line in below:
                category_line(line)


def _tags(found: tuple[browsing.TagLine, ...]) -> None:
    if not found:
        text(_("No topic has a tag."), "p", "note")
        return
    tag_cloud(found)


def _way() -> None:
    """Back to the whole."""
    with box("nav", "way", aria_label=_("Way back")):
        link(_("Browse"), words.PATH)


def _missing(state: State, title: str) -> None:
    ui.context.client.status_code = 404
    show_not_found(state, title, _("Check the address, or browse the archive."))
