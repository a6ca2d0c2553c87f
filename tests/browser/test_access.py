"""Coming in with a passphrase, in a real Chromium: without script, from another site, and until one is sent away."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.app.access.visitor import MODERATOR, READER, Visitor, set_passphrases
from tests.browser.chromium import settle, watched
from tests.browser.server import running

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shared_site(demo_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that is open to the network."""
    data = tmp_path_factory.mktemp("shared") / "data"
    shutil.copytree(demo_data, data)
    set_passphrases(data)
    with running(data, "--lan") as address:
        yield address


@pytest.fixture
def other_site(shared_site: str) -> Iterator[str]:
    """A page of another site (localhost is not 127.0.0.1) with a link to ours, and a form that posts to it."""
    page = f"""<a href="{shared_site}/chercher?q=pneu">lien</a>
        <form method="post" action="{shared_site}/sortir"><button>piège</button></form>""".encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_said: object) -> None:
            """Quiet."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_the_passphrase_lets_in_and_being_sent_away_closes_the_page(browser: Browser, shared_site: str) -> None:
    with watched(browser) as page:
        page.goto(f"{shared_site}/entrer")
        expect(page.get_by_label("Phrase de passe")).to_be_focused()
        page.get_by_label("Phrase de passe").fill(MODERATOR)
        with page.expect_navigation():
            page.get_by_role("button", name="Entrer").click()
        page.goto(f"{shared_site}/chercher?q=pneu")
        expect(page.locator("li.result").first).to_be_visible(timeout=20_000)
        page.goto(f"{shared_site}/reglages/acces")
        expect(page.locator(".address img").first).to_be_visible()
        settle(page)
    context = browser.new_context(locale="fr-FR")  # refusals are errors of the console
    page = context.new_page()
    page.goto(f"{shared_site}/reglages/acces")
    page.get_by_label("Phrase de passe").fill("une phrase qui est fausse")
    page.get_by_role("button", name="Entrer").click()
    expect(page.get_by_role("alert")).to_contain_text("n’est pas la bonne")
    page.get_by_label("Phrase de passe").fill(MODERATOR)
    page.get_by_role("button", name="Entrer").click()
    expect(page).to_have_url(f"{shared_site}/reglages/acces")
    page.get_by_role("button", name="Mettre fin à toutes les sessions").click()
    expect(page.get_by_label("Phrase de passe", exact=True)).to_be_visible(timeout=20_000)
    context.close()


def test_without_any_script_one_can_come_in_and_leave(browser: Browser, shared_site: str) -> None:
    context = browser.new_context(java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto(f"{shared_site}/sortir")
    # Where nobody is known a page leads on by itself: it is not waited for until it is whole.
    page.goto(f"{shared_site}/", wait_until="commit")
    page.get_by_label("Phrase de passe").fill(READER)
    page.get_by_role("button", name="Entrer").click()
    expect(page).to_have_url(f"{shared_site}/")
    page.goto(f"{shared_site}/reglages/acces", wait_until="commit")
    expect(page.get_by_role("heading", name="Pour les modérateurs")).to_be_visible()
    page.goto(f"{shared_site}/sortir")
    page.get_by_role("button", name="Se déconnecter").click(no_wait_after=True)
    expect(page.get_by_label("Phrase de passe")).to_be_visible()
    page.goto(f"{shared_site}/", wait_until="commit")
    expect(page.get_by_label("Phrase de passe")).to_be_visible()
    context.close()


def test_a_link_of_another_site_finds_the_session_and_its_forms_do_nothing(
    browser: Browser, shared_site: str, other_site: str
) -> None:
    visitor = Visitor(shared_site)
    assert visitor.enter(READER).status_code == 303
    context = browser.new_context(locale="fr-FR")
    context.add_cookies(
        [{"name": "archiviste", "value": visitor.token, "url": shared_site, "httpOnly": True, "sameSite": "Strict"}]
    )
    page = context.new_page()
    page.goto(other_site)
    page.get_by_text("piège").click()
    expect(page.locator("body")).to_contain_text("n’est pas celle de ce serveur")
    page.goto(other_site)
    page.get_by_text("lien").click()
    expect(page).to_have_url(f"{shared_site}/chercher?q=pneu", timeout=20_000)
    expect(page.locator("li.result").first).to_be_visible(timeout=20_000)
    context.close()
