"""The command `snapshot`: publish what is indexed now for the servers that only read it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from . import i18n, snapshots
from .i18n import gettext as _
from .i18n import ngettext
from .output import DONE, FAILED, print_json, print_lines, say
from .progress import ProgressLine
from .settings import Choices


def add_arguments(parser: ArgumentParser) -> None:
    """The grammar of `snapshot`."""
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER",
        help=_("folder of the snapshots (that of the settings when not given)"),
    )  # fmt: skip


def run(given: Namespace, choices: Choices) -> int:
    """Publish; the exit status."""
    folder = given.folder.absolute() if given.folder else choices.app.snapshots
    if folder is None:
        say(_("Say where: archiviste snapshot FOLDER, or name a folder in the setting “snapshots”."))
        return FAILED
    with ProgressLine() as progress:
        card = snapshots.publish(choices.app, choices.engine, folder, verify=True, on_progress=progress)
    if card is None:
        say(_("Nothing was published: the archive is not indexed, or not to its end. Next: archiviste index"))
        return FAILED
    if given.json:
        print_json({
            "folder": str(folder), "name": card.name, "made_at": card.made_at, "generation": card.generation,
            "posts": card.posts, "topics": card.topics, "files": len(card.files), "size": card.size,
        })  # fmt: skip
        return DONE
    count = ngettext("{n} message", "{n} messages", card.posts).format(n=i18n.number(card.posts))
    said = _("Snapshot published: {name} ({count}, {size}), in {folder}.")
    print_lines(said.format(name=card.name, count=count, size=i18n.size(card.size), folder=folder))
    return DONE
