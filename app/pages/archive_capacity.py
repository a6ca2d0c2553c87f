"""What a larger archive would ask for, for moderators: /archive/capacite?messages=…&encodeur=…, a size a column."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nicegui import ui

from engine.models.machine import memory_bytes

from .. import capacity_words as words
from .. import i18n
from ..capacity import here, points
from ..capacity.bounds import bounds
from ..capacity.costs import measured_engine
from ..capacity.forecast import ENCODERS, SIZES, Figure, Forecast, Wish, forecast
from ..capacity.here import Here
from ..capacity.points import LOCAL, Engine
from ..capacity_command import MOST_CORES, MOST_POSTS
from ..components.later import later
from ..components.markup import box, text
from ..i18n import gettext as _
from ..state import State
from .archive_frame import CAPACITY, archive_frame

MOST_SIZES = 6  # columns


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the address says; `wrong` names what of it could not be read."""

    posts: tuple[int, ...]
    encoder: str
    rate: float | None
    cores: int
    memory_gb: float
    wrong: bool


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(CAPACITY)
    def capacity_page(
        messages: str = "", encodeur: str = "", debit: str = "", coeurs: str = "", memoire: str = ""
    ) -> None:
        asked = _understood(messages, encodeur, debit, coeurs, memoire)
        with archive_frame(state, _("Capacity"), here=CAPACITY):
            said = _("What an archive of several million messages asks of its machines, and up to where one is enough.")
            text(said, "p", "lead")
            if asked.wrong:
                said = _("Part of the address could not be read: what is usual stands in its place.")
                text(said, "p", "notice", role="alert")
            _form(asked)
            later(lambda: here.look(state.engine), lambda held: _show(asked, held))


def _understood(posts: str, encoder: str, rate: str, cores: str, memory: str) -> _Asked:
    sizes = [_number(part, MOST_POSTS) for part in posts.replace(",", " ").replace(";", " ").split()][:MOST_SIZES]
    per_s, many, gb = _number(rate, 1e9), _number(cores, MOST_CORES), _number(memory, 1e9)
    wrong = any(size is None for size in sizes) or bool(encoder and encoder not in ENCODERS)
    wrong |= any(said and value is None for said, value in ((rate, per_s), (cores, many), (memory, gb)))
    return _Asked(
        posts=tuple(int(size) for size in sizes if size is not None and size >= 1) or SIZES,
        encoder=encoder if encoder in ENCODERS else next(iter(ENCODERS)), rate=per_s,
        cores=int(many) if many and many >= 1 else os.cpu_count() or 1,
        memory_gb=gb or round(memory_bytes() / 1e9), wrong=wrong,
    )  # fmt: skip


def _number(said: str, most: float) -> float | None:
    """A number above zero, at most `most`; None where there is none."""
    try:
        value = float("".join(said.split()).replace(",", "."))
    except ValueError:
        return None
    return value if 0 < value <= most else None  # nan is neither


def _form(asked: _Asked) -> None:
    """A plain form: the address says what is asked."""
    with box("form", "compare-form", action=CAPACITY, method="get"):
        _field(_("Messages, spaces between several numbers"), "messages", " ".join(map(str, asked.posts)))
        with box("label", "question-field"):
            text(_("Who encodes the texts"))
            with box("select", "field", name="encodeur"):
                for name, said in words.ENCODERS.items():
                    text(_(said), "option", value=name).props["selected"] = name == asked.encoder
        _field(_("Passages a second of the encoder’s server"), "debit", "" if asked.rate is None else f"{asked.rate:g}")
        _field(_("Cores"), "coeurs", str(asked.cores))
        _field(_("Memory of the machine, in gigabytes"), "memoire", f"{asked.memory_gb:g}")
        text(_("Calculate"), "button", "button", type="submit")


def _field(said: str, name: str, value: str) -> None:
    with box("label", "question-field"):
        text(said)
        field = box("input", "field", type="text", name=name, maxlength=100, autocomplete="off")
        field.props["defaultValue"] = value  # not `value`: Vue would write it again over what is being typed


def _show(asked: _Asked, held: Here) -> None:
    known, rates = points.measured(), points.rates()
    wishes = [Wish(posts, asked.encoder, asked.rate, asked.cores) for posts in asked.posts]
    memory = asked.memory_gb * 1e9
    with box("section"):
        text(_("Up to where one machine is enough"), "h2")
        for said in words.advice(bounds(known, width=wishes[0].width, memory_bytes=memory), memory_bytes=memory):
            text(said, "p")
    engines: tuple[Engine, ...] = (LOCAL, measured_engine(known))
    for engine in engines:
        _engine([forecast(wish, engine, known, rates) for wish in wishes])
    with box("section"):
        text(_("The archive at hand, measured now"), "h2")
        _here(held)
    with box("section"):
        text(_("What was measured, and how"), "h2")
        for said in words.EXPLAINED:
            text(_(said), "p", "note")
        for rate in rates.values():
            text(words.encoder(rate), "p", "note")
        _points(known)


def _engine(found: Sequence[Forecast]) -> None:
    """A row a figure, a column a size."""
    first = found[0]
    with box("section"):
        text(_(words.ENGINES[first.engine]), "h2")
        text(words.hypothesis(first), "p", "note")
        label = _(words.ENGINES[first.engine])
        with box("div", "table", tabindex=0, role="region", aria_label=label), box("table", "capacity"):
            with box("thead"), box("tr"):
                text("", "td")
                for one in found:
                    text(words.messages(one.wish.posts), "th", scope="col")
                text(_("Measured at"), "th", scope="col")
            for part, title in words.PARTS.items():
                with box("tbody"):
                    with box("tr"):
                        text(_(title), "th", scope="rowgroup", colspan=len(found) + 2)
                    for figure in first.figures:
                        if figure.part == part:
                            _row(figure, found)


def _row(figure: Figure, found: Sequence[Forecast]) -> None:
    with box("tr"):
        text(words.name(figure, found[0].engine), "td")
        for one in found:
            cell = one[figure.name]
            with box("td", "number"):
                text(words.amount(cell), "div")
                text(words.mark(cell), "div", "note")
        text(words.where(figure), "td", "note where")


def _here(held: Here) -> None:
    if not held.posts:
        text(_("The archive is empty."), "p", "note")
        return
    rows: Mapping[str, str] = {
        _("Messages"): i18n.number(held.posts),
        _("Passages with a vector"): i18n.number(held.vectors),
        _("Letters and digits"): i18n.number(held.chars),
    } | {
        words.name(figure, LOCAL): words.amount(figure)
        for figure in (Figure(name, "disk", value, "measured") for name, value in held.figures.items())
    }  # fmt: skip
    with box("table", "figures"), box("tbody"):
        for said, amount in rows.items():
            with box("tr"):
                text(said, "th", scope="row")
                text(amount, "td")


def _points(known: Sequence[points.Point]) -> None:
    """Every point with its conditions."""
    with box("div", "table", tabindex=0, role="region", aria_label=_("Measured points")), box("table", "capacity"):
        with box("thead"), box("tr"):
            for said in (_("Engine"), _("Messages"), _("Dimensions"), _("Conditions")):
                text(said, "th", scope="col")
        with box("tbody"):
            for point in known:
                with box("tr"):
                    text(_(words.ENGINES[point.engine]), "td")
                    text(i18n.number(point.posts), "td", "number")
                    text(i18n.number(point.dimensions), "td", "number")
                    text(words.conditions(point.conditions), "td", "note where")
