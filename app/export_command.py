"""The command `export`: the public archive in a folder, as saved JSON or as pages to read from a disk."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from . import exports, foreground, i18n
from .i18n import gettext as _
from .i18n import ngettext
from .job_states import Note
from .output import DONE, print_json, print_lines
from .settings import Choices


def add_arguments(parser: ArgumentParser) -> None:
    """The grammar of the command."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help=_("new folder for the export"))
    parser.add_argument(
        "--format", choices=exports.FORMATS, default="html", metavar="FORMAT",
        help=_("html: pages to read from a disk; json: topics as Discourse gives them, which import reads"),
    )  # fmt: skip


def run(given: Namespace, choices: Choices) -> int:
    """Export, here."""
    folder = given.folder.absolute()
    with foreground.Screen() as screen:
        job = foreground.run(choices.engine, exports.work(folder, given.format), heard=screen.heard)
    (note,) = (note for note in job.notes if note.code == "exported")
    if given.json:
        print_json({"folder": str(folder), "format": given.format, "posts": note.values["posts"]})
        return DONE
    print_lines(_("Exported: {messages}, in the folder {path}.").format(messages=_messages(note), path=folder))
    if given.format == "html":
        print_lines(_("Open {file} in a browser.").format(file=folder / "index.html"))
    return DONE


def _messages(note: Note) -> str:
    posts = int(str(note.values["posts"]))
    return ngettext("{n} message", "{n} messages", posts).format(n=i18n.number(posts))
