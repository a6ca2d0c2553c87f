"""From an empty folder to a first cited answer in a browser, and out again: what somebody sees who installs Archiviste."""

import re
import time
from itertools import count

from playwright.sync_api import expect

from tests.browser.chromium import settle, watched
from tests.packaging.frozen.bundle import (
    LIMIT_S,
    SHOTS,
    assert_nothing_left,
    assert_starts_clean,
    family,
    of,
    page,
    start,
    until,
)

MOST_S = 120.0
READ_MS = 100_000  # the demo, on a busy machine


def test_from_the_first_start_to_a_first_cited_answer(browser, tmp_path, port):
    data = tmp_path / "Mes données"
    address = f"http://127.0.0.1:{port}"
    began = time.monotonic()
    server = start(data, "serve", "--port", port)
    until(lambda: page(port))
    print(f"the first page: {time.monotonic() - began:.1f} s")
    with watched(browser) as tab:
        shoot = _shooter(tab)
        # 1. An empty archive leads to the assistant, which names the demo.
        tab.goto(address)
        expect(tab.get_by_role("heading", name="Bienvenue dans Archiviste")).to_be_visible()
        settle(tab)
        shoot("source")
        tab.get_by_role("button", name="Choisir la démonstration").click()
        tab.get_by_role("button", name="Continuer").click()
        # 2. Models, and who may come: nothing has to be done.
        for name in ("modeles", "acces"):
            tab.wait_for_url(re.compile(f"etape={name}"))
            settle(tab)
            shoot(name)
            tab.get_by_role("button", name="Continuer").click()
        # 3. The demo is read while one looks on.
        tab.wait_for_url(re.compile("etape=lecture"))
        tab.get_by_role("button", name="Commencer").click()
        expect(tab.get_by_role("progressbar").first).to_be_visible(timeout=20_000)
        shoot("lecture")
        expect(tab.get_by_role("heading", name="L’archive est prête")).to_be_visible(timeout=READ_MS)
        shoot("ready")
        # 4. The first question that it offers has an answer, whose citation opens its message.
        tab.locator("a.example").first.click()
        expect(tab.locator(".answer a.chip").first).to_be_visible(timeout=60_000)
        seconds = time.monotonic() - began
        shoot("answer")
        tab.locator("a.chip").first.click()
        expect(tab.locator("article.is-target")).to_be_in_viewport()
        shoot("cited")
    print(f"the first cited answer: {seconds:.0f} s")
    assert seconds < MOST_S
    # 5. It is closed from its own page.
    everybody = family(of(data)["serve"])
    leaving = browser.new_page(locale="fr-FR")
    leaving.goto(f"{address}/reglages/quitter")
    leaving.get_by_role("button", name="Quitter Archiviste").click()
    expect(leaving.get_by_role("heading", name="Archiviste est fermé")).to_be_visible()
    leaving.screenshot(path=SHOTS / "first-run-closed.png")
    leaving.close()
    assert server.wait(LIMIT_S) == 0
    assert_nothing_left(data, everybody)
    assert_starts_clean(data, port)


def _shooter(tab):
    SHOTS.mkdir(exist_ok=True)
    numbers = count(1)

    def shoot(name):
        tab.screenshot(path=SHOTS / f"first-run-{next(numbers)}-{name}.png")

    return shoot
