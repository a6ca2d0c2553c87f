"""Two evaluations, or two configurations of one: /mesures/comparer?a=RUN/CONFIGURATION&b=RUN/CONFIGURATION."""

from __future__ import annotations

from dataclasses import dataclass

from nicegui import ui

from engine.evaluate.charts import Interval
from engine.evaluate.tables import Table

from .. import i18n, runs, runs_compare
from ..components.figures import DIGITS, figure_table, intervals, signed
from ..components.later import later
from ..components.markup import box, link, text
from ..i18n import fixed, ngettext
from ..i18n import gettext as _
from ..run_values import Brief, Run, Unreadable
from ..runs_compare import Compared, LevelCompared, Side
from ..state import State
from .measures_asked import search_link
from .measures_frame import COMPARE, PATH, answerer_name, level_name, measure_name, measures_frame, moment

CHANGED = 200  # questions listed of each kind


@dataclass(frozen=True, slots=True)
class _Found:
    briefs: tuple[Brief, ...]
    a: Side | None
    b: Side | None
    compared: Compared | None


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(COMPARE)
    def compare_page(a: str = "", b: str = "") -> None:
        with measures_frame(state, _("Compare"), here=COMPARE):
            later(lambda: _read(state, a, b), _show)


def _read(state: State, a: str, b: str) -> _Found:
    """Both sides; what an address leaves open is the newest run against the one before it, or its own first column."""
    data = state.engine.data
    briefs = tuple(each for each in runs.briefs(data) if isinstance(each, Brief))
    if not briefs:
        return _Found((), None, None, None)
    second = _side(state, b) or _side(state, _keys(briefs[0])[-1])
    first = _side(state, a) or _side(state, _before(briefs, second))
    if first is None or second is None:
        return _Found(briefs, first, second, None)
    return _Found(briefs, first, second, runs_compare.compare(first, second))


def _side(state: State, said: str) -> Side | None:
    name, _slash, config = said.partition("/")
    run: Run | Unreadable | None = runs.load(state.engine.data, name) if name else None
    return None if run is None or isinstance(run, Unreadable) else runs_compare.side(run, config)


def _before(briefs: tuple[Brief, ...], second: Side | None) -> str:
    """What to compare with when the address doesn't say: the first configuration beside it, else an older run."""
    if second is None:
        return ""
    at = next(n for n, brief in enumerate(briefs) if brief.conditions.name == second.run.conditions.name)
    beside = [key for key in _keys(briefs[at]) if key != second.key]
    if beside:
        return beside[0]
    older = [each for each in (*briefs[at + 1 :], *briefs[:at]) if each.answers is briefs[at].answers]
    return _keys(older[0])[-1] if older else second.key


def _keys(brief: Brief) -> list[str]:
    """What names each configuration of a run in an address."""
    name = brief.conditions.name
    return [name] if brief.answers else [f"{name}/{config}" for config, *_figures in brief.figures]


def _show(found: _Found) -> None:
    if not found.briefs:
        text(_("There is nothing to compare yet: start an evaluation first."), "p", "note")
        link(_("Start an evaluation"), PATH, "button")
        return
    _form(found)
    if found.compared is None or found.a is None or found.b is None:
        return
    text(_("From {a} to {b}").format(a=_said(found.a), b=_said(found.b)), "p", "lead")
    _warn(found.a, found.b, found.compared)
    drawn = [
        Interval(f"{level_name(level.level)}, {measure_name(d.measure)}", d.low, d.delta, d.high)
        for level in found.compared.levels
        for _n, d in level.differences
    ]
    if not drawn:
        return
    with box("section"):
        text(_("Differences, with their interval at 95 %"), "h2")
        intervals(drawn)
        text(_("A full point: the interval leaves zero out. A hollow one: it may be chance."), "p", "note")
        figure_table(_table(found.compared))
    for level in found.compared.levels:
        _changes(level)


def _form(found: _Found) -> None:
    """A plain form: the address says what is compared."""
    with box("form", "compare-form", action=COMPARE, method="get"):
        for name, said, side in (("a", _("From"), found.a), ("b", _("To"), found.b)):
            with box("label", "question-field"):
                text(said)
                with box("select", "field", name=name):
                    for brief in found.briefs:
                        for key in _keys(brief):
                            option = text(_option(brief, key), "option", value=key)
                            option.props["selected"] = side is not None and side.key == key
        text(_("Compare"), "button", "button", type="submit")


def _option(brief: Brief, key: str) -> str:
    config = key.partition("/")[2] or _("answers: {answerer}").format(answerer=answerer_name(brief.figures[0][0]))
    return f"{moment(brief.conditions.at)} · {config}"


def _said(side: Side) -> str:
    return " · ".join(filter(None, (moment(side.run.conditions.at), side.config)))


def _warn(a: Side, b: Side, compared: Compared) -> None:
    """What makes the two less comparable than they look."""
    first, second = a.run.conditions, b.run.conditions
    if not compared.common:
        text(_("They have no question in common: nothing can be compared."), "p", "notice")
    elif not compared.levels:
        text(_("One measures the search and the other the answers: no figure is in both."), "p", "notice")
    elif compared.alone:
        said = ngettext(
            "{n} question is in one of them only: it is left out.",
            "{n} questions are in one of them only: they are left out.",
            compared.alone,
        )
        text(said.format(n=i18n.number(compared.alone)), "p", "notice")
    if first.posts != second.posts or first.generation != second.generation:
        text(_("They were not measured on the same index: the archive may have changed in between."), "p", "notice")


def _table(compared: Compared) -> Table:
    rows = [
        (level_name(level.level) + ", " + measure_name(d.measure), i18n.number(n), fixed(d.base, DIGITS),
         fixed(d.other, DIGITS), signed(d.delta) + (" *" if d.sure else ""), f"{signed(d.low)} … {signed(d.high)}")
        for level in compared.levels
        for n, d in level.differences
    ]  # fmt: skip
    header = (_("Measure"), _("Questions"), _("From"), _("To"), _("Difference"), _("Interval at 95 %"))
    return Table(_("In figures (* the interval leaves zero out)"), header, tuple(rows))


def _changes(level: LevelCompared) -> None:
    gained, lost = len(level.gained), len(level.lost)
    measure = measure_name(level.differences[0][1].measure)
    with box("section"):
        text(f"{level_name(level.level)}, {measure}", "h2")
        with box("div", "two-columns gains"):
            _changed(_("Gained: {n}").format(n=i18n.number(gained)), level.gained)
            _changed(_("Lost: {n}").format(n=i18n.number(lost)), level.lost)


def _changed(title: str, changed: tuple[tuple[str, str], ...]) -> None:
    with box("div"):
        text(title, "h3")
        if not changed:
            text(_("no question"), "p", "note")
        with box("ul", "asked"):
            for name, words in changed[:CHANGED]:
                with box("li"):
                    with box("p", "asked-question"):
                        search_link(words)
                    text(name, "code", "note")
        if len(changed) > CHANGED:
            text(_("… and {count} more").format(count=i18n.number(len(changed) - CHANGED)), "p", "note")
