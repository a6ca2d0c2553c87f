"""Figures of a measure: tables, bars and intervals. Each value stands beside its bar, so that no colour is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.evaluate.charts import Interval
from engine.evaluate.tables import Table

from ..i18n import fixed
from .markup import box, text

DIGITS = 3


def figure_table(table: Table, *, heading: str = "h3") -> None:
    """A heading and its table, which scrolls by itself where it is too wide."""
    text(table.title, heading)
    with box("div", "table", tabindex=0, role="region", aria_label=table.title), box("table", "figure-table"):
        with box("thead"), box("tr"):
            for said in table.header:
                text(said, "th", scope="col")
        with box("tbody"):
            for first, *others in table.rows:
                with box("tr"):
                    text(first, "th", scope="row")
                    for cell in others:
                        text(cell, "td")


def bars(rows: Sequence[tuple[str, str, float]], *, top: float = 1.0, digits: int = DIGITS) -> None:
    """A bar a row from 0 to `top`: (what, measure, value); a row that names the same thing again is under it."""
    with box("ul", "measure-bars"):
        before = ""
        for what, measure, value in rows:
            with box("li", "" if what == before else "begins"):
                text(what, "span", "visually-hidden" if what == before else "bar-name")
                text(measure, "span", "bar-measure")
                with box("span", "bar-track", aria_hidden="true"):
                    share = max(0.0, min(1.0, value / top)) if top else 0.0
                    box("span", "bar-fill").style(f"width: {share * 100:.1f}%")
                text(fixed(value, digits), "span", "bar-value")
            before = what


def intervals(rows: Iterable[Interval]) -> None:
    """A line an interval around its value, with zero marked; one that leaves zero out is full, another is hollow."""
    shown = tuple(rows)
    reach = max((abs(end) for row in shown for end in (row.low, row.high)), default=0.0) or 1.0

    def place(value: float) -> float:
        return 50 + value / reach * 48

    with box("ul", "measure-bars intervals"):
        for row in shown:
            sure = row.low > 0 or row.high < 0
            with box("li", "sure" if sure else ""):
                text(row.label, "span", "bar-name")
                with box("span", "interval-track", aria_hidden="true"):
                    left, right = place(row.low), place(row.high)
                    box("span", "interval-range").style(f"left: {left:.1f}%; width: {max(right - left, 0.5):.1f}%")
                    box("span", "interval-point").style(f"left: {place(row.value):.1f}%")
                text(signed(row.value), "span", "bar-value")


def signed(value: float) -> str:
    """« +0,091 », « −0,004 »."""
    return ("+" if round(value, DIGITS) >= 0 else "−") + fixed(abs(value), DIGITS)
