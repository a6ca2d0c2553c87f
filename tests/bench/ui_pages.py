"""Searching, reading a long topic and browsing, as a reader does."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import yaml
from playwright.sync_api import Browser, Page

from tests.bench.ui_marks import Row, jumped, noting, when

READ_AT = 1900 / 2700  # of a topic, from its start
WORDS = 2  # of a search by words


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to visit."""

    posts: int
    questions: list[str]
    searches: list[str]  # a few words
    long_topic: str  # its address
    long_posts: int
    category: str
    tag: str
    author: str


def known(data: Path, questions: Path | None) -> Known:
    """Read from the archive before it is served; questions are titles of topics when no file gives others."""
    chance = random.Random(1)
    with closing(sqlite3.connect(f"file:{data / 'archive.db'}?mode=ro", uri=True)) as db:
        titles = [title for (title,) in db.execute("SELECT title FROM topics ORDER BY id") if len(title) > 20]
        (posts,) = db.execute("SELECT COUNT(*) FROM posts").fetchone()
        topic_id, slug, held = db.execute(
            """SELECT t.id, t.slug, COUNT(*) FROM posts p JOIN topics t ON t.id = p.topic_id
               GROUP BY t.id ORDER BY COUNT(*) DESC LIMIT 1"""
        ).fetchone()
        numbers = db.execute("SELECT post_number FROM posts WHERE topic_id = ? ORDER BY 1", (topic_id,)).fetchall()
        number = next((n for (n,) in numbers if n >= 1900), None) if held > 1900 else numbers[int(held * READ_AT)][0]
        category = db.execute(
            """SELECT c.slug, c.id FROM topics t JOIN categories c ON c.id = t.category_id
               GROUP BY c.id ORDER BY COUNT(*) DESC LIMIT 1"""
        ).fetchone()
        tag = db.execute("SELECT tag FROM topic_tags GROUP BY tag ORDER BY COUNT(*) DESC LIMIT 1").fetchone()
        author = db.execute("SELECT username FROM posts GROUP BY username ORDER BY COUNT(*) DESC LIMIT 1").fetchone()
    path = questions or data / "queries.yml"
    asked = [one["question"] for one in yaml.safe_load(path.read_text("utf-8"))] if path.exists() else titles
    searched = [" ".join(sorted(title.split(), key=len)[-WORDS:]) for title in chance.sample(titles, 100)]
    return Known(
        posts, chance.sample(asked, min(100, len(asked))), searched, f"/t/{slug}/{topic_id}/{number}", held,
        f"/c/{category[0]}/{category[1]}", f"/etiquette/{quote(tag[0])}", f"/u/{quote(author[0])}",
    )  # fmt: skip


def first(browser: Browser, site: str, archive: Known) -> Iterator[Row]:
    """The first pages after a start, while the server reads what it keeps in memory."""
    with noting(browser) as page:
        page.goto(f"{site}/parcourir", wait_until="commit")
        yield Row("first visit: browsing, its overview", [when(page, "overview")])
        yield Row("first visit: most linked topics", [when(page, "linked")])
        _search(page, site, archive.searches[0])
        whole = when(page, "whole")
        yield Row("first visit: search, first results", [when(page, "results")])
        yield Row("first visit: search, by meaning too", [whole])
        page.goto(site + archive.long_topic, wait_until="commit")
        yield Row("first visit: topic", [when(page, "target")])


def search(browser: Browser, site: str, archive: Known, times: int) -> Iterator[Row]:
    """From Enter in the box of /chercher: first results, and those by meaning too; words, then questions."""
    with noting(browser) as page:
        _search(page, site, archive.searches[-1])
        when(page, "whole")
        for name, queries in (("words", archive.searches), ("questions", archive.questions)):
            seen, whole, shift = [], [], []
            for query in queries[:times]:
                _search(page, site, query)
                whole.append(when(page, "whole"))
                seen.append(when(page, "results"))
                shift.append(jumped(page))
            yield Row(f"search, {name}: first results after Enter", seen, "s", "≤ 0.5")
            yield Row(f"search, {name}: by meaning too", whole, "s", "≤ 0.5")
            yield Row(f"search, {name}: layout shift", shift, "", "0")


def topic(browser: Browser, site: str, archive: Known, times: int) -> Iterator[Row]:
    """The longest topic, opened far from its start."""
    opened, shift = [], []
    with noting(browser) as page:
        page.goto(site + archive.long_topic)
        for _ in range(times):
            page.goto("about:blank")
            page.goto(site + archive.long_topic, wait_until="commit")
            opened.append(when(page, "target"))
            shift.append(jumped(page))
    number = archive.long_topic.rpartition("/")[2]
    yield Row(f"topic of {archive.long_posts} posts, at post {number}", opened, "s", "≤ 1")
    yield Row("topic: layout shift", shift, "", "0")


def browse(browser: Browser, site: str, archive: Known, times: int) -> Iterator[Row]:
    """Every kind of list."""
    visited = (
        ("start page", "/", "page"), ("browsing, its overview", "/parcourir", "overview"),
        ("most linked topics", "/parcourir", "linked"), ("all topics", "/sujets", "page"),
        ("topics, page 40", "/sujets?page=40", "page"), ("largest category", archive.category, "page"),
        ("most frequent tag", archive.tag, "page"), ("tags", "/etiquettes", "page"),
        ("most active author", archive.author, "page"), ("authors", "/auteurs", "page"),
        ("a day of every year", "/ce-jour-la/11-30", "page"),
    )  # fmt: skip
    with noting(browser) as page:
        for name, address, awaited in visited:
            page.goto(site + address)
            when(page, awaited)
            waited, shift = [], []
            for _ in range(times):
                page.goto("about:blank")
                page.goto(site + address, wait_until="commit")
                waited.append(when(page, awaited))
                shift.append(jumped(page))
            yield Row(f"browse: {name}", waited, "s", "≤ 0.5", f"layout shift {max(shift):.4f}")


def _search(page: Page, site: str, query: str) -> None:
    """Type it and press Enter; what is seen from then on is of the new page."""
    page.goto(f"{site}/chercher")
    field = page.locator("main input[type=search]")
    field.fill(query)
    page.wait_for_function("window.did_handshake === true")
    with page.expect_navigation(wait_until="commit"):
        field.press("Enter")
