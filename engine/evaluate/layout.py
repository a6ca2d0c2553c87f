"""How reports look: tables in Markdown and HTML, a page with its style inside, three files of one date."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import StoreError
from .tables import Table

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


def write(folder: Path, stem: str, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write one file a kind (json, md, html) into a folder, and say where. Raises StoreError."""
    paths = tuple(folder / f"{stem}.{kind}" for kind in texts)
    try:
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, "utf-8")
    except OSError as error:
        raise StoreError(path=str(folder), reason="reports") from error
    return paths


def markdown_table(table: Table) -> list[str]:
    """The lines of a heading and its table."""
    lines = [f"## {cell(table.title)}", "", "| " + " | ".join(map(cell, table.header)) + " |"]
    lines.append("|" + " --- |" * len(table.header))
    lines += ["| " + " | ".join(map(cell, row)) + " |" for row in table.rows]
    return [*lines, ""]


def html_table(table: Table) -> str:
    """A heading and its table."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in table.header)
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in table.rows)
    return f"<h2>{html.escape(table.title)}</h2>\n<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def page(title: str, body: Iterable[str], *, style: str = "") -> str:
    """A whole page around HTML that is safe already; no script, nothing fetched."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{html.escape(title)}</title><style>{_STYLE}{style}</style>"
    content = "\n".join([f"<h1>{html.escape(title)}</h1>", *body])
    return f"<!doctype html>\n<html><head>{head}</head><body>\n{content}\n</body></html>\n"


def cell(text: str) -> str:
    """The text of a Markdown cell: the archive's words stay words."""
    plain = " ".join(text.split())
    for mark in "\\|`<[*_":
        plain = plain.replace(mark, "\\" + mark)
    return plain
