"""The command `evaluate --fit-zones`: what the archive can answer and what not, learned from questions of its own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine import load_models, open_archive

from . import printed
from .i18n import gettext as _
from .output import DONE, print_json, print_lines, say
from .progress import ProgressLine
from .settings import Choices

if TYPE_CHECKING:
    from engine.evaluate.zones import Example, Fitted


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate` that speak of zones."""
    parser.add_argument(
        "--fit-zones", action="store_true",
        help=_("learn from these questions which ones the archive can answer, and keep it if it is better"),
    )  # fmt: skip
    parser.add_argument(
        "--off-topic", type=Path, metavar="FILE",
        help=_("with --fit-zones: questions that this archive can’t answer (everyday ones when not given)"),
    )  # fmt: skip


def run(given: Namespace, choices: Choices) -> int:
    """Ask, fit, write the reports, print the figures, keep what is better."""
    from engine.answer import zones
    from engine.evaluate import layout, questions, zone_examples, zone_report
    from engine.evaluate.zones import MIN_EXAMPLES, Kind, judge, worth_taking

    data = choices.engine.data
    asked = questions.read(given.questions).questions
    refused = questions.read(given.off_topic).questions if given.off_topic else zone_examples.off_topic()
    folder = layout.reserve(given.out or data / "evaluations")
    with open_archive(choices.engine, load_models(choices.engine)) as archive, ProgressLine() as progress:
        status = archive.status()
        examples = zone_examples.collect(archive, asked, refused, on_progress=progress)
    name, vectors, scores = status.title or data.name, status.dense_model, zones.load(data)
    now = judge(examples, scores, vectors=vectors)
    measured = [zone_report.Measured(name, _("in use"), examples, now)]
    answerable = sum(example.kind is Kind.ANSWERABLE and example.found for example in examples)
    fitted = _fitted(examples, vectors) if answerable >= MIN_EXAMPLES else None
    if fitted is None:
        outcome = _("At least {count} questions with a message that is found are needed to learn from them.").format(
            count=MIN_EXAMPLES
        )
    else:
        measured.append(zone_report.Measured(name, _("learned, cross-validated"), examples, fitted.judged))
        outcome = _("Nothing was changed: what was learned doesn’t judge better.")
        if worth_taking(examples, fitted.judged, now):
            zones.save(fitted.scores, data / zones.FILE)
            outcome = _("What the archive can answer is now judged by what was learned: {path}").format(
                path=data / zones.FILE
            )
    shown = scores if fitted is None else fitted.scores
    written = zone_report.write(measured, shown, folder, printed.report_words(), at=datetime.now(UTC))
    if given.json:
        print_json(zone_report.summary(measured))
    else:
        for table in zone_report.figures(measured, printed.report_words()):
            print_lines(table.title, *printed.aligned(table), "")
    say(_("Reports: {paths}").format(paths=", ".join(map(str, written))))
    say(outcome)
    return DONE


def _fitted(examples: Sequence[Example], vectors: str | None) -> Fitted | None:
    """A score for each configuration that enough questions were searched with; None without any to refuse."""
    from engine.evaluate.zones import MIN_EXAMPLES, Kind, configurations, fit

    known = [
        configuration
        for configuration in configurations(vectors)
        if sum(e.kind is Kind.ANSWERABLE and e.found and e.knows(configuration) for e in examples) >= MIN_EXAMPLES
    ]
    count = sum(example.kind is Kind.ANSWERABLE for example in examples)
    try:
        return fit(examples, known, fitted_on=_("{count} questions of this archive").format(count=count))
    except ValueError:
        return None
