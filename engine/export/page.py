"""The skeleton of every page of a static archive: its head, the way home, the search field.

Pages are read from a disk: every address is relative, nothing is fetched from anywhere else, and only the search page
runs a script. The policy in each head says the same to the browser.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as _escape

from .words import Words

# Browsers differ on what 'self' is for a file: `file:` says it for those that find it opaque.
_POLICY = (
    "default-src 'none'; img-src 'self' file:; style-src 'self' file:; {scripts}form-action 'self' file:;"
    " base-uri 'none'"
)
_SCRIPTS = "script-src 'self' file:; "


def text(value: str) -> str:
    """A text as it is written between tags or in an attribute."""
    return _escape(value, quote=True)


def link(href: str, said: str, css: str = "", **attributes: str) -> str:
    """A link; both are escaped."""
    look = f' class="{css}"' if css else ""
    others = "".join(f' {name.replace("_", "-")}="{text(value)}"' for name, value in attributes.items())
    return f'<a{look} href="{text(href)}"{others}>{text(said)}</a>'


def page(
    words: Words,
    title: str,
    body: Iterable[str],
    *,
    up: str,
    css: str = "",
    scripts: Iterable[str] = (),
    searching: bool = True,
) -> Iterable[str]:
    """The pieces of a whole page. `up` leads to the root ("../../"); `title` is "" for the first page of all."""
    wanted = tuple(scripts)
    policy = _POLICY.format(scripts=_SCRIPTS if wanted else "")
    shown = f"{title} — {words.title}" if title else words.title
    yield (
        f'<!doctype html>\n<html lang="{text(words.language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<title>{text(shown)}</title>\n<link rel="stylesheet" href="{up}assets/archive.css">\n'
    )
    for script in wanted:
        yield f'<script src="{up}{script}" defer></script>\n'
    yield f'</head>\n<body>\n{link("#content", words.skip, "skip")}\n<header class="top">\n'
    yield link(f"{up}index.html", words.title, "home", **({} if title else {"aria_current": "page"}))
    if searching:
        yield (
            f'\n<form class="search" role="search" action="{up}search.html" method="get">'
            f'<input type="search" name="q" aria-label="{text(words.search)}" placeholder="{text(words.search_hint)}">'
            f"<button>{text(words.search)}</button></form>"
        )
    look = f' class="{css}"' if css else ""
    yield f'\n</header>\n<main id="content"{look}>\n'
    yield from body
    yield f'</main>\n<footer class="end">{text(words.about)}</footer>\n</body>\n</html>\n'


def pager(words: Words, pages: tuple[int, ...], here: int) -> str:
    """Links to the other pages of the same folder: all of them when they are few, else the ends and the nearest."""
    if len(pages) < 2:
        return ""
    at = pages.index(here)
    near = {0, len(pages) - 1, *range(max(0, at - 2), min(len(pages), at + 3))}
    if len(pages) <= 12:
        near = set(range(len(pages)))
    steps = [f'<nav class="pager" aria-label="{text(words.pages)}">']
    if at:
        steps.append(link(f"{pages[at - 1]}.html", words.earlier, rel="prev"))
    before = -1
    for n in sorted(near):
        if n - before > 1:
            steps.append('<span aria-hidden="true">…</span>')
        before = n
        said = words.number(pages[n])
        attributes = {"aria_label": words.page_of(pages[n], pages[-1])}
        steps.append(
            f'<span aria-current="page">{text(said)}</span>' if n == at
            else link(f"{pages[n]}.html", said, **attributes)
        )  # fmt: skip
    if at < len(pages) - 1:
        steps.append(link(f"{pages[at + 1]}.html", words.later, rel="next"))
    return " ".join(steps) + "</nav>\n"
