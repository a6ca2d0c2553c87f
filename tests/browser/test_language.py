"""Nothing on the screen is a default of NiceGUI or Quasar in English, shown or waiting to be shown."""

from __future__ import annotations

import pytest
from nicegui.translations import translations
from playwright.sync_api import Browser

from tests import every_page
from tests.browser.chromium import settle, watched

pytestmark = pytest.mark.browser

# Every text of the document that is no script and no style, and every attribute that is shown or read out.
ALL_SAID = """() => {
    const said = [document.title];
    const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (!walk.currentNode.parentElement.closest('script, style')) said.push(walk.currentNode.data);
    for (const one of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
        said.push(...['aria-label', 'title', 'placeholder', 'alt'].map((name) => one.getAttribute(name) ?? ''));
    return said.map((text) => text.trim()).filter(Boolean);
}"""


def test_what_comes_with_the_libraries_is_in_french(browser: Browser, greek_site: str) -> None:
    english = {said.strip(".") for said in translations["en-US"].values()}
    with watched(browser) as page:
        for address in ("/", "/chercher", "/t/long/2/30", every_page.NOWHERE):
            page.goto(greek_site + address)
            settle(page)
            assert page.evaluate("document.documentElement.lang") == "fr"
            assert page.evaluate("Quasar.lang.getLocale() && Quasar.lang.props.isoName") == "fr"
            said = page.evaluate(ALL_SAID)
            assert not [text for text in said if any(default in text for default in english)]
        assert any("Connexion perdue" in text for text in said), "what is said when the server is gone"
