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


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points whose both coordinates are in 0-1."""

    label: str
    points: Sequence[tuple[float, float]]


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


def curves(
    lines: Sequence[Curve], *, x: str, y: str, number: Callable[[float], str], marks: Sequence[float] = ()
) -> str:
    """Lines in a unit square, their labels beside it; `marks` are values of x shown by a dashed line."""
    left, top, side = 50.0, 30.0, 330.0
    bottom, legend = top + side, left + side + 20

    def place(*points: tuple[float, float]) -> str:
        return " ".join(f"{left + across * side:.1f},{bottom - up * side:.1f}" for across, up in points)

    parts = [f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" stroke="#999"/>']
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts.append(_text(left + tick * side, bottom + 16, number(tick), anchor="middle"))
        parts.append(_text(left - 8, bottom - tick * side + 4, number(tick), anchor="end"))
    parts += [_line(place((mark, 0), (mark, 1)), "#999", 1, "4 4") for mark in marks]
    for n, line in enumerate(lines):
        color, dashes = COLORS[n % len(COLORS)], "6 3" if n >= len(COLORS) else ""
        middle = top + 13 + n * ROW
        parts.append(_line(place(*line.points), color, 2, dashes))
        parts.append(_line(f"{legend},{middle} {legend + 22},{middle}", color, 3, dashes))
        parts.append(_text(legend + 30, middle + 4, line.label))
    parts.append(_text(left + side / 2, bottom + 36, x, anchor="middle"))
    parts.append(_text(left - 40, top - 14, y))
    return _svg(bottom + 46, parts)


def standalone(chart: str) -> str:
    """A chart of this module as a file of its own, on white."""
    opened, rest = chart.split(">", 1)
    style = "<style>text { font: 12px system-ui, sans-serif; fill: #222 }</style>"
    return f'{opened} xmlns="http://www.w3.org/2000/svg">{style}<rect width="100%" height="100%" fill="#fff"/>{rest}\n'


def _rect(x: float, y: float, width: float, height: float, color: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>'


def _line(points: str, color: str, width: int, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}"{dashed}/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _svg(height: float, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img">{"".join(parts)}</svg>'
