"""A list of results as a file: CSV for a spreadsheet, Markdown for a text. Pure; texts of the archive are hostile.

CSV: UTF-8 with a mark at its start and semicolons, which is how a spreadsheet in French opens a file by a double click.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Final

from engine import Hit

from . import i18n
from .i18n import gettext as _

BOM: Final = "\ufeff"
# What a spreadsheet takes for the start of a formula, full-width forms too (OWASP, CSV Injection).
_FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&:@])")
_ADDRESS: Final = re.compile(r"[^A-Za-z0-9/:?=&%._~-]")


def as_csv(hits: Iterable[Hit]) -> bytes:
    """One line a result, below a line of names."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow([_("Rank"), _("Topic"), _("Category"), _("Author"), _("Date"), _("Address"), _("Excerpt")])
    for hit in hits:
        cells = (hit.title, hit.category, hit.author, hit.created_at.date().isoformat(), hit.url, hit.excerpt)
        writer.writerow([hit.rank, *map(cell, cells)])
    return (BOM + written.getvalue()).encode("utf-8", "replace")


def as_markdown(hits: Iterable[Hit], *, title: str) -> bytes:
    """A heading, then a numbered list of links with who, when and the piece that was found."""
    lines = [f"# {escaped(title)}", ""]
    for hit in hits:
        facts = (hit.author, i18n.date_long(hit.created_at), hit.category)
        lines += [
            f"{hit.rank}. [{escaped(hit.title)}](<{address(hit.url)}>)",
            "   " + " · ".join(escaped(fact) for fact in facts if fact),
            f"   > {escaped(hit.excerpt)}",
            "",
        ]
    return "\n".join(lines).encode("utf-8", "replace")


def cell(text: str) -> str:
    """The text on one line, which a spreadsheet shows and never computes."""
    line = _CONTROLS.sub(" ", text).strip()
    return f"'{line}" if line.startswith(_FORMULA) else line


def escaped(text: str) -> str:
    """The text on one line, without a mark that Markdown or HTML would read."""
    return _MARKS.sub(r"\\\1", " ".join(_CONTROLS.sub(" ", text).split()))


def address(url: str) -> str:
    """The address without a character that could end the link."""
    return _ADDRESS.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), url)
