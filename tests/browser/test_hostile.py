"""A hostile archive on every page: nothing of it runs, nothing is asked of the network, its words are shown as words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import every_page
from tests.browser.chromium import settle, watched
from tests.browser.server import running

pytestmark = pytest.mark.browser

MESSAGE = """
<p>Avant τα φρένα</p><script>window.hacked = 1; alert("xss")</script><img src=x onerror="window.hacked = 2">
<img src="http://pixel.exemple/espion.png" alt="photo"><svg/onload="window.hacked = 3"></svg>
<iframe src="javascript:parent.hacked = 4"></iframe><a href="javascript:window.hacked = 5">piège</a>
<details open ontoggle="window.hacked = 6"><summary>s</summary>t</details>
<p>{{constructor.constructor('window.hacked = 7')()}} ${window.hacked = 8} `</p>
<p onclick="window.hacked = 9" id="contenu" style="position:fixed;inset:0">recouvre</p>
<a href="data:text/html,<script>alert(1)</script>" onclick="window.hacked = 10">lien</a><style>*{display:none}</style>
</textarea></script><script>fetch('//arnaque.exemple')</script>"><iframe srcdoc="<script>parent.hacked=11</script>"></iframe>
<form action="http://arnaque.exemple"><button>ok</button></form><base href="http://arnaque.exemple">
<math><mtext><table><mglyph><style><img src=x onerror="window.hacked = 12"></style></mglyph></table></mtext></math>
<p>Après</p>
"""


def words(n: int, mark: str) -> str:
    """A short text that would run in an element, in an attribute, in a template of Vue, in a script or as Markdown."""
    return (
        f"{mark}\"'><img src=x onerror=window.hacked={n}>{{{{constructor.constructor('window.hacked={n}')()}}}}"
        f"`${{window.hacked={n}}}`</script><script>window.hacked={n}</script>[x](javascript:window.hacked={n})"
    )


HOSTILE = every_page.Words(
    site=words(21, "Forum"), titles=(words(22, "Φρένα"), words(23, "Φρένα")), category=words(24, "Atelier"),
    tag="\"'><img src=x onerror=window.hacked=25>{{window.hacked=25}}",
    member="\"'><img src=x onerror=window.hacked=26>{{window.hacked=26}}", name=words(27, "Alice"),
    texts=lambda n: (words(28, "Φρένα"), MESSAGE),
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(every_page.build(tmp_path_factory.mktemp("hostile"), HOSTILE)) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched(browser) as opened:
        yield opened


def harm(page: Page) -> object:
    """What a message has managed to do, or tried so that only the browser's policy stopped it."""
    return page.evaluate("[window.hacked, window.refused].flat().filter(Boolean)")


def test_no_page_runs_anything_of_the_archive(page: Page, site: str) -> None:
    for address in every_page.addresses(HOSTILE):
        page.goto(site + address)
        settle(page)
        for told in page.locator("main [title]:visible").all()[:5]:
            told.hover()
        assert harm(page) == [], address


def test_the_words_of_a_hostile_message_are_shown(page: Page, site: str) -> None:
    page.goto(f"{site}/t/un/1/1")
    body = page.locator("#message-1 .post-body")
    expect(body).to_contain_text("Avant")
    expect(body).to_contain_text("Après")
    expect(body).to_contain_text("{{constructor.constructor")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=window.hacked=22>{{constructor")
    for trap in ("piège", "recouvre", "lien"):
        body.get_by_text(trap, exact=True).click()
    kept = ":is(img, script, svg, iframe, style, form, base, [style], [id], [onclick], [ontoggle])"
    assert page.locator(f".post-body {kept}").count() == 0
    page.locator("#message-1").get_by_role("button", name="Citer").click()
    assert harm(page) == []


def test_the_sentry_sees_what_runs(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "trap.html").write_text("<img src=data:, onerror=window.hacked=2>", "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "trap.html").as_uri())
    page.wait_for_function("window.hacked === 2")
    page.close()
