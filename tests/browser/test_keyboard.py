"""The whole application without a mouse: every page is walked through by Tab, and the journeys are made by keys alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import every_page
from tests.browser.chromium import settle, watched

pytestmark = pytest.mark.browser

STEPS = 90  # of Tab in one page: long pages are walked through in part
QUESTION = "Quels lots de la jante R-28C sont concernés par le rappel ?"
# What has the focus: whether it can be seen there, and what it is, for the one who reads the failure.
FOCUS = """async () => {
    const here = document.activeElement;
    if (!here || here === document.body) return null;
    const style = getComputedStyle(here);
    const marked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none';
    const isInside = () => {
        const seen = here.getBoundingClientRect();
        return seen.bottom > 0 && seen.top < innerHeight && seen.right > 0 && seen.left < innerWidth;
    };
    // What comes into the page in that very frame may have pushed it out, until the next.
    for (let frames = 0; frames < 10 && !isInside(); frames += 1) await new Promise(requestAnimationFrame);
    const inside = isInside();
    here.dataset.walked = (Number(here.dataset.walked) || 0) + 1;
    return { what: here.outerHTML.slice(0, 140), marked, inside, again: here.dataset.walked > 1 };
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched(browser) as opened:
        yield opened


def test_tab_goes_through_every_page_and_shows_where_it_is(page: Page, greek_site: str) -> None:
    wrong = []
    for address in every_page.distinct_addresses():
        page.goto(greek_site + address)
        settle(page)
        page.evaluate("document.activeElement.blur()")
        walked = 0
        for _ in range(STEPS):
            page.keyboard.press("Tab")
            focus = page.evaluate(FOCUS)
            if focus is None or focus["again"]:
                break
            walked += 1
            if not focus["marked"] or not focus["inside"]:
                wrong.append(f"{address}  {focus}")
        assert walked > 1, address
    assert not wrong, "\n".join(wrong)


def test_the_first_key_leads_to_the_content(page: Page, greek_site: str) -> None:
    page.goto(f"{greek_site}/chercher")
    settle(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Aller au contenu")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main#contenu")).to_be_focused()


def test_ask_and_read_the_source(page: Page, demo_site: str) -> None:
    page.goto(demo_site)
    expect(page.get_by_label("Votre question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("a.chip").first).to_be_visible(timeout=20_000)
    _tab_to(page, "a.chip")
    page.keyboard.press("Enter")
    expect(page.locator(".context article.is-target")).to_be_in_viewport()
    _tab_to(page, ".context > a.button")
    page.keyboard.press("Enter")
    expect(page.locator(".posts article.is-target")).to_be_in_viewport()
    settle(page)
    _tab_to(page, ".post-actions button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Citation copiée")).to_be_attached()
    page.go_back()  # the browser’s own key, which a headless one lacks
    expect(page.locator("a.chip").first).to_be_visible(timeout=20_000)


def test_search_choose_and_read(page: Page, demo_site: str) -> None:
    page.goto(demo_site)
    settle(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    page.keyboard.type("usure chaîne")
    page.keyboard.press("Enter")
    expect(page.locator(".result-list > li").first).to_be_visible(timeout=20_000)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".result-list > li").nth(1).locator("a").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("article.is-target")).to_be_in_viewport()


def test_jump_in_a_topic_and_come_back(page: Page, greek_site: str) -> None:
    page.goto(f"{greek_site}/t/long/2/30")
    settle(page)
    page.locator("#message-30").focus()
    _tab_to(page, "#message-30 a.reply-to")
    page.keyboard.press("Enter")
    expect(page.locator("#message-1")).to_be_focused()
    back = page.locator("button.return")
    _tab_to(page, "button.return", backwards=True)
    expect(back).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#message-30")).to_be_focused()


def test_the_help_opens_and_closes(page: Page, greek_site: str) -> None:
    page.goto(f"{greek_site}/chercher")
    settle(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def _tab_to(page: Page, selector: str, *, backwards: bool = False) -> None:
    """Press Tab until an element of this kind has the focus."""
    for _ in range(STEPS):
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached")
