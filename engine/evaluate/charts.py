"""Small charts as inline SVG: no script, no font, nothing fetched."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

WIDTH, LABEL, ROW, BAR = 720, 190, 26, 16
COLORS = ("#0e76bd", "#f7941d", "#652d90", "#3ab54a")


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference with its interval."""

    label: str
    low: float
    value: float
    high: float


def bars(
    series: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]], *, top: float, number: Callable[[float], str]
) -> str:
    """Horizontal bars, one a series for each row, from 0 to `top`; a legend names the series."""
    scale = (WIDTH - LABEL - 70) / (top or 1.0)
    parts: list[str] = []
    y = 24.0
    for n, name in enumerate(series):
        x = LABEL + n * 170
        parts.append(_rect(x, 4, 10, 10, COLORS[n % len(COLORS)]) + _text(x + 16, 13, name))
    for label, values in rows:
        parts.append(_text(LABEL - 8, y + BAR * len(values) / 2 + 4, label, anchor="end"))
        for n, value in enumerate(values):
            width = max(value, 0.0) * scale
            parts.append(_rect(LABEL, y, width, BAR - 3, COLORS[n % len(COLORS)]))
            parts.append(_text(LABEL + width + 6, y + BAR - 5, number(value)))
            y += BAR
        y += ROW - BAR
    return _svg(y, parts)


def intervals(rows: Sequence[Interval], *, number: Callable[[float], str]) -> str:
    """One line an interval around its value, on an axis with zero marked."""
    reach = max((abs(end) for row in rows for end in (row.low, row.high)), default=0.0) or 1.0
    left, right = LABEL + 60, WIDTH - 70
    middle = (left + right) / 2

    def place(value: float) -> float:
        return middle + value / reach * (right - left) / 2

    height = 10 + ROW * len(rows)
    parts = [f'<line x1="{middle:.1f}" y1="2" x2="{middle:.1f}" y2="{height}" stroke="#999" stroke-dasharray="3 3"/>']
    for n, row in enumerate(rows):
        y = 18 + ROW * n
        sure = row.low > 0 or row.high < 0
        color = COLORS[0] if sure else "#888"
        parts.append(_text(left - 8, y + 4, row.label, anchor="end"))
        parts.append(
            f'<line x1="{place(row.low):.1f}" y1="{y}" x2="{place(row.high):.1f}" y2="{y}" stroke="{color}"'
            ' stroke-width="3"/>'
        )
        parts.append(f'<circle cx="{place(row.value):.1f}" cy="{y}" r="5" fill="{color}"/>')
        parts.append(_text(right + 8, y + 4, number(row.value)))
    return _svg(height, parts)


def _rect(x: float, y: float, width: float, height: float, color: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _svg(height: float, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img">{"".join(parts)}</svg>'
