"""Nothing on the screen is a default of NiceGUI or Quasar in English, shown or waiting to be shown."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path

import nicegui
import pytest
from nicegui import error
from nicegui.translations import translations
from playwright.sync_api import Browser, Page

from tests import every_page
from tests.browser.chromium import settle, watched

pytestmark = pytest.mark.browser

# Every text of the document that is no script and no style, and every attribute that is shown or read out.
ALL_SAID = """() => {
    const said = [document.title];
    const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (!walk.currentNode.parentElement.closest('script, style')) said.push(walk.currentNode.data);
    const names = ['aria-label', 'aria-roledescription', 'aria-valuetext', 'title', 'placeholder', 'alt', 'label'];
    for (const one of document.querySelectorAll(names.map((name) => `[${name}]`).join()))
        said.push(...names.map((name) => one.getAttribute(name) ?? ''));
    return said.map((text) => text.trim()).filter(Boolean);
}"""
_PLACE = Path(nicegui.__file__).parent
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# What ECharts says of a drawing to a screen reader when nobody else does.
_OF_CHARTS = ("This is a chart", "The data is as follows")


@cache
def english() -> frozenset[str]:
    """What the libraries say when they are not told otherwise: Quasar's pack, NiceGUI's sentences and error pages."""
    packs = [_strings(_PLACE / "static" / "lang" / f"{name}.umd.prod.js") for name in ("en-US", "fr")]
    pages = re.findall(r"title = [\"'](.+?)[\"']$", inspect.getsource(error), re.MULTILINE)
    first = re.search(r'id="esm-fallback">(.+?)</div>', (_PLACE / "templates" / "index.html").read_text("utf-8"))
    assert first and len(pages) == 3
    said = {*translations["en-US"].values(), *pages, *re.split(r"<br ?/>", first[1]), *_OF_CHARTS}
    return frozenset(text.strip().rstrip(".:") for text in {*said, *(packs[0] - packs[1])} if text.strip())


def _strings(pack: Path) -> set[str]:
    return set(_STRING.findall(pack.read_text("utf-8")))


def in_english(page: Page) -> list[str]:
    """What of the page is such a word, or holds such a sentence."""
    sentences = [text for text in english() if " " in text]
    return [
        said
        for said in page.evaluate(ALL_SAID)
        if said.rstrip(".:") in english() or any(sentence in said for sentence in sentences)
    ]


def test_what_comes_with_the_libraries_is_in_french(browser: Browser, greek_site: str) -> None:
    assert {"No data available", "Records per page", "Server error", "Connection lost", "Search"} <= english()
    found = []
    with watched(browser) as page:
        for address in every_page.distinct_addresses():
            page.goto(greek_site + address)
            settle(page)
            found += [f"{address}  {said}" for said in in_english(page)]
            if page.evaluate("!!document.getElementById('app')"):
                assert page.evaluate("document.documentElement.lang") == "fr"
                assert page.evaluate("Quasar.lang.getLocale() && Quasar.lang.props.isoName") == "fr"
                assert any("Connexion perdue" in said for said in page.evaluate(ALL_SAID)), "when the server is gone"
    assert not found, "\n".join(found)


def test_without_script_the_page_says_so_in_french(browser: Browser, greek_site: str) -> None:
    context = browser.new_context(java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto(greek_site)
    shown = page.locator("#esm-fallback")
    assert shown.evaluate("(one) => getComputedStyle(one).fontSize") == "0px"
    assert "navigateur" in shown.evaluate("(one) => getComputedStyle(one, '::after').content")
    assert shown.evaluate("(one) => getComputedStyle(one, '::after').fontSize") != "0px"
    context.close()


def test_english_is_seen(browser: Browser) -> None:
    with watched(browser) as page:
        page.set_content("<title>x</title><p>Search</p><input placeholder='No data available'><p>Rechercher</p>")
        assert in_english(page) == ["Search", "No data available"]
