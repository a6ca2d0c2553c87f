"""How long people wait in front of the pages, in a real Chromium. `make bench-ui DATA=folder`.

    python -m tests.bench.ui DATA [--only PART…] [--times 11] [--sleep 45] [--questions queries.yml]

A copy of the data folder is served, and none of it is in the memory of the system before the first page is asked for.
Every figure is the median of `--times` visits, each by a page that has seen the style sheets before, as a reader's has;
counted from the moment the address is asked for (Enter) to the frame that shows what is awaited.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.bench import ui_answer, ui_pages, ui_tabs
from tests.bench.ui_marks import Row
from tests.browser.chromium import PROGRAM, QUIET
from tests.browser.server import running
from tests.engine.models.chat_server import serving

PARTS = ("first", "search", "topic", "browse", "stream", "sleep", "tabs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data folder of an indexed archive; it is copied")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--times", type=int, default=11, help="visits of each page (11)")
    parser.add_argument("--sleep", type=float, default=45, help="seconds during which the browser sleeps (45)")
    parser.add_argument("--tabs", type=int, default=50, help="open tabs (50)")
    parser.add_argument("--rounds", type=int, default=20, help="pages that each tab opens (20)")
    parser.add_argument("--questions", type=Path, help="questions in YAML (queries.yml of the data folder)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.data.absolute().parent) as folder:
        data = Path(folder) / "data"
        shutil.copytree(given.data, data)
        archive = ui_pages.known(data, given.questions)
        print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python "
              f"{platform.python_version()}, {time.strftime('%Y-%m-%d')}; {archive.posts} posts; Chromium, 1366×768")  # fmt: skip
        print(f"{'':<58}{'median':>9} {'longest':>9}   target")
        _forget(data)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=PROGRAM, args=QUIET)
            for parts in (("first", "search", "topic", "browse", "tabs"), ("stream", "sleep")):
                if wanted := [part for part in parts if part in given.only]:
                    _measure(browser, data, wanted, given, archive)
            browser.close()


def _measure(
    browser: Browser, data: Path, parts: list[str], given: argparse.Namespace, archive: ui_pages.Known
) -> None:
    """These parts, on a server of their own."""
    with serving(ui_answer.speak) as model:
        environ: Mapping[str, str] = {"ARCHIVISTE_LLM_URL": model.url} if {"stream", "sleep"} & set(parts) else {}
        began = time.perf_counter()
        with running(data, environ=environ) as site:
            if "first" in parts:
                _print([Row("start of the server, to its first page", [time.perf_counter() - began], "s")])
            for part in parts:
                match part:
                    case "first":
                        _print(ui_pages.first(browser, site, archive))
                    case "search":
                        _print(ui_pages.search(browser, site, archive, given.times))
                    case "topic":
                        _print(ui_pages.topic(browser, site, archive, given.times))
                    case "browse":
                        _print(ui_pages.browse(browser, site, archive, given.times))
                    case "stream":
                        _print(ui_answer.stream(browser, site, archive.questions[0]))
                    case "sleep":
                        _print(ui_answer.sleep(browser, site, archive.questions[1], given.sleep, model))
                    case "tabs":
                        _print(ui_tabs.hour(browser, site, archive, given.tabs, given.rounds))


def _print(rows: Iterable[Row]) -> None:
    for row in rows:
        print(row, flush=True)


def _forget(folder: Path) -> None:
    """Nothing of these files is kept in memory: the first page reads the disk, as after a start of the computer."""
    os.sync()
    for path in folder.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDONLY)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


if __name__ == "__main__":
    main()
