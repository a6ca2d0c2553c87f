"""One journey in a real Chromium, on a real server: ask, follow a citation, search, read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import SCREENS, watched
from tests.browser.server import ROOT

pytestmark = pytest.mark.browser

QUESTION = "Quels lots de la jante R-28C sont concernés par le rappel ?"


@pytest.fixture(params=SCREENS)
def screen(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(browser: Browser, screen: str) -> Iterator[Page]:
    """A page that fails its test when it asks the network for anything, or logs an error."""
    width, height = SCREENS[screen]
    phone = screen == "phone"
    with watched(browser, width=width, height=height, is_mobile=phone, has_touch=phone) as opened:
        yield opened


@pytest.fixture
def shoot(page: Page, screen: str, tmp_path: Path):
    """A function that keeps a picture of the page, at the repository's root when it is asked for."""
    folder = ROOT / ".screenshots" if os.environ.get("ARCHIVISTE_SCREENSHOTS") == "1" else tmp_path

    def keep(name: str) -> None:
        folder.mkdir(exist_ok=True)
        page.screenshot(path=folder / f"{name}-{screen}.png")
        _assert_fits(page)

    return keep


def _assert_fits(page: Page) -> None:
    """Nothing sticks out sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_ask_follow_the_citation_search_and_read(page: Page, demo_site: str, shoot) -> None:
    # 1. Ask, with the keyboard.
    page.goto(demo_site)
    expect(page.get_by_role("heading", name="Interroger l’archive")).to_be_visible()
    shoot("start")
    box = page.get_by_label("Votre question")
    box.fill(QUESTION)
    box.press("Enter")
    expect(page.get_by_role("heading", name="Extraits de l’archive")).to_be_visible(timeout=20_000)
    assert QUESTION.split()[0] in page.url
    expect(page.locator(".answer")).to_contain_text("7K-0200")
    shoot("answer")
    # 2. The address can be shared: it gives the same answer again.
    page.reload()
    expect(page.locator(".answer")).to_contain_text("7K-0200", timeout=20_000)
    # 3. The citation opens its message beside the answer; Esc closes it, and the focus is back on the citation.
    chip = page.locator("a.chip").first
    chip.click()
    target = page.locator("article.is-target")
    expect(target).to_contain_text("7K-0200")
    expect(target).to_be_in_viewport()
    shoot("beside")
    page.keyboard.press("Escape")
    expect(target).to_be_hidden()
    expect(chip).to_be_focused()
    # 4. From there, the whole topic opens on that message, highlighted and in sight.
    chip.click()
    page.locator(".context > a.button").click()
    expect(page).to_have_url(re.compile(r"/t/[^/]+/\d+/\d+$"))  # first: the panel of the page before has a target too
    expect(target).to_contain_text("7K-0200")
    expect(target).to_be_in_viewport()
    shoot("topic")
    # 5. Search, from any page: `/` goes to the box.
    page.keyboard.press("/")
    expect(page.get_by_label("Rechercher dans l’archive")).to_be_focused()
    page.keyboard.type("usure chaîne")
    page.keyboard.press("Enter")
    expect(page.locator("li.result").first).to_be_visible(timeout=20_000)
    expect(page.locator("mark").first).to_be_visible()
    shoot("search")
    page.get_by_role("link", name="Mots exacts").click()
    expect(page.locator("li.result").first).to_be_visible(timeout=20_000)
    page.locator("li.result a").first.click()
    expect(page.locator("article.is-target")).to_be_in_viewport()


def test_what_is_typed_is_never_overwritten_by_an_update(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}/demander?q={quote(QUESTION)}")
    box = page.get_by_label("Votre question")
    box.fill("Une autre question")
    expect(page.get_by_role("heading", name="Extraits de l’archive")).to_be_visible(timeout=20_000)
    expect(box).to_have_value("Une autre question")


def test_the_dark_theme_is_kept(page: Page, demo_site: str, shoot) -> None:
    page.goto(demo_site)
    knob = page.locator("button.theme")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    knob.click()
    expect(knob).to_have_attribute("aria-label", re.compile("clair"))
    knob.click()
    expect(knob).to_have_attribute("aria-label", re.compile("sombre"))
    page.goto(f"{demo_site}/chercher")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).not_to_have_css("background-color", light)
    shoot("dark")
