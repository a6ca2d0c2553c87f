"""One journey in a real Chromium, on a real server: ask, follow a citation, search, read; and hostile posts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from engine import build_index, build_settings
from tests.browser.server import ROOT, running
from tests.factories import FREINS, SITE, WORD_MODELS, post, save, topic

pytestmark = pytest.mark.browser

CHROMIUM = "/usr/bin/chromium"
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
SCREENS = {"desktop": (1366, 768), "phone": (390, 844)}
QUESTION = "Quels lots de la jante R-28C sont concernés par le rappel ?"
LONG = 2_700  # messages, as the longest topics of the reference forum

HOSTILE = """
<p>Avant</p><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">
<img src="http://pixel.exemple/espion.png" alt="photo"><svg/onload="window.hacked = 3"></svg>
<iframe src="javascript:parent.hacked = 4"></iframe><a href="javascript:window.hacked = 5">piège</a>
<details open ontoggle="window.hacked = 6"><summary>s</summary>t</details>
<p>{{constructor.constructor('window.hacked = 7')()}} ${window.hacked = 8} `</p>
<p onclick="window.hacked = 9" id="contenu" style="position:fixed;inset:0">recouvre</p><p>Après</p>
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no {CHROMIUM} on this machine")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def demo_site(demo_data: Path) -> Iterator[str]:
    with running(demo_data) as address:
        yield address


@pytest.fixture(scope="module")
def odd_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose archive holds a hostile message, a hostile title and a very long topic."""
    folder = tmp_path_factory.mktemp("odd")
    title = "<img src=x onerror=window.hacked=10> {{7*7}} `${window.hacked=11}`"
    nasty = replace(post(1, "Avant piège recouvre Après", topic_id=1, by="dan"), cooked=HOSTILE)
    items = [
        SITE,
        FREINS,
        replace(topic(1, title, category=2), slug="piege"),
        topic(7, "Le grand fil", category=2),
        nasty,
    ]
    items += [post(1000 + n, f"Message de rang {n}, bien long.", topic_id=7, number=n) for n in range(1, LONG + 1)]
    save(folder, items)
    build_index(build_settings(folder), WORD_MODELS)
    with running(folder) as address:
        yield address


@pytest.fixture(params=SCREENS)
def screen(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(browser: Browser, screen: str) -> Iterator[Page]:
    """A page that fails its test when it asks the network for anything, or logs an error."""
    width, height = SCREENS[screen]
    phone = screen == "phone"
    context = browser.new_context(
        viewport={"width": width, "height": height},
        locale="fr-FR",
        color_scheme="light",
        is_mobile=phone,
        has_touch=phone,
    )
    strangers: list[str] = []
    errors: list[str] = []
    opened = context.new_page()
    opened.on("request", lambda sent: strangers.append(sent.url) if not _is_local(sent.url) else None)
    opened.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert not strangers
    assert not errors


def _is_local(url: str) -> bool:
    return url.startswith(("data:", "blob:", "about:")) or urlsplit(url).hostname == "127.0.0.1"


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
    # 3. The citation leads to its message, highlighted and in sight.
    page.locator("a.chip").first.click()
    target = page.locator("article.is-target")
    expect(target).to_contain_text("7K-0200")
    expect(target).to_be_in_viewport()
    assert re.search(r"/t/[^/]+/\d+/\d+$", page.url)
    shoot("topic")
    # 4. Search, from any page: `/` goes to the box.
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
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    shoot("dark")


def test_a_hostile_message_runs_nothing_and_fetches_nothing(page: Page, odd_site: str, shoot) -> None:
    page.goto(f"{odd_site}/t/piege/1/1")
    body = page.locator(".post-body")
    expect(body).to_contain_text("Après")
    expect(body).to_contain_text("{{constructor.constructor")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=window.hacked=10> {{7*7}}")
    page.get_by_text("piège", exact=True).click()
    page.get_by_text("recouvre", exact=True).click()
    assert page.locator(".post-body :is(img, script, svg, iframe, [style], [id], [onclick], [ontoggle])").count() == 0
    shoot("hostile")
    page.goto(f"{odd_site}/chercher?q=recouvre")
    expect(page.locator("li.result").first).to_be_visible(timeout=20_000)
    page.goto(f"{odd_site}/demander?q=recouvre")
    expect(page.locator("li.source").first).to_be_visible(timeout=20_000)
    assert page.evaluate("window.hacked") is None


def test_a_topic_of_2700_messages_is_read_from_its_middle(page: Page, odd_site: str) -> None:
    page.goto(f"{odd_site}/t/le-grand-fil/7/1350")
    expect(page.locator("#message-1350")).to_be_in_viewport()
    assert page.locator("article").count() == 20
    for last in range(1384, 1500, 20):
        page.get_by_role("button", name="Messages suivants").click()
        expect(page.locator(f"#message-{last}")).to_be_attached()
    assert page.locator("article").count() <= 100
    first = int(page.locator("article").first.get_attribute("id").removeprefix("message-"))
    page.get_by_role("button", name="Messages précédents").click()
    expect(page.locator(f"#message-{first - 1}")).to_be_attached()
    expect(page.locator(f"#message-{first}")).to_be_in_viewport()
    assert page.locator("article").count() <= 100
