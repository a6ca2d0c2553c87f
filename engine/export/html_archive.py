"""The archive as pages to read from a disk: an index by category, the topics, and a search."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..store import ArchiveStore
from ..store.exporting import StoredPost
from ..values import Topic
from . import index_pages, topic_pages
from .files import Describe, Files
from .index_pages import NO_CATEGORY, TopicLine
from .page import page, text
from .places import Places, page_of
from .search_index import SearchIndex
from .walk import Walk
from .words import Words

Address = Callable[[str], str | None]


class Clean(Protocol):
    """Sanitises the HTML of a post. What it lets through are links to elsewhere and addresses of the application: /t/…,
    and those that are given here for images, files and quoted places, None for what is not held."""

    def __call__(
        self, cooked: str, *, image_of: Address, file_of: Address, quoted: Callable[[int, int | None], str | None]
    ) -> str: ...


@dataclass(frozen=True, slots=True)
class Look:
    """What a static archive shows beside the archive itself."""

    words: Words
    clean: Clean
    describe: Describe
    assets: Path  # folder of archive.css and search.js


def write(folder: Path, store: ArchiveStore, walk: Walk, files: Files, look: Look) -> None:
    """Every page of the archive, its search and the images that its posts show."""
    words = look.words
    (folder / "assets").mkdir()
    for name in ("archive.css", "search.js"):
        shutil.copyfile(look.assets / name, folder / "assets" / name)
    categories = store.categories()
    names: dict[int, str] = {category.id: category.name for category in categories}
    places, search = Places.of(store), SearchIndex(folder, words)

    def find(path: str) -> str | None:
        return places.address(path) or files.address(path)

    def safe(post: StoredPost) -> str:
        return look.clean(post.cooked, image_of=files.image, file_of=files.file, quoted=places.quoted)

    lines: list[TopicLine] = []
    for topic in walk.topics():
        if not len(places.of_topic(topic.id)):
            continue
        search.begin(topic)
        first: list[StoredPost] = []
        posts = _watched(walk, topic, search, first)
        number = topic.category_id if topic.category_id in names else None
        category = (NO_CATEGORY, words.no_category) if number is None else (int(number), names[number])
        topic_pages.write(
            folder, topic, posts, category=category, places=places, safe=safe, find=find, words=words
        )  # fmt: skip
        lines.append(_line(topic, first[0], category[0], places, words))
    index_pages.write(folder, categories, lines, words)
    search.finish()
    _search_page(folder, words)


def _watched(walk: Walk, topic: Topic, search: SearchIndex, first: list[StoredPost]) -> Iterator[StoredPost]:
    for post in walk.posts(topic):
        if not first:
            first.append(post)
        search.add(post, topic)
        yield post


def _line(topic: Topic, first: StoredPost, category: int, places: Places, words: Words) -> TopicLine:
    states = ((topic.pinned, words.pinned), (topic.closed, words.closed), (topic.archived, words.archived))
    answered = ((topic.id in places.accepted, words.accepted),)
    return TopicLine(
        id=topic.id, title=topic.title, category_id=category, author=first.author or words.deleted_account,
        tags=topic.tags, marks=tuple(said for on, said in (*answered, *states) if on),
        posts=len(places.of_topic(topic.id)),
        active_at=topic.last_posted_at, page=page_of(first.number),
    )  # fmt: skip


def _search_page(folder: Path, words: Words) -> None:
    body = (
        f"<h1>{text(words.search)}</h1>\n"
        f'<form class="search wide" role="search" id="search" action="search.html" method="get">'
        f'<input type="search" name="q" id="q" aria-label="{text(words.search)}" '
        f'placeholder="{text(words.search_hint)}" autofocus><button>{text(words.search)}</button></form>\n'
        f'<noscript><p class="notice">{text(words.search_needs_script)}</p></noscript>\n'
        f'<p id="said" role="status" data-missing="{text(words.search_missing)}"></p>\n'
        '<ol class="results" id="results"></ol>\n'
        f'<p><button id="more" type="button" hidden>{text(words.search_more)}</button></p>\n'
    )
    scripts = ("assets/search.js", "search/setup.js")
    written = page(words, words.search, (body,), up="", css="searching", scripts=scripts, searching=False)
    (folder / "search.html").write_text("".join(written), "utf-8", newline="\n")
