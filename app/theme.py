"""The frame of every page: header with the search box, navigation, main part, footer, keyboard help, light or dark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import nicegui
from nicegui import ui

from . import replica_words
from .access.roles import LEAVE
from .components.markup import box, button, has_page, link, text
from .components.search_form import search_form
from .i18n import N_, date_long, ngettext, number
from .i18n import gettext as _
from .resources import resource
from .state import Facts, State

# The sheets of assets/css, in the order in which they are read: variables and frame first, then those of the pages.
STYLES: Final = (
    "archiviste.css", "ask.css", "settings.css", "topic.css", "access.css", "search.css", "browse.css", "archive.css",
    "measures.css", "capacity.css",
)  # fmt: skip
SCRIPTS: Final = ("keys.js", "ask.js", "topic.js", "receive.js", "session.js")  # of assets/js
BUILT_WITHIN_S: Final = 30.0  # for a page that reads first: NiceGUI gives up after 3, which a busy machine may need
MAIN_ID: Final = "contenu"
QUIT: Final = "/reglages/quitter"
_MENU_ID, _HELP_ID = "menu", "aide"
_COOKIE: Final = "theme"
_THEMES: Final = ("auto", "light", "dark")
_DARK: Final = {"auto": None, "light": False, "dark": True}  # as NiceGUI wants it


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the navigation; it shows once its page is registered. `icon` is a file of assets/icons."""

    path: str
    name: str
    icon: str
    group: str = "reader"  # or "moderator", or "foot"


NAVIGATION: Final = (
    Entry("/", N_("Ask"), "ask"),
    Entry("/chercher", N_("Search"), "search"),
    Entry("/parcourir", N_("Browse"), "browse"),
    Entry("/archive", N_("Archive"), "archive", "moderator"),
    Entry("/mesures", N_("Measures"), "measures", "moderator"),
    Entry("/reglages", N_("Settings"), "settings", "moderator"),
    Entry(QUIT, N_("Quit"), "quit", "moderator"),
    Entry("/a-propos", N_("About"), "about", "foot"),
)
# What assets/js/keys.js obeys, on every page: a page needs no key of its own for these.
KEYS: Final = (
    ("/", N_("go to the search box")),
    ("j", N_("next result")),
    ("k", N_("previous result")),
    ("↵", N_("open the chosen result")),
    (N_("Esc"), N_("close, or leave the box")),
    ("?", N_("this help")),
)


def install() -> None:
    """Serve our sheets and scripts and link them from every page; once, when the pages are registered."""
    # Not the rest of assets: the demo holds topics that are private on purpose.
    for folder in ("css", "icons", "js"):
        nicegui.app.add_static_files(f"/assets/{folder}", resource("assets", folder))
    # What NiceGUI says in English to a browser that lacks modules, or that is slow to fetch them.
    said = json.dumps(_("This browser can’t show the application. Update it, or use another one."), ensure_ascii=False)
    fallback = f"#esm-fallback {{ font-size: 0 }} #esm-fallback::after {{ font-size: 1rem; content: {said} }}"
    ui.add_head_html(f"<style>{fallback}</style>", shared=True)
    for name in STYLES:
        ui.add_head_html(f'<link rel="stylesheet" href="{_stamped("css", name)}">', shared=True)
    for name in SCRIPTS:
        ui.add_head_html(f'<script defer src="{_stamped("js", name)}"></script>', shared=True)


@contextmanager
def frame(
    state: State, title: str, *, here: str = "", query: str = "", search: bool = True, wide: bool = False
) -> Iterator[None]:
    """What surrounds a page. `here` is the entry of NAVIGATION that the page belongs to.

    `search` shows the header's box; `wide` gives the page the whole width rather than that of a text.
    """
    facts = state.facts_or_none()
    ui.page_title(f"{title} – {facts.title}" if title else facts.title)
    # NiceGUI's page is a `main` around everything, header included: ours is the one that counts.
    if (slot := ui.context.client.content.parent_slot) is not None:
        slot.parent.props["role"] = "presentation"
    link(_("Skip to the content"), f"#{MAIN_ID}", "skip")
    with box("header", "top"):
        link(facts.title, "/", "home")
        if search:
            search_form(query)
        with box("div", "knobs"):
            _help_button()
            _theme_button(state)
    with box("nav", "rail", aria_label=_("Main navigation")):
        _navigation(state, here)
    with box("main", "page wide" if wide else "page", id=MAIN_ID, tabindex=-1):
        if state.replica is not None and state.may("moderate"):
            for said in (replica_words.notice(state.replica), state.access.notice()):
                if said:
                    text(said, "p", "notice", role="status")
        yield
    with box("footer", "bottom"):
        text(_footer(facts), "p")
    _help()


def _stamped(folder: str, name: str) -> str:
    """The address of a file of ours, another one when the file changes."""
    return f"/assets/{folder}/{name}?v={int(resource('assets', folder, name).stat().st_mtime)}"


def _navigation(state: State, here: str) -> None:
    """A column; on a phone a bar of the readers' pages, with the others in a menu that the browser opens and closes."""
    shown = [entry for entry in NAVIGATION if has_page(entry.path)]
    with box("ul", "rail-list"):
        for entry in shown:
            if entry.group == "reader":
                _entry(entry, here)
    text(_("More"), "button", "rail-more", type="button", popovertarget=_MENU_ID)
    with box("div", "rail-menu", id=_MENU_ID, popover="auto"):
        moderated = [entry for entry in shown if entry.group == "moderator" and state.may("moderate")]
        if moderated:
            with box("ul", "rail-list"):
                for entry in moderated:
                    _entry(entry, here)
        with box("ul", "rail-list foot"):
            for entry in shown:
                if entry.group == "foot":
                    _entry(entry, here)
            if state.access.is_guarded():
                _entry(Entry(LEAVE, N_("Log out"), "leave"), here)


def _entry(entry: Entry, here: str) -> None:
    current = {"aria_current": "page"} if entry.path == here else {}
    with box("li"):
        link(_(entry.name), entry.path, f"entry icon-{entry.icon}", **current)


def _footer(facts: Facts) -> str:
    size = _("{posts}, {topics}").format(
        posts=ngettext("{n} message", "{n} messages", facts.posts).format(n=number(facts.posts)),
        topics=ngettext("{n} topic", "{n} topics", facts.topics).format(n=number(facts.topics)),
    )
    if facts.updated_at is None:
        return size
    return _("{size} – archive of {date}").format(size=size, date=date_long(facts.updated_at))


def _help_button() -> None:
    said = _("Keyboard help")
    text("?", "button", "knob help", type="button", data_help=_HELP_ID, title=said, aria_label=said)


def _help() -> None:
    """The keys, in a dialog of the browser's own: Esc closes it and focus goes back where it was."""
    with box("dialog", "sheet", id=_HELP_ID, aria_labelledby="aide-titre"), box("form", method="dialog"):
        text(_("Keyboard"), "h2", id="aide-titre")
        with box("dl", "keys"):
            for key, meaning in KEYS:
                with box("dt"):
                    text(_(key), "kbd")
                text(_(meaning), "dd")
        text(_("Close"), "button", "button quiet", type="submit")


def _theme_button(state: State) -> None:
    """Goes round automatic, light and dark; the choice is kept for this browser, by it where several servers answer."""
    names = {"auto": _("automatic"), "light": _("light"), "dark": _("dark")}
    symbols = {"auto": "◐", "light": "☀", "dark": "☾"}
    kept = ui.context.client.request.cookies.get(_COOKIE) or nicegui.app.storage.user.get("theme")
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
        if state.app.shared_secret:
            ui.run_javascript(f"document.cookie = '{_COOKIE}={chosen}; path=/; max-age=31536000; SameSite=Strict'")
        knob.text = symbols[chosen]
        knob.props["title"] = knob.props["aria-label"] = label(chosen)

    knob = button(symbols[chosen], turn, "knob theme", title=label(chosen), aria_label=label(chosen))
