"""A run written down: the JSON document with every condition and question, a Markdown report, an HTML one."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator
from pathlib import Path

from ..errors import StoreError
from .charts import Interval, bars, intervals
from .document import whole
from .matrix import Run
from .scoring import Level, means
from .tables import Table, Words, changes, compared, conditions, configurations, figures, tags

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem }
table { border-collapse: collapse; margin: 0 0 1.5rem; font-size: .9rem; display: block; overflow-x: auto }
th, td { border: 1px solid #ccc; padding: .25rem .6rem; text-align: left } thead th { background: #f2f2f2 }
svg { width: 100%; height: auto; margin-bottom: 1.5rem } svg text { font: 12px system-ui, sans-serif; fill: #222 }
"""


def reserve(folder: Path) -> Path:
    """The folder of the reports, made before anything is measured. Raises StoreError when it can't be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(path=str(folder), reason="reports") from error
    if not os.access(folder, os.W_OK):
        raise StoreError(path=str(folder), reason="reports")
    return folder


def write(run: Run, folder: Path, words: Words) -> tuple[Path, Path, Path]:
    """Write evaluation-DATE.json, .md and .html into a folder, and say where. Raises StoreError."""
    stem = f"evaluation-{run.at:%Y%m%dT%H%M%SZ}"
    texts = {
        "json": json.dumps(whole(run), ensure_ascii=False, indent=1) + "\n",
        "md": markdown(run, words),
        "html": page(run, words),
    }
    paths = [folder / f"{stem}.{kind}" for kind in texts]
    try:
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, "utf-8")
    except OSError as error:
        raise StoreError(path=str(folder), reason="reports") from error
    return paths[0], paths[1], paths[2]


def markdown(run: Run, words: Words) -> str:
    """The report as Markdown."""
    _ = words.say
    lines = ["# " + _("Evaluation of the search"), ""]
    for table in _tables(run, words):
        lines += [f"## {_cell(table.title)}", ""]
        lines.append("| " + " | ".join(map(_cell, table.header)) + " |")
        lines.append("|" + " --- |" * len(table.header))
        lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
        lines.append("")
    return "\n".join([*lines, _("* the interval leaves zero out"), ""])


def page(run: Run, words: Words) -> str:
    """The report as one HTML file with its charts inside; no script, nothing fetched."""
    _ = words.say
    title = html.escape(_("Evaluation of the search"))
    body = [f"<h1>{title}</h1>"]
    for heading, chart in _charts(run, words):
        body += [f"<h2>{html.escape(heading)}</h2>", chart]
    for table in _tables(run, words):
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.header)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in table.rows)
        body.append(f"<h2>{html.escape(table.title)}</h2>")
        body.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    body.append("<p>" + html.escape(_("* the interval leaves zero out")) + "</p>")
    head = f'<meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
    return f"<!doctype html>\n<html><head>{head}</head><body>\n" + "\n".join(body) + "\n</body></html>\n"


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


def _cell(text: str) -> str:
    """The text of a Markdown cell: the archive's words stay words."""
    plain = " ".join(text.split())
    for mark in "\\|`<[*_":
        plain = plain.replace(mark, "\\" + mark)
    return plain
