"""Zones measured: how the questions of each kind fall into them, and how well they are told apart."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

from ..answer.zones import LEXICAL, Judged, Scores
from ..settings import SCORE_ZONES
from ..values import Zone
from . import layout, roc
from .charts import COLORS, Curve, curves, standalone
from .tables import Table, Words
from .zones import Example, Kind

SHOWN = 12  # questions of a list


@dataclass(frozen=True, slots=True)
class Measured:
    """The questions of an archive with what a score says of them; `how` it was fitted, in the reader's language."""

    name: str
    how: str
    examples: Sequence[Example]
    judged: Sequence[Judged]

    def scores(self, *kinds: Kind) -> list[float]:
        """The scores of the questions of these kinds."""
        return [judged.score for judged in self.of(*kinds)]

    def of(self, *kinds: Kind) -> list[Judged]:
        """What is said of the questions of these kinds."""
        return [j for e, j in zip(self.examples, self.judged, strict=True) if e.kind in kinds]

    def texts(self, kind: Kind, zone: Zone) -> list[str]:
        """The questions of one kind that fall into a zone."""
        pairs = zip(self.examples, self.judged, strict=True)
        return [example.text for example, judged in pairs if example.kind is kind and judged.zone is zone]


def write(
    measured: Sequence[Measured], scores: Scores, folder: Path, words: Words, *, at: datetime
) -> tuple[Path, ...]:
    """Write zones-DATE.md with its pictures, and an .html that holds all; the paths of both. Raises StoreError."""
    _, stem = words.say, f"zones-{at:%Y%m%dT%H%M%SZ}"
    title = _("Zones of the evidence")
    charts = list(_charts(measured, words))
    tables = [*figures(measured, words), *_lists(measured, words), _weights(scores, words)]
    pictures = {f"{n}.svg": standalone(chart) for n, (_heading, chart) in enumerate(charts, 1)}
    shown = [f"![{layout.cell(heading)}]({stem}.{n}.svg)" for n, (heading, _chart) in enumerate(charts, 1)]
    lines = [f"# {title}", "", *(line for table in tables for line in layout.markdown_table(table)), *shown, ""]
    body = [*(f"<h2>{html.escape(heading)}</h2>{chart}" for heading, chart in charts), *map(layout.html_table, tables)]
    texts = {"md": "\n".join(lines), "html": layout.page(title, body), **pictures}
    return layout.write(folder, stem, texts)[:2]


def figures(measured: Sequence[Measured], words: Words) -> Iterator[Table]:
    """The shares of the zones, and the areas under the curves."""
    _, kinds = words.say, _kinds(words)
    rows: list[tuple[str, ...]] = []
    areas: list[tuple[str, ...]] = []
    for found in measured:
        answerable = found.scores(Kind.ANSWERABLE)
        for kind, said in kinds.items():
            judged = found.of(kind)
            if not judged:
                continue
            shares = [sum(j.zone is zone for j in judged) / len(judged) for zone in Zone]
            scores = [j.score for j in judged]
            cells = [*(f"{words.number(100 * share, 1)} %" for share in shares), words.number(median(scores), 2)]
            rows.append((found.name, found.how, said, str(len(judged)), *cells))
            if kind is not Kind.ANSWERABLE and answerable:
                low, high = roc.interval(answerable, scores)
                between = f"{words.number(low, 3)} – {words.number(high, 3)}"
                area = words.number(roc.area(answerable, scores), 3)
                areas.append((found.name, found.how, said, str(len(judged)), area, between))
    common = (_("Archive"), _("Score"), _("Questions asked"), _("Number"))
    header = (*common, *_zones(words).values(), _("median score"))
    yield Table(_("Zones by kind of question"), header, tuple(rows))
    yield Table(
        _("Told apart from the answerable ones"), (*common, _("area under the curve"), _("95 % interval")), tuple(areas)
    )


def summary(measured: Sequence[Measured]) -> dict[str, object]:
    """The same figures as a JSON document."""
    rows = []
    for found in measured:
        answerable = found.scores(Kind.ANSWERABLE)
        for kind in Kind:
            judged = found.of(kind)
            if judged:
                row: dict[str, object] = {"archive": found.name, "score": found.how, "kind": kind.value}
                row["questions"] = len(judged)
                row |= {zone.value: sum(j.zone is zone for j in judged) for zone in Zone}
                if answerable and kind is not Kind.ANSWERABLE:
                    row["auc"] = round(roc.area(answerable, [j.score for j in judged]), 4)
                rows.append(row)
    return {"zones": rows}


def _lists(measured: Sequence[Measured], words: Words) -> Iterator[Table]:
    _, kinds, zones = words.say, _kinds(words), _zones(words)
    wanted = ((Kind.ANSWERABLE, Zone.EMPTY), (Kind.OFF_TOPIC, Zone.NORMAL), (Kind.HELD_OUT, Zone.NORMAL))
    rows = [
        (found.name, found.how, f"{kinds[kind]} → {zones[zone]}", text)
        for found in measured
        for kind, zone in wanted
        for text in found.texts(kind, zone)[:SHOWN]
    ]
    if rows:
        yield Table(_("Judged wrong"), (_("Archive"), _("Score"), _("Judged"), _("Question")), tuple(rows))


def _weights(scores: Scores, words: Words) -> Table:
    _ = words.say
    rows = []
    for name, score in scores.items():
        parts = (f"{signal} {words.number(w, 2)}" for signal, w in zip(score.signals, score.weights, strict=True))
        rows.append((name, ", ".join(parts), score.fitted_on, score.fitted_at))
    return Table(
        _("Scores"), (_("Score"), _("Weights of the standardised signals"), _("Fitted on"), _("Date")), tuple(rows)
    )


def _charts(measured: Sequence[Measured], words: Words) -> Iterator[tuple[str, str]]:
    _, kinds = words.say, _kinds(words)

    def number(value: float) -> str:
        return words.number(value, 1)

    lines = []
    for found in measured:
        yes, no = found.scores(Kind.ANSWERABLE), found.scores(Kind.OFF_TOPIC, Kind.HELD_OUT)
        if yes and no:
            label = f"{words.number(roc.area(yes, no), 3)}  {found.name}, {found.how}"
            lines.append(Curve(label, roc.curve(yes, no)))
    for start in range(0, len(lines), len(COLORS)):
        some = lines[start : start + len(COLORS)]
        axes = _("off-topic questions kept"), _("answerable questions kept")
        yield _("Answerable against off-topic"), curves(some, x=axes[0], y=axes[1], number=number)
    for found in measured:
        drawn = [Curve(said, roc.below(scores)) for kind, said in kinds.items() if (scores := found.scores(kind))]
        known = {judged.configuration for judged in found.judged} - {"", LEXICAL}
        limits = SCORE_ZONES["encoder" if known else LEXICAL]
        marks = (limits.empty_below, limits.weak_below)
        yield (
            f"{found.name}, {found.how}",
            curves(
                drawn, x=_("score"), y=_("share of the questions at or below the score"), number=number, marks=marks
            ),
        )


def _zones(words: Words) -> dict[Zone, str]:
    _ = words.say
    return {Zone.EMPTY: _("empty"), Zone.WEAK: _("weak"), Zone.NORMAL: _("normal")}


def _kinds(words: Words) -> dict[Kind, str]:
    _ = words.say
    return {
        Kind.ANSWERABLE: _("answerable"),
        Kind.REMOVED: _("answer removed"),
        Kind.UNANSWERABLE: _("not answered here"),
        Kind.OFF_TOPIC: _("off-topic"),
        Kind.HELD_OUT: _("off-topic, held out"),
        Kind.FOREIGN: _("of another archive"),
    }
