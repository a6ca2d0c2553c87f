"""Searching in a real Chromium: results under the box while one types, and the drawing of time as a filter."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import settle, watched

pytestmark = pytest.mark.browser


def test_results_show_while_one_types_and_the_page_does_not_move(browser: Browser, demo_site: str) -> None:
    with watched(browser) as page:
        page.goto(f"{demo_site}/chercher")
        settle(page)
        below = page.locator(".operators")
        before = below.bounding_box()
        field = page.locator("main input[type=search]")
        field.press_sequentially("pincement", delay=20)
        expect(page.locator(".instant li").first).to_be_visible(timeout=20_000)
        assert below.bounding_box() == before
        field.press("ArrowDown")
        expect(page.locator(".instant a").first).to_be_focused()
        field.focus()
        field.press("Escape")
        expect(page.locator(".instant li")).to_have_count(0, timeout=20_000)
        field.press("Enter")
        expect(page.locator("li.result").first).to_be_visible(timeout=20_000)
        expect(page).to_have_url(re.compile(r"/chercher\?q=pincement$"))


def test_a_click_anywhere_in_the_column_of_a_year_keeps_that_year(browser: Browser, demo_site: str) -> None:
    with watched(browser) as page:
        page.goto(f"{demo_site}/chercher?q=roue&mode=exact")
        settle(page)
        bars = page.locator(".bars")
        expect(bars.locator("svg text").last).to_be_visible(timeout=20_000)
        size = bars.bounding_box()
        assert size is not None
        # High above most bars: the column is what is clicked.
        bars.click(position={"x": size["width"] * 0.6, "y": size["height"] * 0.2})
        conditions = page.locator(".condition")
        expect(conditions).to_have_count(2, timeout=20_000)
        conditions.first.click()
        expect(conditions).to_have_count(1, timeout=20_000)
