"""The first page of a static archive, and the lists of topics of each category."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..values import Category
from .page import link, page, pager, text
from .words import Words

TOPICS_A_PAGE = 100
NO_CATEGORY = 0  # the number of the list of topics that stand in none


@dataclass(frozen=True, slots=True)
class TopicLine:
    """A topic with posts, as a list shows it. `page` is the first one that it has."""

    id: int
    title: str
    category_id: int
    author: str  # of its first held post
    tags: tuple[str, ...]
    marks: tuple[str, ...]
    posts: int
    active_at: datetime
    page: int


def write(folder: Path, categories: tuple[Category, ...], topics: list[TopicLine], words: Words) -> None:
    """index.html, and c/ID/PAGE.html for every category."""
    own: dict[int, list[TopicLine]] = {}
    for topic in sorted(topics, key=lambda one: (one.active_at, one.id), reverse=True):
        own.setdefault(topic.category_id, []).append(topic)
    tree = list(_tree(categories, None, 0))
    known = {category.id for category, _ in tree}
    below = {category.id: [one for one, _ in tree if one.parent_id == category.id] for category, _ in tree}
    loose = [number for number in own if number not in known]
    for category, _ in tree:
        under: list[tuple[int, str]] = [(one.id, one.name) for one in below[category.id]]
        _category(folder, category.id, category.name, category.description, under, own.get(category.id, []), words)
    for number in loose:
        _category(folder, number, words.no_category, "", [], own[number], words)
    (folder / "index.html").write_text(
        "".join(page(words, "", _home(tree, loose, own, words), up="", css="home")), "utf-8", newline="\n"
    )


def _tree(categories: tuple[Category, ...], parent: int | None, depth: int) -> Iterator[tuple[Category, int]]:
    """Every category with its depth, each followed by those below it."""
    ids = {category.id for category in categories}
    for category in categories:
        if (category.parent_id if category.parent_id in ids else None) == parent and depth < 10:
            yield category, depth
            yield from _tree(categories, category.id, depth + 1)


def _home(
    tree: list[tuple[Category, int]], loose: list[int], own: dict[int, list[TopicLine]], words: Words
) -> Iterator[str]:
    everything = [topic for found in own.values() for topic in found]
    yield f"<h1>{text(words.title)}</h1>\n"
    yield f'<p class="facts">{text(words.topics(len(everything)))}, '
    yield f"{text(words.messages(sum(topic.posts for topic in everything)))}</p>\n"
    yield f'<h2>{text(words.categories)}</h2>\n<ul class="categories">\n'
    rows: list[tuple[int, str, str, int]] = [
        (category.id, category.name, category.description, depth) for category, depth in tree
    ]
    rows += [(number, words.no_category, "", 0) for number in loose]
    for number, name, description, depth in rows:
        topics = own.get(number, [])
        counts = f"{words.topics(len(topics))}, {words.messages(sum(topic.posts for topic in topics))}"
        first, _, _ = description.partition("\n")
        said = f'<span class="note">{text(first)}</span>' if first else ""
        yield f'<li class="depth-{min(depth, 3)}"><strong>{link(f"c/{number}/1.html", name)}</strong> '
        yield f'<span class="counts">{text(counts)}</span>{said}</li>\n'
    yield "</ul>\n"


def _category(
    folder: Path,
    number: int,
    name: str,
    description: str,
    below: list[tuple[int, str]],
    topics: list[TopicLine],
    words: Words,
) -> None:
    here = folder / "c" / str(number)
    here.mkdir(parents=True)
    pages = tuple(range(1, max(1, -(-len(topics) // TOPICS_A_PAGE)) + 1))
    for n in pages:
        some = topics[(n - 1) * TOPICS_A_PAGE : n * TOPICS_A_PAGE]
        title = name if n == 1 else f"{name} — {words.page_of(n, pages[-1])}"
        body = _list(name, description if n == 1 else "", below, some, pager(words, pages, n), words)
        (here / f"{n}.html").write_text("".join(page(words, title, body, up="../../")), "utf-8", newline="\n")


def _list(
    name: str, description: str, below: list[tuple[int, str]], topics: list[TopicLine], steps: str, words: Words
) -> Iterator[str]:
    yield f'<nav class="way">{link("../../index.html", words.home)}</nav>\n<h1>{text(name)}</h1>\n'
    for paragraph in filter(None, description.split("\n")):
        yield f"<p>{text(paragraph)}</p>\n"
    if below:
        yield '<p class="facts">' + " ".join(link(f"../{number}/1.html", said) for number, said in below) + "</p>\n"
    yield steps + '<ul class="topics">\n'
    for topic in topics:
        marks = "".join(f'<span class="mark">{text(mark)}</span> ' for mark in topic.marks)
        marks += "".join(f'<span class="tag">{text(tag)}</span> ' for tag in topic.tags)
        facts = f"{topic.author} · {words.messages(topic.posts)} · {words.date_short(topic.active_at)}"
        yield f'<li><span class="title">{link(f"../../t/{topic.id}/{topic.page}.html", topic.title)}</span> {marks}'
        yield f'<span class="counts">{text(facts)}</span></li>\n'
    yield f"</ul>\n{steps}"
