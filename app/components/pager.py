"""Going through a long list page by page."""

from __future__ import annotations

from collections.abc import Callable

from ..i18n import gettext as _
from ..i18n import number
from .markup import box, link, text


def pager(page: int, pages: int, address: Callable[[int], str]) -> None:
    """Links to the pages before and after, and where one is; nothing when there is one page."""
    if pages < 2:
        return
    with box("nav", "pages", aria_label=_("Pages of results")):
        if page > 1:
            link(_("Previous"), address(page - 1), "button quiet", rel="prev")
        text(_("Page {page} of {last}").format(page=number(page), last=number(pages)))
        if page < pages:
            link(_("Next"), address(page + 1), "button quiet", rel="next")


def page_number(said: str) -> int:
    """The page that an address asks for, the first when it makes no sense."""
    return max(1, int(said)) if said.isascii() and said.isdigit() and len(said) < 8 else 1
