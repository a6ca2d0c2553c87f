"""Many open tabs that go from page to page: what the server's memory is at first and at the end."""

from __future__ import annotations

import itertools
import time
from urllib.parse import quote

import psutil
from playwright.sync_api import Browser

from tests.bench.ui_marks import PATIENCE_MS, Row
from tests.bench.ui_pages import Known

WARM = 0.1  # of the visits, after which memory is first read, and no sooner than each tab has opened two pages


def hour(browser: Browser, site: str, archive: Known, tabs: int, rounds: int) -> list[Row]:
    """So many tabs each open so many pages, one after the other without a pause: the visits of an hour."""
    server = _server(int(site.rpartition(":")[2]))
    began, total = time.perf_counter(), tabs * rounds
    held: list[float] = []
    addresses = _addresses(archive)
    context = browser.new_context(viewport={"width": 1366, "height": 768}, locale="fr-FR")
    pages = [context.new_page() for _ in range(tabs)]
    for n in range(total):
        page = pages[n % tabs]
        page.goto(site + next(addresses), wait_until="commit", timeout=PATIENCE_MS)
        page.wait_for_function(
            "window.did_handshake === true && !document.querySelector('[aria-busy=true]')", timeout=PATIENCE_MS
        )
        held.append(server.memory_info().rss / 1e6)
    context.close()
    warm = min(max(int(total * WARM), 2 * tabs), total - 1)
    after = held[warm:]
    told = f"{after[0]:.0f} MB after {warm} of {total} visits, {max(after):.0f} MB at most"
    took_s = time.perf_counter() - began
    return [
        Row("memory of the server, at the end over at first", [after[-1] / after[0] * 100], "%", "≤ 120", told),
        Row(f"{tabs} tabs, {rounds} pages each: a visit", [took_s / total]),
    ]


def _addresses(archive: Known) -> itertools.cycle[str]:
    """What people open: searches and topics most, lists, sometimes a question."""
    searches = [f"/chercher?q={quote(words)}" for words in archive.searches[:40]]
    topics = [f"{archive.long_topic.rpartition('/')[0]}/{n}" for n in range(2, archive.long_posts, 61)]
    lists = ["/", "/parcourir", archive.category, archive.tag, archive.author, "/sujets", "/auteurs"]
    questions = [f"/demander?q={quote(question)}" for question in archive.questions[:10]]
    visits = zip(itertools.cycle(searches), itertools.cycle(topics), itertools.cycle(lists), itertools.cycle(searches),
                 itertools.cycle(topics), itertools.cycle(questions))  # fmt: skip
    return itertools.cycle(itertools.chain.from_iterable(itertools.islice(visits, 200)))


def _server(port: int) -> psutil.Process:
    """The process that serves the pages at this port of this machine."""
    wanted = f"--port {port}"
    children = psutil.Process().children(recursive=True)
    return next(one for one in children if wanted in " ".join(one.cmdline()))
