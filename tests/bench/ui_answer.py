"""An answer that a model writes: how often the page follows it, and what a reader finds who slept meanwhile."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote

import psutil
from playwright.sync_api import Browser

from tests.bench.ui_marks import PATIENCE_MS, Row, noting, when
from tests.engine.models.chat_server import DONE, FaultyServer, Served, event

PIECES, PIECES_A_SECOND = 240, 20
WAKING_MS = 120_000
# Each time the answer's part changed: when, how long the draft was then (-1 when it has given way to the answer).
_CHANGES = """
window.changes = [];
new MutationObserver((all) => {
    const inside = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest('section.answer');
    if (!all.some((one) => inside(one.target))) return;
    const draft = document.querySelector('.answer .draft');
    window.changes.push([performance.now() / 1000, draft ? draft.textContent.length : -1]);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


def speak(served: Served) -> None:
    """A model of so many pieces a second, with a source at each sentence."""
    served.begin()
    for n in range(PIECES):
        served.chunk(event(f"mot{n}" + (" [[1]].\n\n" if n % 40 == 39 else " ")))
        if served.server.released.wait(1 / PIECES_A_SECOND):
            return
    served.chunk(event(finish="stop"))
    served.chunk(DONE)
    served.chunk(b"")


def stream(browser: Browser, site: str, question: str) -> list[Row]:
    """Updates of the page while it is written, and how often the finished answer is drawn."""
    with noting(browser, (_CHANGES,)) as page:
        page.goto(f"{site}/demander?q={quote(question)}", wait_until="commit")
        answered = when(page, "answer")
        page.wait_for_function("document.querySelector('.answer-tools')", timeout=PATIENCE_MS)
        changes: list[tuple[float, int]] = page.evaluate("window.changes")
    drafts = [(at, length) for at, length in changes if length > 0]
    drawn = sum(length < 0 for _at, length in changes)
    rate = (len(drafts) - 1) / (drafts[-1][0] - drafts[0][0])
    told = f"{PIECES} pieces, {PIECES_A_SECOND} a second"
    return [
        Row("answer: first words", [drafts[0][0]]),
        Row("answer: updates a second", [rate], "/", "5 to 10", told),
        Row("answer: the finished one drawn (times)", [drawn], "×", "1"),
        Row("answer: whole", [answered]),
    ]


def sleep(browser: Browser, site: str, question: str, seconds: float, model: FaultyServer) -> list[Row]:
    """The browser's processes stop while an answer is written, and go on after so many seconds."""
    asked = len(model.requests)
    with noting(browser, (_CHANGES,)) as page:
        page.goto(f"{site}/demander?q={quote(question)}", wait_until="commit")
        page.wait_for_function("window.changes.some(([, length]) => length > 0)", timeout=PATIENCE_MS)
        asleep = _browser()
        for process in asleep:
            process.suspend()
        time.sleep(seconds)  # that is the sleep
        for process in asleep:
            process.resume()
        woken = time.perf_counter()
        page.wait_for_function("document.querySelector('.answer-tools')", timeout=WAKING_MS)
        took_s = time.perf_counter() - woken
        shown = page.evaluate(
            """[document.querySelectorAll('.answer-title').length, document.querySelectorAll('.answer-tools').length,
                document.querySelectorAll('.draft').length, document.querySelector('.answer').textContent.split('mot0 ').length - 1]"""
        )
    told = f"asked of the model {len(model.requests) - asked} ×; titles, tools, drafts, texts on the page: {shown}"
    return [Row(f"answer after {seconds:.0f} s of sleep: shown", [took_s], "s", "once", told)]


def _browser() -> list[psutil.Process]:
    """The processes of the Chromium that this program started."""
    children: list[Any] = psutil.Process().children(recursive=True)
    return [one for one in children if "chrom" in one.name()]
