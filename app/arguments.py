"""The grammar of the command line, with its help in the language of the screen."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from engine import Mode, SettingsError
from engine.evaluate.configs import ALL, CONFIGS, DEFAULT

from . import (
    access_command,
    answers_command,
    autostart_command,
    backup_command,
    capacity_command,
    doctor_command,
    erase_command,
    export_command,
    i18n,
    questions_command,
    settings,
    snapshot_command,
    verify_command,
    zones_command,
)
from .i18n import N_
from .i18n import gettext as _

MAX_HITS: Final = 200
STEERING: Final = ("cancel", "pause", "resume")
ANSWERERS: Final = ("auto", "extractive", "llm", "remote")
SHELVING: Final = ("list", "pull", "check", "add")

# argparse's own sentences that this grammar can show; it looks them up under these msgids. It puts the
# colon after a heading itself, so in French headings end with the space that goes before it.
ARGPARSE: Final = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
    N_("expected one argument"),
    N_("expected at least one argument"),
    N_("ignored explicit argument %r"),
    N_("not allowed with argument %s"),
)


def language(argv: Sequence[str], environ: Mapping[str, str]) -> str:
    """The language in which to answer, known before anything can be refused."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    early.add_argument("--lang", choices=i18n.LANGUAGES)
    early.add_argument("--data", type=Path)
    try:
        given, _rest = early.parse_known_args([*argv])
        options = {"language": given.lang} if given.lang else {}
        return settings.load(environ, data=given.data, app=options).app.language
    except (argparse.ArgumentError, SettingsError):
        return i18n.DEFAULT  # the same mistake is told later, in its place


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments given; exits with status 2 and a sentence when they are wrong."""
    # argparse finds its sentences through these two names of its module, the C library's catalogue
    # otherwise; and the stubs do not know them.
    vars(argparse).update(_=i18n.gettext, ngettext=i18n.ngettext)
    parser = _parser()
    given = parser.parse_args([*argv])
    if given.command == "jobs" and given.action and given.job is None:
        parser.error(_("the following arguments are required: %s") % "N")
    if given.command == "models" and given.action in ("pull", "add") and not given.names:
        parser.error(_("the following arguments are required: %s") % "NAME")
    if given.command == "access":
        access_command.check(parser, given)
    return given


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="archiviste",
        description=_("Searches the archive of a Discourse forum and answers questions with it, offline."),
        allow_abbrev=False,
    )
    _add_global(parser)
    commands = parser.add_subparsers(dest="command", metavar=_("COMMAND"), required=True)

    def command(name: str, explained: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=explained, description=explained, allow_abbrev=False)
        _add_global(added, default=argparse.SUPPRESS)
        return added

    command("demo", _("install the demo forum, ready to search"))

    importing = command("import", _("read backups or folders of saved topics into the archive"))
    importing.add_argument(
        "sources", nargs="+", type=Path, metavar="SOURCE",
        help=_("backup (.tar.gz, dump.sql.gz, dump.sql) or folder of topics saved as JSON"),
    )  # fmt: skip
    importing.add_argument(
        "--allow-removals", action="store_true",
        help=_("also remove the messages that the backup no longer holds, however many they are"),
    )  # fmt: skip

    syncing = command("sync", _("bring the archive up to date with a forum on the internet"))
    syncing.add_argument(
        "url", type=_clean, metavar="URL", help=_("address of the forum, as https://forum.example.org")
    )
    syncing.add_argument(
        "--allow-removals", action="store_true",
        help=_("also remove the topics that the forum doesn’t show any more, however many they are"),
    )  # fmt: skip

    verify_command.add_arguments(command("verify", _("compare the archive with its sources, topic by topic")))

    index = command("index", _("prepare the archive for searching"))
    index.add_argument(
        "--wait", action="store_true", help=_("stay until searching by meaning is ready too (may take hours)")
    )

    _add_json(command("status", _("tell what the archive holds and what is indexed")))

    search = command("search", _("search the messages"))
    _add_text(search, _("words to search; operators: auteur: catégorie: étiquette: titre: avant: après:"))
    search.add_argument("-k", type=_hits, default=10, metavar="N", help=_("number of results (10 when not given)"))
    search.add_argument(
        "--mode", choices=[mode.value for mode in Mode], default=Mode.HYBRID.value,
        help=_("hybrid (words and meaning), bm25 (words) or dense (meaning)"),
    )  # fmt: skip
    search.add_argument("--explain", action="store_true", help=_("tell why each result is there"))
    _add_json(search)

    ask = command("ask", _("answer a question with extracts of the archive"))
    _add_text(ask, _("the question"))
    ask.add_argument(
        "--answerer", choices=ANSWERERS, default="auto",
        help=_(
            "extractive (extracts), llm (this machine’s model), remote (a server) or auto (a model when there is one)"
        ),
    )  # fmt: skip
    ask.add_argument(
        "--after", action="append", default=[], type=_clean, metavar=_("TEXT"),
        help=_("an earlier question of the same conversation (may be repeated, oldest first)"),
    )  # fmt: skip
    _add_json(ask)

    evaluate = command("evaluate", _("measure the search with questions whose answer is known"))
    evaluate.add_argument(
        "questions", type=Path, metavar="QUESTIONS",
        help=_("questions in YAML or JSON Lines, or a folder with queries.jsonl and qrels.tsv"),
    )  # fmt: skip
    evaluate.add_argument(
        "--config", nargs="+", choices=[*(config.name for config in CONFIGS), ALL], default=list(DEFAULT),
        help=_("configurations to compare (bm25, dense and hybrid when not given)"),
    )  # fmt: skip
    evaluate.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=_("folder for the reports (evaluations in the data folder when not given)"),
    )
    evaluate.add_argument(
        "--fit",
        action="store_true",
        help=_("learn from these questions how to order results, and keep it if it is better"),
    )
    answers_command.add_arguments(evaluate, ANSWERERS)
    zones_command.add_arguments(evaluate)
    _add_json(evaluate)

    exported = command("export", _("take the public archive out: pages to read from a disk, or JSON to import"))
    export_command.add_arguments(exported)
    _add_json(exported)

    serve = command("serve", _("open the application in a browser"))
    serve.add_argument("--host", metavar="H", help=_("address to listen on (this machine’s own when not given)"))
    serve.add_argument("--port", type=_port, metavar="P", help=_("port to listen on"))
    serve.add_argument(
        "--lan", action="store_true", default=None,
        help=_("open the archive to other computers of the network, which need a passphrase (see access)"),
    )  # fmt: skip
    serve.add_argument("--certificate", type=Path, metavar="FILE", help=_("serve HTTPS with this certificate (PEM)"))
    serve.add_argument("--key", type=Path, metavar="FILE", help=_("private key of the certificate (PEM)"))
    serve.add_argument(
        "--replica", dest="replica_of", metavar="FOLDER|URL",
        help=_("read copies of the snapshots of this folder, or of the main server at this address; write nothing"),
    )  # fmt: skip
    serve.add_argument("--native", action="store_true", default=None, help=_("open in a window of its own"))

    access = command("access", _("choose the passphrases of readers and moderators; see and end their sessions"))
    access_command.add_arguments(access)
    _add_json(access)

    models = command("models", _("list the models; download, check or add some"))
    models.add_argument(
        "action", nargs="?", choices=SHELVING, default="list", metavar="ACTION", help=_("list, pull, check or add")
    )
    models.add_argument(
        "names", nargs="*", type=_clean, metavar="NAME",
        help=_("name of a model, or OWNER/REPO/FILE.gguf (pull); file or folder (add)"),
    )  # fmt: skip
    models.add_argument("--leave", action="store_true", help=_("add: leave the model where it is, without a copy"))
    _add_json(models)

    autostart_command.add_arguments(command("autostart", _("start the server with the session, or no longer")))

    worker = command("worker", _("run the tasks of the application (it starts one itself)"))
    worker.add_argument("--with-parent", action="store_true", help=_("end when standard input ends"))
    worker.add_argument(
        "--encode", action="store_true", help=_("only compute vectors, along with the worker (needs “queue_url”)")
    )

    jobs = command("jobs", _("list the tasks: imports, indexing, updates; pause, resume or cancel one"))
    jobs.add_argument("action", nargs="?", choices=STEERING, metavar="ACTION", help=_("cancel, pause or resume"))
    jobs.add_argument("job", nargs="?", type=_job, metavar="N", help=_("number of the task"))
    _add_json(jobs)

    doctor = command("doctor", _("check the archive and its indexes; repair what can be made again"))
    doctor_command.add_arguments(doctor)
    _add_json(doctor)

    backup = command("backup", _("keep the whole archive in one file, even while the application is open"))
    backup_command.add_backup_arguments(backup)
    _add_json(backup)

    restore = command("restore", _("bring an archive back from a backup; the present one is kept aside"))
    backup_command.add_restore_arguments(restore)
    _add_json(restore)

    capacity = command("capacity", _("tell what an archive of several million messages asks of its machines"))
    capacity_command.add_arguments(capacity)
    _add_json(capacity)

    snapshot = command("snapshot", _("publish what is indexed for the servers that read a copy of it"))
    snapshot_command.add_arguments(snapshot)
    _add_json(snapshot)

    erasing = command("erase", _("erase a member’s name, messages or a text everywhere, for good"))
    erase_command.add_arguments(erasing)
    _add_json(erasing)

    asked = command("questions", _("show the questions asked on the pages, and those without answer; export or erase"))
    questions_command.add_arguments(asked)
    _add_json(asked)
    return parser


def _add_global(parser: argparse.ArgumentParser, *, default: object = None) -> None:
    # Accepted before and after the command: SUPPRESS keeps a command from undoing what came before it.
    parser.add_argument("--data", type=Path, metavar="DIR", default=default, help=_("data folder of the archive"))
    parser.add_argument("--lang", choices=i18n.LANGUAGES, default=default, help=_("language of the screen"))


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help=_("print one JSON document"))


def _add_text(parser: argparse.ArgumentParser, explained: str) -> None:
    parser.add_argument("text", nargs="+", type=_clean, metavar=_("TEXT"), help=explained)


def _clean(text: str) -> str:
    # Bytes that are not UTF-8 reach argv as lone surrogates, which no database or file accepts.
    return text.encode("utf-8", "replace").decode("utf-8")


def _hits(text: str) -> int:
    return _whole(text, 1, MAX_HITS)


def _port(text: str) -> int:
    return _whole(text, 1, 65535)


def _job(text: str) -> int:
    return _whole(text, 1, 999_999_999)


def _whole(text: str, low: int, high: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high:
        return int(text)
    raise argparse.ArgumentTypeError(_("expected a whole number between {low} and {high}").format(low=low, high=high))
