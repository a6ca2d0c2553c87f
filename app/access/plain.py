"""Pages that need no script and no session: the passphrase, what is refused, leaving."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from .. import i18n
from ..resources import resource

_SHEETS: Final = ("archiviste.css", "access.css")
_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">{head}
<title>{title} – Archiviste</title>
<link rel="icon" href="/assets/icons/archiviste.svg">
{sheets}
</head>
<body class="plain">
<main>
<p class="name"><img src="/assets/icons/archiviste.svg" alt="" width="40" height="40">Archiviste</p>
<h1>{title}</h1>
{lead}{notice}{body}{links}
</main>
</body>
</html>
"""


def plain_page(
    title: str,
    lead: str = "",
    *,
    notice: str = "",
    body: str = "",
    links: Iterable[tuple[str, str]] = (),
    refresh: str = "",
) -> str:
    """A whole page. Everything is text but `body`, which is HTML of ours; `refresh` is an address to go to at once."""
    items = "".join(f'<li><a href="{escape(target)}">{escape(said)}</a></li>' for said, target in links)
    return _PAGE.format(
        language=i18n.language(),
        head=f'\n<meta http-equiv="refresh" content="0; url={escape(refresh)}">' if refresh else "",
        title=escape(title),
        sheets="\n".join(f'<link rel="stylesheet" href="{_stamped(name)}">' for name in _SHEETS),
        lead=f"<p>{escape(lead)}</p>\n" if lead else "",
        notice=f'<p class="notice" role="alert">{escape(notice)}</p>\n' if notice else "",
        body=body,
        links=f"<ul>{items}</ul>\n" if items else "",
    )


def form(action: str, button: str, *, fields: str = "", hidden: Iterable[tuple[str, str]] = ()) -> str:
    """A form that is posted; `fields` is HTML of ours."""
    kept = "".join(f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in hidden)
    return (
        f'<form method="post" action="{escape(action)}">{kept}{fields}'
        f'<button class="button" type="submit">{escape(button)}</button></form>\n'
    )


def _stamped(name: str) -> str:
    return f"/assets/css/{name}?v={int(resource('assets', 'css', name).stat().st_mtime)}"
