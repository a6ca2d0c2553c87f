"""The Chromium of the browser tests, and the archives that their servers hold."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests import every_page
from tests.browser import long_topic
from tests.browser.chromium import PROGRAM, QUIET
from tests.browser.server import running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # A module's, not the session's: Playwright keeps an event loop running, and no asynchronous test could follow.
    assert Path(PROGRAM).exists(), "make test installs it: apt-get install chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=PROGRAM, args=QUIET)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def greek_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on the small Greek archive."""
    with running(every_page.build(tmp_path_factory.mktemp("greek"))) as address:
        yield address


@pytest.fixture(scope="session")
def demo_site(demo_data: Path) -> Iterator[str]:
    """A server on the demo forum."""
    with running(demo_data) as address:
        yield address


@pytest.fixture(scope="session")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on the topic of 2,700 messages."""
    with running(long_topic.build(tmp_path_factory.mktemp("long"))) as address:
        yield address


@pytest.fixture
def own_demo(demo_data: Path, tmp_path: Path) -> Iterator[str]:
    """A server on a copy of the demo forum, for what writes to it."""
    shutil.copytree(demo_data, tmp_path / "data")
    with running(tmp_path / "data") as address:
        yield address
