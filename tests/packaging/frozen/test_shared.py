"""The bundle open to the network, and over a folder that a newer version has written."""

import sqlite3
import subprocess
from contextlib import closing

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.chromium import settle, watched
from tests.packaging.frozen.bundle import ENVIRONMENT, PROGRAM, SHOTS, end, of, start, until

MODERATOR, READER = "éclair pédale vernis âtre", "cadre selle guidon pompe"


def test_passphrases_let_in_and_the_page_of_access_draws_its_codes(data, port, browser):
    for role, phrase in (("moderator", MODERATOR), ("reader", READER)):
        done = _run(data, "access", "set", role, said=f"{phrase}\n")
        assert done.returncode == 0, done.stderr
    server = start(data, "serve", "--lan", "--port", port)
    address = f"http://127.0.0.1:{port}"
    until(lambda: _asks(port))
    with watched(browser) as tab:
        tab.goto(f"{address}/entrer")
        tab.get_by_label("Phrase de passe").fill(MODERATOR)
        tab.get_by_role("button", name="Entrer").click()
        tab.goto(f"{address}/reglages/acces")
        expect(tab.locator(".address img").first).to_be_visible()
        settle(tab)
        tab.screenshot(path=SHOTS / "frozen-access.png")
        tab.goto(f"{address}/a-propos")
        settle(tab)
        tab.screenshot(path=SHOTS / "frozen-about.png", full_page=True)
    end(server)
    until(lambda: not of(data))


@pytest.mark.parametrize("file", ["archive.db", "app.db"])
def test_a_folder_of_a_newer_version_is_refused_with_a_sentence_and_left_alone(data, port, file):
    with closing(sqlite3.connect(data / file)) as db:
        db.execute("PRAGMA user_version = 99")
    done = _run(data, "serve", "--port", port)
    print(done.stderr)
    assert done.returncode == 1
    assert "version plus récente" in done.stderr
    assert "Traceback" not in done.stderr
    with closing(sqlite3.connect(data / file)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (99,)
    assert not of(data)


def _run(data, *arguments, said=""):
    return subprocess.run(
        [str(PROGRAM), "--data", str(data), *arguments], input=said, capture_output=True, text=True, timeout=120,
        env=ENVIRONMENT,
    )  # fmt: skip


def _asks(port):
    """Whether the server is there, to whom nobody has given a passphrase yet."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", timeout=5, trust_env=False).status_code == 401
    except httpx.TransportError:
        return False
