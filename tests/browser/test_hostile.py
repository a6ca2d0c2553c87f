"""A hostile archive on every page: nothing of it runs, nothing is asked of the network, its words are shown as words."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Locator, Page, expect

from tests import every_page
from tests.browser.chromium import settle, watched
from tests.browser.server import running

pytestmark = pytest.mark.browser

MESSAGE = """
<p>-2+3 Avant, τα φρένα τρίζουν στη βροχή και θέλουν ρύθμιση {{window.hacked=31}} &lt;img src=x onerror=window.hacked=32&gt;.</p>
<script>window.hacked = 1; alert("xss")</script><img src=x onerror="window.hacked = 2">
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


ANSWERED = "Τα φρένα τρίζουν στη βροχή ;"
# What no message may bring along, wherever it is shown.
NEVER = "img[onerror], script, iframe, object, embed, form[action^=http], base, [onclick], [ontoggle], [onload], [onmouseover]"


def words(n: int, mark: str) -> str:
    """A short text that would run in an element, in an attribute, in a template of Vue, in a script or as Markdown."""
    return (
        f"{mark}\"'><img src=x onerror=window.hacked={n}>{{{{constructor.constructor('window.hacked={n}')()}}}}"
        f"`${{window.hacked={n}}}`</script><script>window.hacked={n}</script>[x](javascript:window.hacked={n})"
    )


HOSTILE = every_page.Words(
    site=words(21, "Forum"), titles=(words(22, "=1+1 Φρένα"), words(23, "@SUM(A1) Φρένα")),
    category=words(24, "+33 Atelier"),
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
        assert page.locator(f"main :is({NEVER})").count() == 0, address


def test_what_is_opened_by_a_hand_runs_nothing_either(page: Page, site: str) -> None:
    # 1. An answer: the quotation of each citation, then its message beside.
    ask(page, site)
    for chip in page.locator("a.chip").all():
        chip.hover()
        expect(page.locator(".quote:visible").first).to_contain_text("<img src=x onerror=window.hacked")
    page.locator("a.chip").first.click()
    expect(page.locator(".context article.is-target")).to_contain_text("{{constructor.constructor")
    assert harm(page) == []
    # 2. A search: while one types, why a result was found, the message that is expected.
    page.goto(f"{site}/chercher")
    settle(page)
    page.locator("main input[type=search]").press_sequentially(every_page.WORD)
    expect(page.locator(".instant li").first).to_contain_text("<img src=x")
    page.goto(f"{site}/chercher?q={quote(every_page.WORD)}")
    settle(page)
    page.locator("button.why").first.click()
    expect(page.locator(".reasons li").first).to_be_visible()
    assert harm(page) == []


def test_what_is_exported_runs_nothing_and_computes_nothing(page: Page, browser: Browser, site: str) -> None:
    ask(page, site)
    tools = page.locator(".answer-tools")
    answer = saved(page, tools.get_by_role("button", name="HTML"))
    texts = [saved(page, tools.get_by_role("button", name="Markdown"))]
    page.goto(f"{site}/chercher?q={quote(every_page.WORD)}")
    settle(page)
    page.locator("details.export summary").click()
    texts.append(saved(page, page.locator("details.export button").nth(1)))
    table = saved(page, page.locator("details.export button").nth(0))
    # 1. The table of a spreadsheet: nothing starts as a formula does.
    rows = list(csv.reader(io.StringIO(table.removeprefix("\ufeff"), newline=""), delimiter=";"))
    assert len(rows) > 20
    for row in rows[1:]:
        assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
        assert row[1].startswith(("'=1+1", "'@SUM")) and row[2].startswith("'+33") and row[6].startswith("'-2")
    # 2. The page, without the policy that it carries; the texts, in a reader of Markdown that lets HTML through.
    assert "Content-Security-Policy" in answer
    open_pages = [answer.replace("Content-Security-Policy", "x")]
    open_pages += [MarkdownIt("commonmark", {"html": True}).render(text) for text in texts]
    for document in open_pages:
        with watched(browser) as opened:
            opened.set_content(document)
            expect(opened.locator("body")).to_contain_text("{{constructor.constructor")
            assert opened.locator(f":is({NEVER})").count() == 0
            kinds = {"http://", "https://", "#source"}
            addresses = [link.get_attribute("href") or "" for link in opened.locator("a").all()]
            assert addresses and {address[:7] for address in addresses} <= {kind[:7] for kind in kinds}
            for link in opened.locator("a[href^='#']").all():
                link.click()
            assert harm(opened) == []


def ask(page: Page, site: str) -> None:
    """Ask, and wait for the answer."""
    page.goto(f"{site}/demander?q={quote(ANSWERED)}")
    expect(page.locator("a.chip").first).to_be_visible(timeout=20_000)


def saved(page: Page, button: Locator) -> str:
    """The text of the file that a button gives."""
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path()).read_text("utf-8")


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
    expect(page.locator(".reading-status")).not_to_be_empty()
    assert harm(page) == []


def test_the_sentry_sees_what_runs(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "trap.html").write_text("<img src=data:, onerror=window.hacked=2>", "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "trap.html").as_uri())
    page.wait_for_function("window.hacked === 2")
    page.close()
