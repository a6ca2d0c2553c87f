"""Drawings of time: bars that can be clicked, and a line the size of a word. Each says in words what it shows."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from ..i18n import language, ngettext, number
from .markup import box, link, text

YEAR_CHARS = 4
BARS_HEIGHT, LINE = 24.0, 100.0  # in the units of the line's own drawing
_LOCALE = {"fr": "fr-FR"}


def bars(labels: Sequence[str], counts: Sequence[int], addresses: Sequence[str], *, said: str) -> None:
    """A bar a period; a click leads to its address. `said` tells what it counts.

    A pointer's way to the same links as `period_list`, which must stand beside it for everybody else.
    """
    figure = f"(n) => Number(n).toLocaleString('{_LOCALE.get(language(), 'en')}')"
    soft = "var(--ink-soft)"  # a drawing in SVG follows the theme by itself
    # Long names at both ends need room: centred on their bars they would be cut at the edges.
    long = max(map(len, labels), default=0) > YEAR_CHARS
    ends = {"alignMinLabel": "left", "alignMaxLabel": "right"} if long else {}
    options = {
        "animation": False,
        "grid": {"left": 4, "right": 28 if long else 8, "top": 8, "bottom": 4, "containLabel": True},
        "textStyle": {"fontFamily": "inherit"},
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}, ":valueFormatter": figure},
        "xAxis": {
            "type": "category", "data": list(labels), "axisTick": {"show": False},
            "axisLine": {"lineStyle": {"color": "var(--line)"}},
            "axisLabel": {"color": soft, "hideOverlap": True, **ends},
        },
        "yAxis": {
            "type": "value", "minInterval": 1, "splitNumber": 3, "splitLine": {"lineStyle": {"color": "var(--line)"}},
            "axisLabel": {"color": soft, ":formatter": figure},
        },
        # No gap, but a border of the page's colour: what looks like a gap is not dead to a click.
        "series": [
            {
                "type": "bar", "data": list(counts), "barCategoryGap": "0%", "z": 3,
                "itemStyle": {"color": "var(--accent)", "borderColor": "var(--paper)", "borderWidth": 1.5},
                "emphasis": {"itemStyle": {"color": "var(--point)", "borderColor": "var(--paper)"}},
            },
            # Columns as high as the drawing, unseen: a low bar is as easy to click as a high one.
            {
                "type": "bar", "data": [max(counts, default=0)] * len(counts), "barGap": "-100%",
                "itemStyle": {"opacity": 0}, "emphasis": {"disabled": True}, "tooltip": {"show": False},
            },
        ],
    }  # fmt: skip
    chart = ui.echart(
        options, on_point_click=lambda event: ui.navigate.to(addresses[event.data_index]), renderer="svg"
    ).classes("bars")
    chart.props["role"], chart.props["aria-label"] = "img", said


def period_list(labels: Sequence[str], counts: Sequence[int], addresses: Sequence[str]) -> None:
    """The same figures as links, one a period that has any."""
    with box("ul", "periods"):
        for label, count, address in zip(labels, counts, addresses, strict=True):
            if count:
                with box("li"), link("", address, "facet"):
                    text(label, "span", "facet-name")
                    text(number(count), "span", "facet-count")


def sparkline(counts: Sequence[int], *, said: str) -> None:
    """The activity of a thing over time, as a shape; `said` tells it in words."""
    most = max(counts, default=0)
    step = LINE / max(1, len(counts) - 1)
    points = [(n * step, BARS_HEIGHT - 1 - (BARS_HEIGHT - 3) * count / max(1, most)) for n, count in enumerate(counts)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    # Numbers of ours and nothing else: there is nothing to sanitise, and the browser's sanitiser would be slow.
    drawing = (
        f'<svg viewBox="0 0 {LINE:.0f} {BARS_HEIGHT:.0f}" preserveAspectRatio="none" aria-hidden="true">'
        f'<polygon points="0,{BARS_HEIGHT} {line} {LINE},{BARS_HEIGHT}"/><polyline points="{line}"/></svg>'
    )
    with box("span", "sparkline", role="img", aria_label=said):
        ui.html(drawing, sanitize=False, tag="span")


def messages(count: int) -> str:
    """« 1 200 messages »."""
    return ngettext("{n} message", "{n} messages", count).format(n=number(count))
