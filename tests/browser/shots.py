"""Pictures of every journey, on a desktop and a phone, in light and dark: `python -m tests.browser.shots FOLDER`."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from app import cli
from tests.browser import journeys, long_topic
from tests.browser.backups import few_questions, long_dump
from tests.browser.chromium import PROGRAM, QUIET, SCREENS, settle, watched
from tests.browser.server import running

LOOKS = [(screen, scheme) for screen in SCREENS for scheme in ("light", "dark")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", help="names of journeys")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=QUIET)
        for name, journey in _journeys(Path(scratch)).items():
            if not given.only or name in given.only:
                journey(browser, given.folder)
        browser.close()


def _journeys(scratch: Path) -> dict[str, Callable[[Browser, Path], None]]:
    def empty(walk: Callable[[Page, str, journeys.Shoot], object]) -> Callable[[Browser, Path], None]:
        """Each look on an archive of its own that is empty at first."""

        def make(browser: Browser, folder: Path) -> None:
            for look in LOOKS:
                with tempfile.TemporaryDirectory(dir=scratch) as data, running(Path(data)) as site:
                    _walk(browser, site, folder, look, walk)

        return make

    def on(build: Callable[[], Path], walk: Callable[[Page, str, journeys.Shoot], object]) -> Callable[..., None]:
        """Every look on the same archive."""

        def make(browser: Browser, folder: Path) -> None:
            with running(build()) as site:
                for look in LOOKS:
                    _walk(browser, site, folder, look, walk)

        return make

    def demo() -> Path:
        folder = scratch / "demo"
        if not folder.exists():
            assert cli.run(["--data", str(folder), "demo"], {}) == 0
        return folder

    def long() -> Path:
        return long_topic.build(scratch / "long")

    def wrong(page: Page, site: str, shoot: journeys.Shoot) -> None:
        file = scratch / "vacances.sql"
        file.write_bytes(b"\xff\xd8\xff" * 5000)
        journeys.wrong_file(page, site, file, shoot)

    def stopped(page: Page, site: str, shoot: journeys.Shoot) -> None:
        sent = scratch / "sent"
        if not sent.exists():
            sent.mkdir()
            long_dump(sent)
        journeys.stopped_import(page, site, next(sent.glob("*.sql")), shoot)

    def compared(page: Page, site: str, shoot: journeys.Shoot) -> None:
        journeys.compared_runs(page, site, few_questions(scratch), shoot)

    return {
        "first": empty(journeys.first_answer), "wrong": empty(wrong), "import": empty(stopped),
        "ask": on(demo, journeys.cited_answer), "compare": on(demo, compared),
        "long": on(long, journeys.long_thread),
    }  # fmt: skip


def _walk(
    browser: Browser, site: str, folder: Path, look: tuple[str, str],
    walk: Callable[[Page, str, journeys.Shoot], object],
) -> None:  # fmt: skip
    screen, scheme = look
    width, height = SCREENS[screen]
    phone = screen == "phone"
    with watched(browser, width=width, height=height, scheme=scheme, is_mobile=phone, has_touch=phone) as page:

        def shoot(name: str) -> None:
            settle(page)
            page.screenshot(path=folder / f"{name}-{screen}-{scheme}.png", animations="disabled")
            print(f"{name}-{screen}-{scheme}.png")

        walk(page, site, shoot)


if __name__ == "__main__":
    main()
