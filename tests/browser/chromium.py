"""A Chromium whose pages are watched: they may ask nothing of the network, log no error, open no dialog, run no script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

PROGRAM = "/usr/bin/chromium"
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
SCREENS = {"desktop": (1366, 768), "phone": (390, 844)}
# What a hostile message calls, and what the browser tells when it refused to.
_SENTRY = """
window.hacked = undefined;
window.refused = [];
document.addEventListener('securitypolicyviolation', (event) => window.refused.push(event.violatedDirective));
"""


@contextmanager
def watched(
    browser: Browser,
    *,
    width: int = 1366,
    height: int = 768,
    scheme: str = "light",
    home: str = "",
    **options: Any,
) -> Iterator[Page]:
    """A page in a fresh profile; the block fails at its end when it has done what no page of ours may do.

    It may ask this machine, or only for what begins with `home`.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale="fr-FR", color_scheme=scheme, **options
    )
    context.add_init_script(_SENTRY)
    wrong: list[str] = []
    page = context.new_page()
    page.on("request", lambda sent: None if _is_local(sent.url, home) else wrong.append(f"asked {sent.url}"))
    page.on(
        "console", lambda said: wrong.append(said.text) if said.type == "error" and not _is_404(said.text) else None
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(f"said {dialog.message}"), dialog.dismiss()))
    try:
        yield page
    finally:
        context.close()
    assert not wrong


def settle(page: Page) -> None:
    """Wait until the page is there, connected, and has what it was waiting for."""
    page.wait_for_function("window.did_handshake === true || !document.getElementById('app')")
    page.wait_for_function("!document.querySelector('[aria-busy=true]')")


def _is_local(url: str, home: str) -> bool:
    if home:
        return url.startswith(home)
    return url.startswith(("data:", "blob:", "about:")) or urlsplit(url).hostname == "127.0.0.1"


def _is_404(said: str) -> bool:
    """The page of what does not exist is meant to be one."""
    return "status of 404" in said
