"""The command `evaluate --answers`: asks every question as a reader would, and measures the answers."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from engine import ModelUnavailable, Settings, load_models, open_archive

from . import printed
from .i18n import gettext as _
from .output import DONE, print_json, print_lines, say
from .progress import ProgressLine
from .settings import Choices

if TYPE_CHECKING:
    from engine.evaluate.answers_judge import Judge
    from engine.evaluate.answers_run import AnswerRun
    from engine.evaluate.tables import Table

JUDGE_TOKENS: Final = 1500  # a list of claims is longer than an answer
CELL_CHARS: Final = 30  # of a last column that fits a terminal


def add_arguments(parser: ArgumentParser, answerers: tuple[str, ...]) -> None:
    """The options of `evaluate` that speak of answers."""
    parser.add_argument("--answers", action="store_true", help=_("measure the answers rather than the search"))
    parser.add_argument(
        "--answerer", choices=answerers, default="auto", help=_("with --answers: what answers (auto when not given)")
    )
    parser.add_argument("--limit", type=_several, metavar="N", help=_("with --answers: ask the first N questions only"))
    parser.add_argument(
        "--judge",
        action="store_true",
        help=_("with --answers: let the model of the answer server judge them too (it is sent answers and sources)"),
    )


def run(given: Namespace, choices: Choices) -> int:
    """Ask, measure, write the reports, print the figures."""
    from engine.evaluate import answers_report, answers_run, layout, questions

    asked = questions.read(given.questions)
    judge = _judge(choices.engine) if given.judge else None
    folder = layout.reserve(given.out or choices.engine.data / "evaluations")
    with open_archive(choices.engine, load_models(choices.engine)) as archive, ProgressLine() as progress:
        found = answers_run.evaluate(
            archive, asked, answerer=given.answerer, limit=given.limit, judge=judge, folder=folder,
            on_progress=progress,
        )  # fmt: skip
    written = answers_report.write(found, folder, printed.report_words())
    answers_run.forget(found, folder)
    if given.json:
        print_json(answers_report.summary(found))
    else:
        print_lines(*lines(found))
    say(_("Reports: {paths}").format(paths=", ".join(map(str, written))))
    return DONE


def lines(found: AnswerRun) -> Iterator[str]:
    """The figures as tables, then the safety questions one by one."""
    from engine.evaluate import answers_tables

    for table in answers_tables.figures(found, printed.report_words()):
        yield table.title
        yield from printed.aligned(_without_prose(table))
        yield ""
    for case in found.cases:
        if case.safety:
            told = (case.question.id, answers_tables.verdict(case, _), answers_tables.came(case, _))
            yield from printed.wrapped(" — ".join(told))
            yield from printed.wrapped(case.question.text, indent="  ")


def _without_prose(table: Table) -> Table:
    """The table without a last column of sentences: the reports have it."""
    if all(len(row[-1]) <= CELL_CHARS for row in table.rows):
        return table
    return replace(table, header=table.header[:-1], rows=tuple(row[:-1] for row in table.rows))


def _judge(settings: Settings) -> Judge:
    """The model of the answer server as a judge. Raises ModelUnavailable when no server is named."""
    from engine.evaluate.answers_judge import Judge

    models = load_models(replace(settings, llm_answer_tokens=max(JUDGE_TOKENS, settings.llm_answer_tokens)))
    if models.remote is None:
        raise ModelUnavailable(role="generate", path="", reason="remote_none")
    name = f"{settings.llm_url} {settings.llm_remote_model or ''}".strip()
    return Judge(models.remote, models.embed, name)


def _several(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text[:10]) <= 1_000_000:
        return int(text)
    raise argparse.ArgumentTypeError(
        _("expected a whole number between {low} and {high}").format(low=1, high=1_000_000)
    )  # fmt: skip
