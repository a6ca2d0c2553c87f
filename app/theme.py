"""The frame of every page: header, search box, navigation, main part, footer, light or dark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import nicegui
from nicegui import ui

from .components.markup import box, button, link, text
from .components.search_form import search_form
from .i18n import date_long, ngettext, number
from .i18n import gettext as _
from .resources import resource
from .state import Facts, State

STYLE = ("assets", "css", "archiviste.css")
MAIN_ID: Final = "contenu"
_THEMES: Final = ("auto", "light", "dark")
_DARK: Final = {"auto": None, "light": False, "dark": True}  # as NiceGUI wants it


def install() -> None:
    """Serve our sheet and link it from every page; once, when the pages are registered."""
    # Not the rest of assets: the demo holds topics that are private on purpose.
    for folder in ("css", "icons"):
        nicegui.app.add_static_files(f"/assets/{folder}", resource("assets", folder))
    stamp = int(resource(*STYLE).stat().st_mtime)
    ui.add_head_html(f'<link rel="stylesheet" href="/{"/".join(STYLE)}?v={stamp}">', shared=True)


@contextmanager
def frame(state: State, title: str, *, here: str = "", query: str = "", search: bool = True) -> Iterator[None]:
    """What surrounds a page. `here` is the tab that the page belongs to; `search` shows the header's box."""
    facts = state.facts()
    ui.page_title(f"{title} – {facts.title}" if title else facts.title)
    link(_("Skip to the content"), f"#{MAIN_ID}", "skip")
    with box("header", "top"), box("div", "top-inner"):
        link(facts.title, "/", "home")
        if search:
            search_form(query)
        with box("nav", "nav", aria_label=_("Main navigation")):
            _tab(_("Ask"), "/", here)
            _tab(_("Search"), "/chercher", here)
            _theme_button()
    with box("main", "page", id=MAIN_ID, tabindex=-1):
        yield
    with box("footer", "bottom"):
        text(_footer(facts), "p")


def _tab(said: str, target: str, here: str) -> None:
    current = {"aria_current": "page"} if here == target else {}
    link(said, target, "tab", **current)


def _footer(facts: Facts) -> str:
    size = _("{posts}, {topics}").format(
        posts=ngettext("{n} message", "{n} messages", facts.posts).format(n=number(facts.posts)),
        topics=ngettext("{n} topic", "{n} topics", facts.topics).format(n=number(facts.topics)),
    )
    if facts.updated_at is None:
        return size
    return _("{size} – archive of {date}").format(size=size, date=date_long(facts.updated_at))


def _theme_button() -> None:
    """Goes round automatic, light and dark; the choice is kept for this browser."""
    names = {"auto": _("automatic"), "light": _("light"), "dark": _("dark")}
    symbols = {"auto": "◐", "light": "☀", "dark": "☾"}
    kept = nicegui.app.storage.user.get("theme")
    chosen = kept if kept in _THEMES else "auto"
    dark = ui.dark_mode(_DARK[chosen])
    # In the head as well, so that the first paint already has the chosen colours.
    ui.add_head_html(f"<script>document.documentElement.dataset.theme = '{chosen}'</script>")

    def label(theme: str) -> str:
        return _("Theme: {name}").format(name=names[theme])

    def turn() -> None:
        nonlocal chosen
        chosen = _THEMES[(_THEMES.index(chosen) + 1) % len(_THEMES)]
        nicegui.app.storage.user["theme"] = chosen
        dark.value = _DARK[chosen]
        ui.run_javascript(f"document.documentElement.dataset.theme = '{chosen}'")
        knob.text = symbols[chosen]
        knob.props["title"] = knob.props["aria-label"] = label(chosen)

    knob = button(symbols[chosen], turn, "theme", title=label(chosen), aria_label=label(chosen))
