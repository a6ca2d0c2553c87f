"""One evaluation from a question file to its reports in the data folder: what a job of that kind does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, get_args

from engine import Models, Progress, Settings, open_archive
from engine.answer.answering import Answerer
from engine.evaluate import answers_report, answers_run, configs, contexts, layout, matrix, questions, report

from .printed import report_words
from .run_values import ANSWERS as ANSWERS
from .runs import FOLDER

ANSWERERS: Final[tuple[Answerer, ...]] = get_args(Answerer)


def search(
    engine: Settings,
    load: Callable[[Settings], Models],
    path: Path,
    measured: Sequence[str],
    *,
    on_progress: Callable[[Progress], None],
    check: Callable[[], None],
) -> tuple[str, int]:
    """Measure these configurations; the run's name and the number of questions.

    Raises ArchiveFormatError, SettingsError, IndexUnavailable, ModelUnavailable, StoreError, Cancelled.
    """
    run, written = search_run(engine, load, path, measured, engine.data / FOLDER, on_progress=on_progress, check=check)
    return written[0].stem, len(run.questions.questions)


def search_run(
    engine: Settings,
    load: Callable[[Settings], Models],
    path: Path,
    measured: Sequence[str],
    folder: Path,
    *,
    on_progress: Callable[[Progress], None],
    check: Callable[[], None] = lambda: None,
) -> tuple[matrix.Run, tuple[Path, ...]]:
    """The same with its reports in `folder`; the run itself and the files written."""
    asked, place = questions.read(path), layout.reserve(folder)
    models = load(engine)
    try:
        chosen = configs.named(
            measured or configs.DEFAULT, reranker=models.rerank is not None, contexts=contexts.ready(engine, models)
        )
        run = matrix.evaluate(engine, models, asked, chosen, on_progress=on_progress, check=check)
    finally:
        models.close()
    return run, tuple(report.write(run, place, report_words()))


def answers(
    engine: Settings,
    load: Callable[[Settings], Models],
    path: Path,
    measured: Sequence[str],
    *,
    on_progress: Callable[[Progress], None],
    check: Callable[[], None],
) -> tuple[str, int]:
    """Measure the answers, after ANSWERS in `measured` the answerer; the run's name and the number of questions.

    Raises what `search` raises. Questions that were answered before a stop are not asked again.
    """
    asked, folder = questions.read(path), layout.reserve(engine.data / FOLDER)
    answerer: Answerer = next((name for name in ANSWERERS if name in measured[1:]), "extractive")
    with open_archive(engine, load(engine)) as archive:
        run = answers_run.evaluate(
            archive, asked, answerer=answerer, folder=folder, on_progress=on_progress, check=check
        )  # fmt: skip
    written = answers_report.write(run, folder, report_words())
    answers_run.forget(run, folder)
    return written[0].stem, len(run.cases)
