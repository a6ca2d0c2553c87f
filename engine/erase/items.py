"""Keeps out of an import or a sync what was erased before: items of a source go in, the same without it come out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..sources import Attachment, CookedText, Post, PostVector, Quote, Skipped, SkipReason, SourceItem, Upload
from ..values import Category, Topic
from . import erased as erase_list
from . import quotes
from .erased import Erased
from .redact import Redactor, Tally, each_string

NAMES = frozenset(("username", "display_username", "name", "last_poster_username", "reply_to_username"))
_PERSONAL = ("name", "avatar_template", "user_title", "user_id")  # of a post in JSON, beside the name
_HTML = frozenset(("cooked", "raw", "excerpt", "blurb", "description", "description_text"))
_NO_SLUG = re.compile(r"[^a-z0-9]+")


class Eraser:
    """What the list says, applied. `known` holds the names of the archive's members."""

    def __init__(self, erased: Erased, known: Iterable[str] = ()) -> None:
        self.erased = erased
        self.redactor = Redactor(erased, frozenset(erase_list.folded(name) for name in known))

    # --- texts ---

    def html(self, cooked: str, tally: Tally | None = None) -> str:
        """The HTML of a post without erased names and without the words of erased posts."""
        erased = self.erased
        if erased.places or erased.quotes:
            cooked, count = quotes.without_erased(
                cooked, places=erased.places, is_erased=lambda said: erased.hash(said) in erased.quotes,
                gap=erased.words.gap,
            )  # fmt: skip
            if tally is not None and count:
                tally["quotes_of_posts"] += count
        if erased.topics and "/t/" in cooked:
            cooked = quotes.without_titles(cooked, topics=erased.topics, title=erased.words.title)
        return self.redactor.text(cooked, tally)

    def text(self, text: str) -> str:
        """A text without erased names."""
        return self.redactor.text(text)

    def title(self, topic_id: int, title: str, slug: str) -> tuple[str, str]:
        """The title of a topic and its slug, made anew where the title changed."""
        if topic_id in self.erased.topics:
            fresh = self.erased.words.title
        else:
            fresh = self.redactor.text(title)
        return fresh, slug_of(fresh) if fresh != title else self.redactor.text(slug)

    def author(self, username: str, display_name: str, user_id: int | None) -> tuple[str, str, int | None]:
        """Who wrote a post, or who stands in their place."""
        alias = self.redactor.name(username, user_id)
        return (username, display_name, user_id) if alias is None else (alias, "", None)

    # --- items of a source ---

    def post(self, post: Post) -> Post | None:
        """A post as the archive may hold it, None for one that was erased."""
        if post.id in self.erased.posts:
            return None
        cooked = self.html(post.cooked)
        username, display_name, user_id = self.author(post.username, post.display_name, post.user_id)
        parts = self._parts(post.parts)
        if cooked == post.cooked and username == post.username and parts is post.parts:
            return post
        return replace(
            post, cooked=cooked, parts=parts, username=username, display_name=display_name, user_id=user_id
        )  # fmt: skip

    def topic(self, topic: Topic) -> Topic:
        """A topic with a title that says nothing of what was erased."""
        title, slug = self.title(topic.id, topic.title, topic.slug)
        accepted = None if topic.accepted_post_id in self.erased.posts else topic.accepted_post_id
        tags = tuple(map(self.text, topic.tags))
        return replace(topic, title=title, slug=slug, tags=tags, accepted_post_id=accepted)

    def items(self, items: Iterable[SourceItem]) -> Iterator[SourceItem]:
        """All items as `post` and `topic` have them; without the vectors of changed posts, made of the old text."""
        changed: set[int] = set()
        for item in items:
            match item:
                case Post():
                    post = self.post(item)
                    if post is None:
                        changed.add(item.id)
                        yield Skipped(SkipReason.ERASED, item.topic_id, item.id)
                        continue
                    if post.parts is not item.parts:
                        changed.add(item.id)
                    yield post
                case PostVector(post_id) if post_id in changed or post_id in self.erased.posts:
                    continue
                case Topic():
                    yield self.topic(item)
                case Upload():
                    yield replace(item, url=self.text(item.url), name=self.text(item.name))
                case Category():
                    yield replace(item, name=self.text(item.name), description=self.html(item.description))
                case _:
                    yield item

    def _parts(self, parts: CookedText) -> CookedText:
        text = self.text(parts.text)
        code, spoilers = tuple(map(self.text, parts.code)), tuple(map(self.text, parts.spoilers))
        said = tuple(map(self._quote, parts.quotes))
        files = tuple(Attachment(self.text(file.url), self.text(file.name)) for file in parts.attachments)
        fresh = CookedText(text, said, code, spoilers, files)
        return parts if fresh == parts else fresh

    def _quote(self, quote: Quote) -> Quote:
        gone = (quote.topic_id, quote.post_number) in self.erased.places
        if not gone and self.erased.quotes:
            gone = self.erased.hash(quotes.lines(quote.text)) in self.erased.quotes
        text = self.erased.words.gap if gone else self.text(quote.text)
        return Quote(self._named(quote.author), text, quote.topic_id, quote.post_number)

    def _named(self, name: str) -> str:
        return self.redactor.name(name) or self.text(name)

    # --- what a sync keeps ---

    def record(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """A JSON document of Discourse without what was erased: a topic with its posts, a post, a list."""
        fresh = {key: self._value(key, value) for key, value in document.items()}
        alias = self.redactor.name(str(document.get("username") or ""), _number(document.get("user_id")))
        if alias is not None:
            fresh |= {key: None if key == "user_id" else "" for key in _PERSONAL if key in document}
            fresh["username"] = alias
        if "post_stream" in document:
            self._topic_record(fresh)
        if "cooked" in document and _number(document.get("id")) in self.erased.posts:
            fresh |= {key: "" for key in ("cooked", "raw") if key in document}
        return fresh

    def _value(self, key: str, value: object) -> object:
        match value:
            case str():
                if key in NAMES:
                    return self._named(value)
                return self.html(value) if key in _HTML else self.text(value)
            case dict():
                return self.record(value)
            case list():
                return [self._value(key, part) for part in value]
        return value

    def _topic_record(self, topic: dict[str, Any]) -> None:
        number, title = _number(topic.get("id")), topic.get("title")
        if number in self.erased.topics and isinstance(title, str):
            fresh, slug = self.title(number or 0, title, "")
            topic |= {key: fresh for key in ("title", "fancy_title") if key in topic}
            topic |= {"slug": slug} if "slug" in topic else {}
        stream = topic["post_stream"]
        if isinstance(stream, dict) and isinstance(stream.get("posts"), list):
            stream["posts"] = [
                post for post in stream["posts"]
                if not (isinstance(post, dict) and _number(post.get("id")) in self.erased.posts)
            ]  # fmt: skip

    def json(self, document: object) -> object:
        """Any other JSON value without erased names."""
        return each_string(document, self.text)


def eraser(data: Path, known: Iterable[str] = ()) -> Eraser | None:
    """What the list of a data folder wants erased, None where nothing is. Raises StoreDamaged."""
    erased = erase_list.load(data)
    return Eraser(erased, known) if erased else None


def without_erased(data: Path, items: Iterable[SourceItem], known: Iterable[str] = ()) -> Iterable[SourceItem]:
    """The items of a source without what was erased from the archive of a data folder before."""
    found = eraser(data, known)
    return items if found is None else found.items(items)


def slug_of(title: str) -> str:
    """A slug as Discourse would make it of a title."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii").lower()
    return _NO_SLUG.sub("-", plain).strip("-") or "sujet"


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
