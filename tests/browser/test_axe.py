"""axe-core in every page: no barrier that it calls serious or critical, on a desktop in light and a phone in dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests import every_page
from tests.browser.chromium import SCREENS, settle, watched
from tests.browser.server import ROOT

pytestmark = pytest.mark.browser

AXE = ROOT / "build" / "npm" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async () => {
    const found = await axe.run(document, { resultTypes: ['violations'], preload: false });
    return found.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map(
        (one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    assert AXE.exists(), "make test installs it, from npm"
    return AXE.read_text("utf-8")


def barriers(page: Page, axe: str) -> list[str]:
    page.evaluate(axe)  # not a script element: axe is no part of the page
    return page.evaluate(RUN)


def test_no_page_has_a_serious_barrier_and_each_fits_its_screen(browser: Browser, greek_site: str, axe: str) -> None:
    found = []
    with watched(browser) as page:
        for address in every_page.distinct_addresses():
            page.goto(greek_site + address)
            settle(page)
            for screen, scheme in (("desktop", "light"), ("phone", "dark")):
                width, height = SCREENS[screen]
                page.set_viewport_size({"width": width, "height": height})
                page.emulate_media(color_scheme=scheme)
                found += [f"{address} ({screen}, {scheme})  {one}" for one in barriers(page, axe)]
                if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                    found.append(f"{address} ({screen})  sticks out sideways")
    assert not found, "\n".join(found)


def test_a_barrier_is_seen(browser: Browser, axe: str, tmp_path: Path) -> None:
    with watched(browser) as page:
        page.set_content("<html lang='fr'><title>x</title><main><h1>x</h1><img src='data:,'><input></main></html>")
        assert {one.split(":")[0] for one in barriers(page, axe)} >= {"image-alt", "label"}
