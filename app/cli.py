"""The commands: each reads its arguments, calls the engine, and prints for a person or as JSON."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine import (
    Abstention,
    Answer,
    ArchivisteError,
    Declined,
    Mode,
    Models,
    QuerySyntaxError,
    build_index,
    import_archive,
    load_models,
    open_archive,
)

from . import (
    access_command,
    answers_command,
    arguments,
    autostart_command,
    backup_command,
    capacity_command,
    doctor_command,
    documents,
    erase_command,
    export_command,
    foreground,
    i18n,
    job_words,
    jobs_command,
    logs,
    models_command,
    printed,
    questions_command,
    settings,
    snapshot_command,
    sync,
    verify_command,
    zones_command,
)
from .errors import OF_THE_DISK, unusable
from .i18n import gettext as _
from .messages import message
from .output import DONE, FAILED
from .output import notices as _notices
from .output import print_json as _print_json
from .output import print_lines as _print
from .output import say as _say
from .progress import ProgressLine
from .settings import Choices

if TYPE_CHECKING:
    from engine.evaluate.questions import Question

_SERVED: Final = ("host", "port", "native", "lan", "certificate", "key", "replica_of")  # settings that `serve` takes
_log = logging.getLogger(__name__)


def run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Do what the arguments ask; the exit status: 0 done, 1 could not be served. Wrong usage exits with 2."""
    i18n.use(arguments.language(argv, environ))
    given = arguments.parse(argv)
    try:
        choices = _choices(given, environ)
        # Two processes must not rotate one file.
        name = logs.WORKER_FILE if given.command == "worker" else logs.FILE
        logs.start(choices.engine.data, choices.app.log_level, name=name)
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
    except Exception as error:  # noqa: BLE001 - the boundary of the process: logged, and told without a traceback
        _log.exception("unexpected")
        if isinstance(error, OSError) and error.errno in OF_THE_DISK:
            _say(message(unusable(Path(error.filename or given.data or "."), error)))
        else:
            _say(_("Something unexpected happened. Your archive is intact. Details are in the log."))
    return FAILED


def _choices(given: argparse.Namespace, environ: Mapping[str, str]) -> Choices:
    options = {"language": given.lang}
    if given.command == "serve":
        options |= {name: getattr(given, name) for name in _SERVED}
    return settings.load(
        environ,
        data=given.data,
        default_data=settings.user_data() / "demo" if given.command == "demo" else None,
        app={name: value for name, value in options.items() if value is not None},
    )


# --- commands ---------------------------------------------------------------------------------


def _demo(_given: argparse.Namespace, choices: Choices) -> int:
    from .demo import backup

    engine = choices.engine
    with backup(engine.data) as source, ProgressLine() as progress:
        import_archive(engine, source, on_progress=progress)
        build_index(engine, load_models(engine), on_progress=progress)
    _print(_("The demo forum is ready in {data}.").format(data=engine.data))
    _print("", _("Next:"))
    command = f'  archiviste --data "{engine.data}"'
    question = _("At what pressure should I inflate 700x28 tyres for a rider of 82 kg?")
    _print(f'{command} ask "{question}"', f"{command} serve")
    return DONE


def _status(given: argparse.Namespace, choices: Choices) -> int:
    with open_archive(choices.engine, Models()) as archive:
        status = archive.status()
    jobs = jobs_command.read(choices.engine.data)
    if given.json:
        _print_json(documents.status_document(status, jobs))
    else:
        _print(*printed.status_lines(status), *job_words.unfinished_lines(jobs))
    jobs_command.tell_company(choices)
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
        events = archive.ask(" ".join(given.text), given.after, answerer=given.answerer)
        outcome = next(event for event in events if isinstance(event, Answer | Abstention | Declined))
        flaw = archive.gate.flaw() if choices.engine.gate == "on" else None
    if flaw is not None:
        _say(message(flaw))
    if not isinstance(outcome, Declined):
        _notices(outcome.notices)
    if given.json:
        _print_json(documents.ask_document(outcome))
    else:
        _print(*printed.answer_lines(outcome))
    return DONE


def _evaluate(given: argparse.Namespace, choices: Choices) -> int:
    if given.answers:
        return answers_command.run(given, choices)
    if given.fit_zones:
        return zones_command.run(given, choices)
    from . import evaluating, runs  # with all that measuring takes

    folder = given.out or choices.engine.data / runs.FOLDER
    with ProgressLine() as progress:
        run, written = evaluating.search_run(
            choices.engine, load_models, given.questions, given.config, folder, on_progress=progress
        )
    if given.json:
        _print_json(documents.evaluate_document(run))
    else:
        _print(*printed.evaluation_lines(run))
    _say(_("Reports: {paths}").format(paths=", ".join(map(str, written))))
    if given.fit:
        _say(_fit(run.questions.questions, choices))
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


def _worker(given: argparse.Namespace, choices: Choices) -> int:
    if given.encode:
        from .encoder import run as run_encoder

        return run_encoder(choices)
    from .worker import run as run_worker

    return run_worker(choices, with_parent=given.with_parent)


_COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace, Choices], int]]] = {
    "demo": _demo,
    "import": foreground.import_sources,
    "sync": sync.run,
    "index": foreground.index,
    "status": _status,
    "search": _search,
    "ask": _ask,
    "evaluate": _evaluate,
    "export": export_command.run,
    "serve": _serve,
    "access": access_command.run,
    "models": models_command.run,
    "worker": _worker,
    "jobs": jobs_command.run,
    "doctor": doctor_command.run,
    "autostart": autostart_command.run,
    "backup": backup_command.back_up,
    "restore": backup_command.restore,
    "capacity": capacity_command.run,
    "snapshot": snapshot_command.run,
    "erase": erase_command.run,
    "questions": questions_command.run,
    "verify": verify_command.run,
}
