"""What a page of Chromium notes of itself while it loads: when each thing could first be seen, and how far it jumped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from playwright.sync_api import Browser, Page

PATIENCE_MS: Final = 180_000  # the first search of all opens the indexes, which a busy disk makes long
# What is awaited, as a test in the page; it counts from the frame in which it is first true.
SEEN: Final[Mapping[str, str]] = {
    "results": "document.querySelector('li.result')",
    "whole": "document.querySelector('.results[aria-busy=false] li.result')",
    "target": """(() => { const top = document.querySelector('article.is-target')?.getBoundingClientRect().top;
        return top >= 0 && top < innerHeight; })()""",
    "page": "document.querySelector('main h1') && !document.querySelector('[aria-busy=true]')",
    "overview": "document.querySelector('.overview[aria-busy=false]')",
    "linked": "document.querySelector('.linked .part[aria-busy=false]')",
    "answer": "document.querySelector('.answer-title')",
}
# A shift counts as Chromium's own measure of it does: not within half a second of what somebody did.
_NOTES: Final = """
window.seen = {};
window.shift = 0;
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: 'layout-shift', buffered: true });
{
    const tests = { %s };
    const look = () => {
        for (const [name, test] of Object.entries(tests))
            if (!(name in window.seen) && document.body && test()) window.seen[name] = performance.now();
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the report: several values of one figure."""

    name: str
    values: list[float]
    unit: str = "s"
    target: str = ""
    told: str = field(default="")

    def __str__(self) -> str:
        middle, longest = median(self.values), max(self.values)
        digits = 4 if not self.unit else 2 if self.unit == "s" else 0
        return (
            f"{self.name:<58}{middle:>8.{digits}f}{self.unit[:1]:<1} {longest:>8.{digits}f}{self.unit[:1]:<1}"
            f"   {self.target}{'  ' if self.told else ''}{self.told}"
        ).rstrip()


@contextmanager
def noting(browser: Browser, scripts: tuple[str, ...] = ()) -> Iterator[Page]:
    """A page that takes notes, in a profile of its own."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, locale="fr-FR")
    tests = ", ".join(f"{json.dumps(name)}: () => {test}" for name, test in SEEN.items())
    context.add_init_script(_NOTES % tests)
    for script in scripts:
        context.add_init_script(script)
    try:
        yield context.new_page()
    finally:
        context.close()


def when(page: Page, name: str) -> float:
    """Seconds from the moment this page was asked for until it showed this; waits for it."""
    page.wait_for_function(f"window.seen && {json.dumps(name)} in window.seen", timeout=PATIENCE_MS)
    return float(page.evaluate("(name) => window.seen[name] / 1000", name))


def jumped(page: Page) -> float:
    """How far it jumped so far: Chromium's cumulative layout shift."""
    return float(page.evaluate("window.shift"))
