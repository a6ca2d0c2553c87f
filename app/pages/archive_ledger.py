"""The ledger, for moderators: /archive/registre tells what was left out and why, and which topics miss messages."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

import nicegui
from nicegui import run, ui
from starlette.responses import JSONResponse, Response

from engine import verifying
from engine.store import ledger
from engine.store.ledger import Hole, HoleOrder, HolePage, Totals

from .. import i18n
from ..components.later import later
from ..components.markup import box, link, text
from ..components.pager import page_number, pager
from ..components.topic_list import sort_links
from ..i18n import N_, ngettext
from ..i18n import gettext as _
from ..messages import skipped
from ..printed import ADVICE
from ..result_export import BOM, cell
from ..state import State
from ..verify_command import document
from .archive_frame import LEDGER, archive_frame

CSV: Final = f"{LEDGER}.csv"
VERIFICATION: Final = f"{LEDGER}.json"
ORDERS: Final[Mapping[str, HoleOrder]] = MappingProxyType({
    "manque": HoleOrder.MISSING, "part": HoleOrder.SHARE, "recent": HoleOrder.NEWEST,
})  # fmt: skip
NAMES: Final[Mapping[str, str]] = MappingProxyType({
    "manque": N_("Most missing"),
    "part": N_("Largest part missing"),
    "recent": N_("Newest topic"),
})  # fmt: skip
USUAL: Final = next(iter(ORDERS))


@dataclass(frozen=True, slots=True)
class _Ledger:
    skipped: Mapping[str, int]
    posts: int
    totals: Totals
    holes: HolePage


def register(state: State) -> None:
    """Make the page and its file known to the server."""

    @ui.page(LEDGER)
    def ledger_page(tri: str = "", page: str = "") -> None:
        order = tri if tri in ORDERS else USUAL
        number = page_number(page)
        with archive_frame(state, _("Ledger"), here=LEDGER):
            said = _("Each message that a source announces is either in the archive, or counted here with the reason.")
            text(said, "p", "lead")
            later(lambda: _read(state, ORDERS[order], number), lambda found: _show(found, order))

    @nicegui.app.get(CSV)
    def ledger_file() -> Response:
        """Every topic that misses messages."""
        headers = {"Content-Disposition": 'attachment; filename="registre.csv"', "Cache-Control": "no-store"}
        return Response(as_csv(ledger.all_holes(state.archive.store)), media_type="text/csv", headers=headers)

    @nicegui.app.get(VERIFICATION)
    async def verification_file() -> Response:
        """What the sources announced and what is held now, every topic."""
        found = await run.io_bound(verifying.verify_ledger, state.engine)
        if found is None:  # the server is stopping
            return Response(status_code=503)
        headers = {"Content-Disposition": 'attachment; filename="verification.json"', "Cache-Control": "no-store"}
        return JSONResponse(document(found), headers=headers)


def _read(state: State, order: HoleOrder, page: int) -> _Ledger:
    store = state.archive.store
    holes = ledger.holes(store, order=order, page=page)
    return _Ledger(store.skipped(), store.counts()[0], ledger.totals(store), holes)


def _show(found: _Ledger, order: str) -> None:
    with box("div", "two-columns"):
        with box("section"):
            text(_("Left out"), "h2")
            _skipped(found.skipped)
        with box("section"):
            text(_("The count"), "h2")
            _count(found.totals, found.posts)
    with box("section"):
        text(_("Topics that miss messages"), "h2")
        _holes(found, order)
    with box("section"):
        text(_("Verification"), "h2")
        text(_("The command “archiviste verify SOURCE” reads a backup again and compares every message with it."), "p")
        link(_("What the imports wrote down, topic by topic (JSON)"), VERIFICATION, download="verification.json")


def _skipped(counts: Mapping[str, int]) -> None:
    shown = sorted(((n, reason) for reason, n in counts.items() if n), reverse=True)
    if not shown:
        text(_("Nothing was left out by the last imports."), "p", "note")
        return
    with box("table", "figures"), box("tbody"):
        for n, reason in shown:
            with box("tr"):
                text(skipped(reason), "th", scope="row")
                text(i18n.number(n), "td")
        with box("tr", "sum"):
            text(_("In all"), "th", scope="row")
            text(i18n.number(sum(n for n, _reason in shown)), "td")
    for reason, advice in ADVICE.items():
        if counts.get(reason):
            text(_(advice), "p", "notice")


def _count(totals: Totals, posts: int) -> None:
    if totals.held != posts:
        said = _("An import was stopped or is under way: this count is that of the last one that went to its end.")
        text(said, "p", "notice")
    lines = (
        (_("Public messages announced"), totals.expected),
        (_("In the archive"), totals.held),
        (_("Removed since"), totals.deleted),
        (_("Missing"), totals.missing),
    )
    with box("table", "figures"), box("tbody"):
        for said, n in lines:
            with box("tr"):
                text(said, "th", scope="row")
                text(i18n.number(n), "td")


def _holes(found: _Ledger, order: str) -> None:
    page = found.holes
    if not page.total:
        text(_("None: every public message that was announced is in the archive."), "p", "note")
        return
    said = _("Their source announces more messages than it showed. The next update from the forum asks for them again.")
    text(said, "p", "note")
    count = ngettext("{n} topic", "{n} topics", page.total)
    text(count.format(n=i18n.number(page.total)), "p", "count")
    sort_links(NAMES, order, lambda name: _address(name, 1))
    with box("div", "table"), box("table", "past"):
        with box("thead"), box("tr"):
            for said in (_("Topic"), _("Announced"), _("Held"), _("Removed"), _("Missing")):
                text(said, "th", scope="col")
        with box("tbody"):
            for hole in page.holes:
                with box("tr"):
                    with box("td"):
                        if hole.path:
                            link(hole.title, hole.path)
                        else:
                            text(_("topic {id}, not in the archive").format(id=hole.topic_id))
                    for n in (hole.expected, hole.held, hole.deleted, hole.missing):
                        text(i18n.number(n), "td", "number")
    pager(page.page, page.pages, lambda number: _address(order, number))
    link(_("All of them in a file for a spreadsheet (CSV)"), CSV, download="registre.csv")


def _address(order: str, page: int) -> str:
    said = {"tri": "" if order == USUAL else order, "page": "" if page == 1 else str(page)}
    query = urlencode({name: value for name, value in said.items() if value})
    return f"{LEDGER}?{query}" if query else LEDGER


def as_csv(holes: Iterable[Hole]) -> bytes:
    """One line a topic, below a line of names; as `result_export` writes it."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow([_("Topic"), _("Title"), _("Announced"), _("Held"), _("Removed"), _("Missing")])
    for hole in holes:
        writer.writerow([hole.topic_id, cell(hole.title), hole.expected, hole.held, hole.deleted, hole.missing])
    return (BOM + written.getvalue()).encode("utf-8", "replace")
