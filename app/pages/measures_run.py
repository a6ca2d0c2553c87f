"""One evaluation: /mesures/NAME?config=…&etat=…&q=…&page=… with its tables, bars and every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from nicegui import ui

from engine.evaluate.tables import RANKED, Table, shown

from .. import i18n, runs
from ..components.figures import DIGITS, bars, figure_table
from ..components.later import later
from ..components.markup import box, link, text
from ..components.pager import page_number
from ..i18n import fixed, ngettext
from ..i18n import gettext as _
from ..messages import message
from ..run_values import AnswerRun, Conditions, Measured, Measures, Run, SearchRun, Unreadable
from ..state import State
from . import measures_asked
from .measures_asked import Filter
from .measures_frame import (
    COMPARE,
    PATH,
    answer_measures,
    answerer_name,
    level_name,
    measure_name,
    measures_frame,
    moment,
    said_run,
)

Spent = Mapping[str, tuple[float, float]]  # stage → (p50, p95)
EVIDENCE = ("numbered_recall", "context_recall", "context_precision", "evidence_pollution", "pollution@5")


def register(state: State) -> None:
    """Make the page known to the server."""

    @ui.page(PATH + "/{name}")
    def run_page(name: str, config: str = "", etat: str = "", q: str = "", page: str = "") -> None:
        asked = Filter(name, config, etat, " ".join(q.split())[:200], page_number(page))
        with measures_frame(state, _("Evaluation"), here=PATH):
            later(lambda: (runs.load(state.engine.data, name),), lambda found: _show(found[0], asked))


def _show(run: Run | Unreadable | None, asked: Filter) -> None:
    if run is None or isinstance(run, Unreadable):
        said = _("There is no evaluation of this name.") if run is None else _(
            "This file is no evaluation, or is damaged: it can’t be read."
        )  # fmt: skip
        text(said, "p", "notice")
        link(_("All evaluations"), PATH, "button quiet")
        return
    text(said_run(run), "p", "lead")
    with box("p", "buttons"):
        others = {"a": run.conditions.name} if isinstance(run, AnswerRun) else {"b": run.conditions.name}
        link(_("Compare it"), f"{COMPARE}?{urlencode(others)}", "button quiet small")
    if isinstance(run, AnswerRun):
        _answers(run)
    else:
        _search(run)
    measures_asked.show(run, asked)
    with box("section"):
        figure_table(_conditions(run.conditions), heading="h2")


def _search(run: SearchRun) -> None:
    if run.absent:
        said = ngettext(
            "{count} question expects messages that this archive doesn’t hold: it can only fail.",
            "{count} questions expect messages that this archive doesn’t hold: they can only fail.",
            len(run.absent),
        ).format(count=i18n.number(len(run.absent)))
        text(said, "p", "notice")
    for config in run.configs:
        for code, count in config.notices.items():
            where = f"{config.name} × {i18n.number(count)}"
            text(_("{where}: {what}").format(where=where, what=message(code)), "p", "notice")
    with box("section"):
        text(_("Right message found"), "h2")
        for level in ("topic", "post"):
            rows = [(config.name, shown(m), found[1][m]) for config in run.configs
                    if (found := config.levels.get(level)) for m in ("hit@5", "mrr@10") if m in found[1]]  # fmt: skip
            if rows:
                text(level_name(level), "h3")
                bars(rows)
    with box("section"):
        text(_("Tables"), "h2")
        for level, measures in (("topic", RANKED), ("post", RANKED), ("evidence", EVIDENCE)):
            if any(level in config.levels for config in run.configs):
                figure_table(_level(run.configs, level, measures))
        if any(config.abstention.get("expected") for config in run.configs):
            figure_table(_abstentions(run.configs))
    _latency([(config.name, config.latency_ms) for config in run.configs])
    _tags(run.configs)


def _level(configs: Sequence[Measured], level: str, measures: Sequence[str]) -> Table:
    held = [(config.name, config.levels[level]) for config in configs if level in config.levels]
    rows = tuple(
        (name, i18n.number(count), *(fixed(found[m], DIGITS) if m in found else "—" for m in measures))
        for name, (count, found) in held
    )
    return Table(level_name(level), (_("Configuration"), _("Questions"), *map(measure_name, measures)), rows)


def _abstentions(configs: Sequence[Measured]) -> Table:
    rows = tuple(
        (c.name, f"{a.get('right', 0)} / {a.get('expected', 0)}", f"{a.get('wrong', 0)} / {a.get('answerable', 0)}")
        for c in configs if (a := c.abstention)
    )  # fmt: skip
    header = (_("Configuration"), _("rightly, nothing answers"), _("wrongly, something answers"))
    return Table(_("Abstentions (extracts)"), header, rows)


def _latency(spent: Sequence[tuple[str, Spent]]) -> None:
    """The time of each configuration as bars, then of each stage as a table."""
    rows = [(name, measure, ms) for name, stages in spent for measure, ms in _pair(stages)]
    if not rows:
        return
    with box("section"):
        text(_("Milliseconds, p50 / p95"), "h2")
        bars(rows, top=max(ms for *_rest, ms in rows), digits=1)
        names = list(dict.fromkeys(s for _name, stages in spent for s in stages if s not in ("search", "total")))
        if names:
            with box("details"):
                text(_("Stage by stage"), "summary")
                table_rows = tuple(
                    (name, *(f"{fixed(stages[s][0], 1)} / {fixed(stages[s][1], 1)}" if s in stages else "—"
                             for s in names))
                    for name, stages in spent
                )  # fmt: skip
                header = (_("Configuration"), *map(_stage, names))
                figure_table(Table(_("Milliseconds, p50 / p95"), header, table_rows))


def _pair(stages: Spent) -> list[tuple[str, float]]:
    p50, p95 = stages.get("search") or stages.get("total") or (0.0, 0.0)
    return [("p50", p50), ("p95", p95)]


def _stage(stage: str) -> str:
    named = {
        "spelling": _("spelling"), "filter": _("filters"), "lexical": _("exact words"), "embed": _("encoding"),
        "dense": _("meaning"), "topics": _("topics"), "fusion": _("fusion"), "rerank": _("reranking"),
        "evidence": _("sources, afterwards"),
    }  # fmt: skip
    return named.get(stage, stage)


def _tags(configs: Sequence[Measured]) -> None:
    named = list(dict.fromkeys(tag for config in configs for tag in config.tags))
    if not named:
        return
    with box("section"):
        text(_("By tag"), "h2")
        for level, title in (("topic", _("Tags, by topic")), ("post", _("Tags, by message"))):
            rows = []
            for tag in named:
                found = [config.tags.get(tag, {}).get(level) for config in configs]
                counts = [each[0] for each in found if each]
                if counts:
                    rows.append((tag, i18n.number(counts[0]), *(_of(each, m) for each in found
                                                               for m in ("hit@5", "mrr@10"))))  # fmt: skip
            if rows:
                header = [f"{config.name} {name}" for config in configs for name in ("Hit@5", "MRR@10")]
                figure_table(Table(title, (_("Tag"), _("Questions"), *header), tuple(rows)))


def _of(found: tuple[int, Measures] | None, measure: str) -> str:
    return fixed(found[1][measure], DIGITS) if found and measure in found[1] else "—"


def _answers(run: AnswerRun) -> None:
    names = answer_measures()
    rows = tuple(
        (names.get(m) or measure_name(m), i18n.number(count), fixed(mean, DIGITS if mean < 100 else 0))
        for m, (count, mean) in sorted(run.measures.items(), key=lambda pair: [*names].index(pair[0])
                                       if pair[0] in names else len(names))
    )  # fmt: skip
    with box("section"):
        text(_("What came of the questions"), "h2")
        shares = [(_(measures_asked.EXPECTED.get(e, e)), _(measures_asked.OUTCOMES.get(o, o)), float(n))
                  for e, o, n in run.outcomes]  # fmt: skip
        bars(shares, top=max((n for *_rest, n in shares), default=1.0), digits=0)
        figure_table(Table(_("Measures of the answers"), (_("Measure"), _("Questions"), _("Mean")), rows))
    _latency([(answerer_name(run.answerer), run.latency_ms)] if run.latency_ms else [])


def _conditions(found: Conditions) -> Table:
    rows = [
        (_("Date"), moment(found.at)),
        (_("Duration"), i18n.duration(found.took_s)),
        (_("Questions"), f"{found.file} ({i18n.number(found.questions)})"),
        ("sha256", found.sha256),
        (_("Archive"), _("{posts} messages in {topics} topics").format(
            posts=i18n.number(found.posts), topics=i18n.number(found.topics))),
        (_("Index"), found.generation),
        (_("Encoder"), found.model or "—"),
        (_("Software"), ", ".join(f"{name} {version}" for name, version in found.versions.items())),
        (_("File"), f"{found.name}.json"),
    ]  # fmt: skip
    return Table(_("Conditions"), (_("Condition"), _("Value")), tuple(rows))
