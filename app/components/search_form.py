"""The search box of every page, and the results that it shows while one types.

A plain HTML form that sends a GET: the address can be shared, and it works before the socket is connected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nicegui import run, ui

from engine import Hit

from ..i18n import date_short
from ..i18n import gettext as _
from .markup import box, link, text

SEARCH_CHARS = 300
FEWEST = 2  # characters: one letter finds everything and nothing
# Waits for a pause of 200 ms: only the last of several strokes asks the server.
_PAUSE = """(event) => {
    const field = event.target;
    clearTimeout(field.pause);
    field.pause = setTimeout(() => emit(field.value), 200);
}"""
_LEAVE = """(event) => {
    if (event.key === 'ArrowDown') {
        const first = event.target.form.querySelector('.instant a');
        if (first) { event.preventDefault(); first.focus(); }
    }
    if (event.key === 'Escape' && event.target.value) { event.preventDefault(); emit(''); }
}"""

Find = Callable[[str], Sequence[Hit]]


def search_form(
    query: str = "",
    *,
    kept: Mapping[str, str] | None = None,
    classes: str = "search",
    find: Find | None = None,
) -> ui.element:
    """A one-line box that leads to the results, and its field. The key `/` goes to it.

    `kept` is sent with the words. `find` gives some results at once for what is being typed; it is called in a thread.
    """
    with box("form", classes, action="/chercher", method="get", role="search"):
        field = box(
            "input", "field", type="search", name="q", maxlength=SEARCH_CHARS, autocomplete="off",
            placeholder=_("Search the archive"), aria_label=_("Search the archive"),
        )  # fmt: skip
        # Not `value`: Vue would write it again over what is being typed, at any update of the page.
        field.props["defaultValue"] = query
        for name, value in (kept or {}).items():
            box("input", type="hidden", name=name).props["defaultValue"] = value
        text(_("Search"), "button", "button quiet", type="submit")
        if find is not None:
            _instant(field, find)
    return field


def _instant(field: ui.element, find: Find) -> None:
    """A list under the field, above what follows: the page does not move."""
    panel = box("div", "instant", role="region", aria_label=_("First results"))
    panel.set_visibility(False)
    latest = 0

    async def typed(said: str) -> None:
        nonlocal latest
        latest += 1
        mine, words = latest, " ".join(said.split())[:SEARCH_CHARS]
        hits: Sequence[Hit] | None = ()
        if len(words) >= FEWEST:
            # Asked again in the thread: what was typed since makes this search useless before it starts.
            hits = await run.io_bound(lambda: find(words) if mine == latest else ())
        if hits is None or mine != latest or panel.is_deleted:
            return
        panel.clear()
        panel.set_visibility(bool(hits))
        with panel, box("ul"):
            for hit in hits:
                with box("li"), link("", hit.path):
                    text(hit.title, "span", "instant-title")
                    text(f"{hit.author}, {date_short(hit.created_at)}", "span", "instant-facts")

    field.on("input", lambda event: typed(str(event.args)), js_handler=_PAUSE)
    field.on("keydown", lambda event: typed(str(event.args)), js_handler=_LEAVE)
