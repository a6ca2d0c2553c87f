"""The static archive, opened from the disk in a real Chromium: reading, searching, and a hostile forum that stays quiet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.demo import backup
from app.export_words import look
from engine import build_settings, import_archive
from engine.export import export
from engine.export.search_terms import terms
from engine.sources import Site
from engine.store import ArchiveStore
from tests import every_page
from tests.browser.chromium import SCREENS, watched
from tests.browser.test_hostile import HOSTILE, NEVER, harm
from tests.factories import post, save, topic

pytestmark = pytest.mark.browser

LONG = 2_700  # messages, as the longest topics of the reference forum
TEXTS = (
    "L'œuvre d’été : aujourd'hui, qu'est-ce qu'un vélo à 3,5 € ?",
    "Jusqu’à l’île ÉCŒURÉE, presqu'île, lorsqu'il pleut — l’axe F-GABC de 12.5 mm, C++ et a.b",
    "s'il s'agit d'un l'l'eau, 1.2.3, v2_beta, ǅ ﬁn, naïve, Ça",
)


def exported(data: Path, folder: Path) -> Path:
    return export(build_settings(data), folder / "archive", "html", look=look(data)).folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo forum, without its indexes: an export does not need them."""
    folder = tmp_path_factory.mktemp("demo")
    with backup(folder) as source:
        import_archive(build_settings(folder), source)
    return folder


@pytest.fixture(scope="module")
def demo(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(data, tmp_path_factory.mktemp("l'été à lire"))


@pytest.fixture
def page(browser: Browser, demo: Path) -> Iterator[Page]:
    with watched(browser, home=demo.as_uri()) as opened:
        yield opened


def search(page: Page, words: str) -> None:
    page.locator("input[type=search]").first.fill(words)
    page.keyboard.press("Enter")
    expect(page.locator("#results[aria-busy=false]")).to_be_attached()
    expect(page.locator("#said")).not_to_be_empty()


def test_an_archive_of_the_disk_is_read_and_searched(page: Page, demo: Path) -> None:
    page.goto((demo / "index.html").as_uri())
    page.locator(".categories a").first.click()
    page.locator(".topics a").first.click()
    expect(page.locator("article.post").first).to_be_visible()
    # Accents, ligatures, plurals, an elision and the words of a title.
    for words in ("des freins qui couinent", "FREIN couinent", "jante l’oeillet", "Dévoiler roues"):
        search(page, words)
        expect(page.locator(".results li").first).to_be_visible()
    page.locator(".results a").first.click()
    target = page.locator("article.post:target")
    expect(target).to_be_in_viewport()
    assert harm(page) == []


@pytest.mark.parametrize("words", ["xyzzyx", "__proto__", "constructor toString", '"><svg/onload=xyzzyx()>'])
def test_a_search_that_finds_nothing_says_so(page: Page, demo: Path, words: str) -> None:
    page.goto((demo / "index.html").as_uri())
    search(page, words)
    assert page.locator(".results li").count() == 0
    assert harm(page) == []


def test_the_script_reads_words_as_the_index_does(page: Page, demo: Path, data: Path) -> None:
    store = ArchiveStore(data)
    texts = [*TEXTS, *(row[0] for row in store.rows("SELECT text FROM posts UNION ALL SELECT title FROM topics"))]
    store.close()
    page.goto((demo / "search.html").as_uri())
    assert len(texts) > 300
    assert page.evaluate("(texts) => texts.map((text) => archiviste.terms(text))", texts) == [
        terms(text, "fr") for text in texts
    ]


def test_it_reads_without_a_script_at_all(browser: Browser, demo: Path) -> None:
    with watched(browser, home=demo.as_uri(), java_script_enabled=False) as page:
        page.goto((demo / "index.html").as_uri())
        page.locator(".categories a").first.click()
        page.locator(".topics a").first.click()
        expect(page.locator("article.post").first).to_be_visible()
        page.goto((demo / "search.html").as_uri())
        expect(page.locator("noscript .notice")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), SCREENS.values(), ids=SCREENS)
def test_nothing_is_wider_than_the_screen(browser: Browser, demo: Path, width: int, height: int) -> None:
    topics = sorted((demo / "t").iterdir(), key=lambda path: int(path.name))
    with watched(browser, home=demo.as_uri(), width=width, height=height) as page:
        for path in (demo / "index.html", demo / "search.html", *(found / "1.html" for found in topics[:8])):
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_a_topic_of_2700_messages_is_read_by_pages(browser: Browser, tmp_path: Path) -> None:
    items = [Site("Forum", "https://forum.exemple"), replace(topic(7, "Le grand fil", category=None), slug="fil")]
    linked = '<p><a href="https://forum.exemple/t/fil/7/2650">là</a> <a href="/t/autre/99/1">perdu</a></p>'
    for n in range(1, LONG + 1):
        made = post(n, f"Message de rang {n}.", topic_id=7, number=n)
        items.append(replace(made, cooked=linked) if n == 1 else made)
    save(tmp_path / "data", items)
    folder = exported(tmp_path / "data", tmp_path)
    assert len(list((folder / "t" / "7").iterdir())) == LONG / 50
    with watched(browser, home=folder.as_uri()) as page:
        page.goto((folder / "t" / "7" / "1.html").as_uri())
        assert page.get_by_text("perdu", exact=True).get_attribute("href") is None
        page.get_by_role("link", name="là").click()
        expect(page.locator("#post_2650")).to_be_in_viewport()
        page.locator(".pager a[rel=next]").first.click()
        expect(page.locator("#post_2651")).to_be_visible()
        search(page, "rang 1234")
        page.locator(".results a").first.click()
        expect(page.locator("#post_1234")).to_be_in_viewport()


def test_a_hostile_forum_runs_nothing_from_the_disk(browser: Browser, tmp_path: Path) -> None:
    data = every_page.build(tmp_path / "data", HOSTILE)
    folder = exported(data, tmp_path)
    with watched(browser, home=folder.as_uri()) as page:
        for path in sorted(folder.rglob("*.html")):
            page.goto(path.as_uri())
            assert harm(page) == [], path
            assert page.locator(f"main :is({NEVER})").count() == 0, path
        search(page, every_page.WORD)
        expect(page.locator(".results li").first).to_contain_text("<img src=x")
        assert harm(page) == []
        assert page.locator(f"main :is({NEVER})").count() == 0
