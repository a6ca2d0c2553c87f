"""A run written down: the JSON document with every condition and question, a Markdown report, an HTML one."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path

from . import layout
from .charts import Interval, bars, intervals
from .document import whole
from .layout import reserve as reserve
from .matrix import Run
from .scoring import Level, means
from .tables import Table, Words, changes, compared, conditions, configurations, figures, tags


def write(run: Run, folder: Path, words: Words) -> tuple[Path, ...]:
    """Write evaluation-DATE.json, .md and .html into a folder, and say where. Raises StoreError."""
    stem = f"evaluation-{run.at:%Y%m%dT%H%M%SZ}"
    texts = {
        "json": json.dumps(whole(run), ensure_ascii=False, indent=1) + "\n",
        "md": markdown(run, words),
        "html": page(run, words),
    }
    return layout.write(folder, stem, texts)


def markdown(run: Run, words: Words) -> str:
    """The report as Markdown."""
    _ = words.say
    lines = ["# " + _("Evaluation of the search"), ""]
    for table in _tables(run, words):
        lines += layout.markdown_table(table)
    return "\n".join([*lines, _("* the interval leaves zero out"), ""])


def page(run: Run, words: Words) -> str:
    """The report as one HTML file with its charts inside; no script, nothing fetched."""
    _ = words.say
    body = []
    for heading, chart in _charts(run, words):
        body += [f"<h2>{html.escape(heading)}</h2>", chart]
    body += map(layout.html_table, _tables(run, words))
    body.append("<p>" + html.escape(_("* the interval leaves zero out")) + "</p>")
    return layout.page(_("Evaluation of the search"), body)


def _tables(run: Run, words: Words) -> Iterator[Table]:
    yield configurations(run, words)
    yield from figures(run, words)
    yield from tags(run, words)
    for comparison in run.comparisons:
        if (table := changes(run, comparison, words)) is not None:
            yield table
    yield conditions(run, words)


def _charts(run: Run, words: Words) -> Iterator[tuple[str, str]]:
    _ = words.say

    def number(value: float) -> str:
        return words.number(value, 3)

    for level, title in ((Level.TOPIC, _("By topic")), (Level.POST, _("By message"))):
        found = [(r.config.name, means(r.scored, level)[1]) for r in run.results]
        rows = [(name, (f["hit@5"], f["mrr@10"])) for name, f in found if f]
        if rows:
            yield title, bars(("Hit@5", "MRR@10"), rows, top=1.0, number=number)
    spent = [(r.config.name, r.latency_ms["search"]) for r in run.results if "search" in r.latency_ms]
    if spent:
        top = max(p95 for _name, (_p50, p95) in spent)
        yield _("Milliseconds, p50 / p95"), bars(("p50", "p95"), spent, top=top, number=lambda v: words.number(v, 1))
    drawn = [
        Interval(compared(c, words), d.low, d.delta, d.high)
        for c in run.comparisons
        for d in c.differences
        if d.measure != "hit@5"
    ]
    if drawn:
        yield _("Differences of MRR@10 and of what is read, paired bootstrap"), intervals(drawn, number=number)
