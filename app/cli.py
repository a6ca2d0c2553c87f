"""The commands: each reads its arguments, calls the engine, and prints for a person or as JSON."""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import (
    Abstention,
    Answer,
    ArchiveFormatError,
    ArchivisteError,
    Mode,
    Models,
    QuerySyntaxError,
    build_index,
    import_archive,
    load_models,
    open_archive,
)

from . import arguments, documents, i18n, logs, printed, settings
from .i18n import gettext as _
from .messages import message
from .progress import ProgressLine
from .settings import Choices

if TYPE_CHECKING:
    from engine.evaluate.questions import Question

DONE: Final = 0
FAILED: Final = 1

# What a terminal could take for a command, should a forum's text hold some.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_log = logging.getLogger(__name__)


def run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Do what the arguments ask; the exit status: 0 done, 1 could not be served. Wrong usage exits with 2."""
    i18n.use(arguments.language(argv, environ))
    given = arguments.parse(argv)
    try:
        choices = _choices(given, environ)
        logs.start(choices.engine.data, choices.app.log_level)
        return _COMMANDS[given.command](given, choices)
    except ArchivisteError as error:
        # The user's own words stay out of the log.
        _log.log(logging.DEBUG if isinstance(error, QuerySyntaxError) else logging.WARNING, "%s", error)
        _say(message(error))
    except KeyboardInterrupt:
        _say(_("Interrupted. What was done is kept."))
    except BrokenPipeError:
        # The reader has seen enough (`| head`). Python would complain again while closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception:  # noqa: BLE001 - the boundary of the process: logged, and told without a traceback
        _log.exception("unexpected")
        _say(_("Something unexpected happened. Your archive is intact. Details are in the log."))
    return FAILED


def _choices(given: argparse.Namespace, environ: Mapping[str, str]) -> Choices:
    options = {"language": given.lang}
    if given.command == "serve":
        options |= {"host": given.host, "port": given.port, "native": given.native}
    return settings.load(
        environ,
        data=given.data,
        default_data=settings.user_data() / "demo" if given.command == "demo" else None,
        app={name: value for name, value in options.items() if value is not None},
    )


# --- commands ---------------------------------------------------------------------------------


def _demo(_given: argparse.Namespace, choices: Choices) -> int:
    from .demo import build

    engine = choices.engine
    # Always at the same place, so that importing it again is seen as the same source; not kept, since a
    # backup holds what is private in the forum.
    source = build(engine.data / "demo-source")
    try:
        with ProgressLine() as progress:
            import_archive(engine, source, on_progress=progress)
            build_index(engine, load_models(engine), on_progress=progress)
    finally:
        shutil.rmtree(source.parent, ignore_errors=True)
    _print(_("The demo forum is ready in {data}.").format(data=engine.data))
    _print("", _("Next:"))
    command = f'  archiviste --data "{engine.data}"'
    question = _("At what pressure should I inflate 700x28 tyres for a rider of 82 kg?")
    _print(f'{command} ask "{question}"', f"{command} serve")
    return DONE


def _import(given: argparse.Namespace, choices: Choices) -> int:
    whole = True
    for source in given.sources:
        try:
            with ProgressLine() as progress:
                report = import_archive(
                    choices.engine, source, accept_removals=given.allow_removals, on_progress=progress
                )
        except ArchiveFormatError as error:  # the other sources may be good
            _say(message(error))
            whole = False
            continue
        _print(*printed.report_lines(report, source=str(source)))
        whole = whole and report.complete
    if whole:
        _print("", _("Next: archiviste index"))
        return DONE
    _say(_("Part of this could not be imported. What was read is kept."))
    return FAILED


def _index(given: argparse.Namespace, choices: Choices) -> int:
    models = load_models(choices.engine)
    with ProgressLine() as progress:
        build_index(choices.engine, models, vectors=given.wait, on_progress=progress)
    if models.embed is None:
        _print(_("The archive is ready for searching by word. This machine can’t search by meaning."))
    elif given.wait:
        with open_archive(choices.engine, models) as archive:
            indexed = archive.status().dense_model
        if indexed is None or models.compares(indexed):
            _print(_("The archive is ready for searching by word and by meaning."))
        else:
            _print(_("The archive is ready for searching by word."))
            _print(message("encoder_differs"))
    else:
        log = _index_later(choices.engine.data)
        _print(_("The archive is ready for searching by word."))
        _print(_("Searching by meaning is being prepared in the background: see {log}.").format(log=log))
    return DONE


def _index_later(data: Path) -> Path:
    """Start this program again for the vectors, so that it outlives the terminal; the path of its log."""
    log = logs.path_of(data, "index.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    frozen = getattr(sys, "frozen", False)
    program = [sys.executable] if frozen else [sys.executable, "-m", "app"]
    with log.open("ab") as output:
        subprocess.Popen(
            [*program, "--data", str(data), "--lang", i18n.language(), "index", "--wait"],
            # A checkout is found through the working directory; an installed package is found anyway.
            cwd=None if frozen else Path(__file__).resolve().parents[1],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **_detached(),
        )
    return log


def _detached() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _status(given: argparse.Namespace, choices: Choices) -> int:
    with open_archive(choices.engine, Models()) as archive:
        status = archive.status()
    if given.json:
        _print_json(documents.status_document(status))
    else:
        _print(*printed.status_lines(status))
    return DONE


def _search(given: argparse.Namespace, choices: Choices) -> int:
    with open_archive(choices.engine, load_models(choices.engine)) as archive:
        result = archive.search(" ".join(given.text), mode=Mode(given.mode), k=given.k)
    _notices(result.notices)
    if given.json:
        _print_json(documents.search_document(result))
    else:
        _print(*printed.search_lines(result, explain=given.explain))
    return DONE


def _ask(given: argparse.Namespace, choices: Choices) -> int:
    with open_archive(choices.engine, load_models(choices.engine)) as archive:
        # Pieces are not verified yet: a terminal can't take them back, so only the outcome is printed.
        events = archive.ask(" ".join(given.text), answerer=given.answerer)
        outcome = next(event for event in events if isinstance(event, Answer | Abstention))
    _notices(outcome.notices)
    if given.json:
        _print_json(documents.ask_document(outcome))
    else:
        _print(*printed.answer_lines(outcome))
    return DONE


def _evaluate(given: argparse.Namespace, choices: Choices) -> int:
    from engine.evaluate import configs, matrix, questions, report

    asked = questions.read(given.questions)
    folder = report.reserve(given.out or choices.engine.data / "evaluations")
    models = load_models(choices.engine)
    try:
        with ProgressLine() as progress:
            run = matrix.evaluate(
                choices.engine,
                models,
                asked,
                configs.named(given.config, reranker=models.rerank is not None),
                on_progress=progress,
            )
    finally:
        models.close()
    written = report.write(run, folder, printed.report_words())
    if given.json:
        _print_json(documents.evaluate_document(run))
    else:
        _print(*printed.evaluation_lines(run))
    _say(_("Reports: {paths}").format(paths=", ".join(map(str, written))))
    if given.fit:
        _say(_fit(asked.questions, choices))
    return DONE


def _fit(asked: Sequence[Question], choices: Choices) -> str:
    """Learn from labelled questions how to order results; the sentence that says what came of it."""
    from engine.evaluate import examples, fit
    from engine.retrieve import combine

    with open_archive(choices.engine, load_models(choices.engine)) as archive:
        found = examples.collect(archive, asked, against=combine.load(choices.engine.data))
    if sum(bool(example.answers.any()) for example in found) < fit.MIN_EXAMPLES:
        return _("At least {count} questions with a message that is found are needed to learn from them.").format(
            count=fit.MIN_EXAMPLES
        )
    fitted = fit.fit(found, fitted_on=_("{count} questions of this archive").format(count=len(found)))
    figures = {"before": i18n.decimal(fitted.before, 3), "after": i18n.decimal(fitted.after, 3)}
    if not fitted.better:
        return _("Nothing was changed: what was learned is not better (MRR@10 {before}, {after}).").format(**figures)
    path = choices.engine.data / combine.FILE
    combine.save(fitted.combination, path)
    return _("Results are now ordered by what was learned (MRR@10 {before} before, {after} after): {path}").format(
        **figures, path=path
    )


def _serve(_given: argparse.Namespace, choices: Choices) -> int:
    from .serve import run as run_server

    return run_server(choices.app, choices.engine)


_COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace, Choices], int]]] = {
    "demo": _demo,
    "import": _import,
    "index": _index,
    "status": _status,
    "search": _search,
    "ask": _ask,
    "evaluate": _evaluate,
    "serve": _serve,
}

# --- output -----------------------------------------------------------------------------------


def _print(*lines: str) -> None:
    """The answer of the command: the one place that writes to stdout."""
    sys.stdout.write("".join(_CONTROL.sub("", line) + "\n" for line in lines))
    sys.stdout.flush()


def _print_json(document: documents.Document) -> None:
    _print(*json.dumps(document, ensure_ascii=False, indent=2).splitlines())


def _say(sentence: str) -> None:
    """Something about the work rather than its result."""
    sys.stderr.write(_CONTROL.sub("", sentence) + "\n")
    sys.stderr.flush()


def _notices(codes: Iterable[str]) -> None:
    for code in codes:
        _say(message(code))
