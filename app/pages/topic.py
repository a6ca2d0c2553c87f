"""Reading a topic from any of its messages: /t/slug/topic/message, its shorter forms, and /p/post.

?auteur= shows one author only, ?q= what holds some words, ?message= is the "go to" box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlencode

from nicegui import run, ui
from nicegui.events import GenericEventArguments
from starlette.responses import RedirectResponse

from engine import Category, Topic
from engine.retrieve.in_topic import TopicSearch, search_topic
from engine.store import places, reading

from ..components import topic_parts
from ..components.markup import box, link, text
from ..components.post import ReadyPost
from ..components.search_form import SEARCH_CHARS
from ..components.thread import BEFORE, WINDOW, Thread, load
from ..components.timeline import stops, timeline
from ..i18n import gettext as _
from ..state import State
from ..theme import BUILT_WITHIN_S, frame
from .not_found import show as show_not_found

AUTHOR_CHARS = 200  # of a user name in an address


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an address asks for. `number` is the message, None for the topic as a whole."""

    topic_id: int
    number: int | None
    author: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class _Opening:
    """What a page opens with; `posts` are empty when words were searched, `found` says what they found."""

    topic: Topic
    span: reading.Span
    whole: int  # messages of the topic, whoever wrote them
    category: Category | None
    author_name: str
    moments: Sequence[reading.Moment]
    posts: Sequence[ReadyPost]
    found: TopicSearch | None


def register(state: State) -> None:
    """Make the page known to the server, under the addresses that a Discourse gives its topics and messages."""

    async def show(
        slug: str, topic: str, post: str, *, auteur: str = "", q: str = "", message: str = ""
    ) -> RedirectResponse | None:
        topic_id, number = _number(topic), _number(post)
        if topic_id is None or (number is None and post):
            _missing(state)
            return None
        asked = _Asked(topic_id, number, auteur[:AUTHOR_CHARS], " ".join(q.split())[:SEARCH_CHARS])
        elsewhere = await run.io_bound(_elsewhere, state, asked, slug, _number(message))
        if elsewhere:
            return RedirectResponse(elsewhere, 307)
        opening = await run.io_bound(_open, state, asked)
        if opening is None:
            _missing(state, await run.io_bound(_beside, state, asked) or "")
        else:
            _page(state, asked, opening)
        return None

    @ui.page("/t/{slug}/{topic}/{post}", response_timeout=BUILT_WITHIN_S)
    async def post_page(slug: str, topic: str, post: str, auteur: str = "", q: str = "") -> RedirectResponse | None:
        return await show(slug, topic, post, auteur=auteur, q=q)

    @ui.page("/t/{first}/{second}", response_timeout=BUILT_WITHIN_S)
    async def topic_page(
        first: str, second: str, auteur: str = "", q: str = "", message: str = ""
    ) -> RedirectResponse | None:
        # /t/12/3 or /t/slug/12: a slug never consists of digits only.
        if first.isdigit():
            return await show("", first, second, auteur=auteur, q=q)
        return await show(first, second, "", auteur=auteur, q=q, message=message)

    @ui.page("/t/{topic}", response_timeout=BUILT_WITHIN_S)
    async def short_page(topic: str, auteur: str = "", q: str = "") -> RedirectResponse | None:
        return await show("", topic, "", auteur=auteur, q=q)

    @ui.page("/p/{post}", response_timeout=BUILT_WITHIN_S)
    async def one_post(post: str) -> RedirectResponse | None:
        post_id = _number(post)
        place = None if post_id is None else await run.io_bound(reading.place, state.archive.store, post_id)
        if place is None:
            _missing(state)
            return None
        return await show("", str(place.topic_id), str(place.number))


def _number(digits: str) -> int | None:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 12 else None


def _missing(state: State, beside: str = "") -> None:
    """The page of what is not held; `beside` is the address of the nearest message, when its topic is."""
    ui.context.client.status_code = 404
    show_not_found(
        state,
        _("This message is not in the archive"),
        _("It may have been deleted, made private, or written after the archive was made."),
        way=(_("Read the topic around it"), beside) if beside else None,
    )


# --- what is read from the disk, in a thread ---


def _elsewhere(state: State, asked: _Asked, slug: str, message: int | None) -> str | None:
    """The canonical address when it is another one: the right slug, and the message typed in "go to"."""
    store, number = state.archive.store, asked.number
    topic = store.topic(asked.topic_id)
    if topic is None or (number is not None and not reading.holds(store, topic.id, number)):
        moved = places.elsewhere(store, asked.topic_id, number)  # where the message that stood here stands now
        topic = store.topic(moved.topic_id) if moved is not None else topic
        number = moved.number if moved is not None else number
    if topic is None:
        return None
    if message is not None:
        number = reading.nearest(store, topic.id, message, asked.author)
    home = _home(topic)
    if (number == asked.number and unquote(home) == f"/t/{slug}/{asked.topic_id}") or "/" in topic.slug:
        return None
    return _address(home, number, asked)


def _open(state: State, asked: _Asked) -> _Opening | None:
    """The topic with its first messages, None when it (or the message) is not held."""
    store = state.archive.store
    topic, span = store.topic(asked.topic_id), reading.span(store, asked.topic_id, asked.author)
    if topic is None or (asked.number is not None and store.post_at(topic.id, asked.number) is None):
        return None
    posts: Sequence[ReadyPost] = ()
    found = None
    if asked.words:
        found = search_topic(store, topic.id, asked.words, analyser=state.archive.analyser, author=asked.author)
    elif span.count:
        start = reading.nearest(store, topic.id, asked.number or 0, asked.author) or 0
        before = BEFORE if asked.number is not None else 0
        posts = load(state, topic.id, start, before=before, after=WINDOW - before, author=asked.author)
    categories = {category.id: category for category in store.categories()}
    return _Opening(
        topic=topic,
        span=span,
        whole=store.topic_size(topic.id),
        category=None if topic.category_id is None else categories.get(topic.category_id),
        author_name=reading.display_name(store, asked.author) if asked.author else "",
        moments=() if found else reading.moments(store, topic.id, asked.author),
        posts=posts,
        found=found,
    )


def _beside(state: State, asked: _Asked) -> str:
    """The address of the message nearest to one that is not held, "" when its topic is not either."""
    topic = state.archive.store.topic(asked.topic_id)
    number = reading.nearest(state.archive.store, asked.topic_id, asked.number or 0)
    return _address(_home(topic), number, asked) if topic is not None and number is not None else ""


def _home(topic: Topic) -> str:
    return f"/t/{quote(topic.slug or 'sujet', safe='')}/{topic.id}"


def _address(home: str, number: int | None, asked: _Asked) -> str:
    asks = {name: value for name, value in (("auteur", asked.author), ("q", asked.words)) if value}
    place = home if number is None else f"{home}/{number}"
    return f"{place}?{urlencode(asks)}" if asks else place


# --- what is shown ---


def _page(state: State, asked: _Asked, opening: _Opening) -> None:
    topic, base_url, home = opening.topic, state.facts().base_url, _home(opening.topic)
    target = {"data_target": asked.number} if asked.number is not None else {}
    with frame(state, topic.title, wide=True):
        root = box(
            "div", "reading", data_topic=topic.id, data_path=home, data_moments=stops(opening.moments),
            data_copied=_("Quotation copied"), data_not_copied=_("The browser refused the copy: select the text."),
            **target,
        )  # fmt: skip
        with root:
            topic_parts.head(topic, opening.category, opening.whole, home, base_url)
            topic_parts.tools(home, asked.words, asked.author)
            if asked.author:
                topic_parts.only_author(opening.author_name, opening.span.count, _whole(home, asked))
            if opening.found is not None:
                topic_parts.results(opening.found, analyse=state.archive.analyser.words, whole=home)
            elif opening.posts:
                asks = f"?{urlencode({'auteur': asked.author})}" if asked.author else ""
                timeline(opening.moments, opening.span, path=home, query=asks)
                thread = Thread(state, topic, opening.span, author=asked.author, target=asked.number)
                thread.show(opening.posts)

                async def go(event: GenericEventArguments) -> None:
                    number = _number(str(event.args))
                    if number is not None:
                        await thread.go(number)

                ui.on("topic_go", go)
            else:
                with box("div", "empty"):
                    text(_("No message by this author in this topic"), "h2")
                    link(_("See the whole topic"), home, "button quiet")
            topic_parts.image_dialog()
            text("", "p", "reading-status", role="status")
        root.on("vnodeMounted", js_handler="() => archiviste.topic.start()")


def _whole(home: str, asked: _Asked) -> str:
    """The same place without the filter."""
    return _address(home, asked.number, _Asked(asked.topic_id, asked.number))
