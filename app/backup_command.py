"""The commands `backup` and `restore`: the data folder in one file, and back. Both work without the application."""

from __future__ import annotations

import secrets
import shutil
from argparse import ArgumentParser, Namespace
from datetime import UTC, date, datetime
from pathlib import Path

from engine import Settings, StoreBusy, StoreError, keeping
from engine.keeping import Head, Manifest
from engine.locks import WRITER_LOCK

from . import backups, doctor_checks, doctor_command, encoders, i18n, instance, jobs, locks, logs
from .documents import Document
from .i18n import gettext as _
from .i18n import ngettext
from .output import DONE, print_json, print_lines, say
from .progress import ProgressLine
from .settings import Choices


def add_backup_arguments(parser: ArgumentParser) -> None:
    """The grammar of `backup`."""
    parser.add_argument(
        "place", nargs="?", type=Path, metavar="FILE",
        help=_("file to write, or folder for a new one (a folder of the archive when not given)"),
    )  # fmt: skip
    parser.add_argument("--models", action="store_true", help=_("keep the models as well (they can be fetched again)"))


def add_restore_arguments(parser: ArgumentParser) -> None:
    """The grammar of `restore`."""
    parser.add_argument("backup", type=Path, metavar="FILE", help=_("backup made by the command backup"))
    parser.add_argument("--check", action="store_true", help=_("only read the backup and verify it"))


def back_up(given: Namespace, choices: Choices) -> int:
    """Make a backup here, whoever else works on the archive."""
    data = choices.engine.data
    place = given.place if given.place is not None else data / backups.FOLDER
    with ProgressLine() as progress:
        saved = backups.make(choices.engine, place.absolute(), models=given.models, on_progress=progress)
    if given.json:
        size = {"path": str(saved.path), "size": saved.size}
        print_json(size | _document(saved.head, saved.manifest))
        return DONE
    said = _("Backup made: {path} ({size}), {messages}.")
    print_lines(said.format(path=saved.path, size=i18n.size(saved.size), messages=_messages(saved.manifest)))
    if saved.path.is_relative_to(data):
        say(_("It lies on the same disk as the archive: copy it to another one."))
    return DONE


def restore(given: Namespace, choices: Choices) -> int:
    """Verify a backup, and put it in the place of the data folder, which is kept."""
    if given.check:
        with ProgressLine() as progress:
            head, manifest = keeping.check(given.backup, schemas=backups.SCHEMAS, on_progress=progress)
        said = _("This backup is whole: {messages}, made on {date}.")
        return _tell(given, head, manifest, said)
    data = choices.engine.data.resolve()
    aside, head, manifest = _restore(given.backup, data)
    erased = aside is not None and _erase_again(choices.engine, aside)
    findings = doctor_checks.examine(choices.engine, quick=True)
    if given.json:
        found: Document = {"data": str(data), "aside": None if aside is None else str(aside)}
        found["erased_again"] = erased
        print_json(found | _document(head, manifest) | {"doctor": doctor_command.document(findings)})
        return DONE
    _tell(given, head, manifest, _("The archive is restored: {messages}, as on {date}."))
    if erased:
        said = _("What was erased since this backup was made is erased again. Prepare the search: archiviste index.")
        print_lines(said)
    if aside is not None:
        print_lines(_("The former data folder is kept: {path}. Remove it once all is well.").format(path=aside))
    print_lines("", *doctor_command.lines(findings))
    return DONE


def _restore(backup: Path, data: Path) -> tuple[Path | None, Head, Manifest]:
    """The former folder where it is kept, and the cards of the backup. The data folder changes at the very end."""
    if data.is_mount():
        raise StoreError(path=str(data), reason="mount_point")
    _check_nobody(data)
    fresh = data.with_name(f".{data.name}.{secrets.token_hex(4)}.part")
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        with ProgressLine() as progress:
            head, manifest = keeping.unpack(backup, fresh, schemas=backups.SCHEMAS, on_progress=progress)
        _check_nobody(data)
        logs.close()  # Windows renames no folder where a file is open
        aside = keeping.put_in_place(fresh, data, today=_today(), passing=backups.PASSING)
    except OSError as error:
        raise StoreError(path=str(data), reason=error.strerror or str(error)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return aside, head, manifest


def _erase_again(settings: Settings, aside: Path) -> bool:
    """Let what was erased after the backup was made be erased in what it brought back; whether there was any."""
    from engine.erase import erased, flow

    since, known = erased.load(aside), erased.load(settings.data)
    if not since or known.key not in ("", since.key):  # nothing, or the list of another archive
        return False
    both = since.with_more(
        terms=known.terms, members=known.members, posts=known.posts, places=known.places, topics=known.topics,
        quotes=known.quotes, words=since.words,
    )  # fmt: skip
    if known == both:
        return False
    erased.save(settings.data, both)
    flow.reapply(settings)
    shutil.rmtree(settings.data / "indexes", ignore_errors=True)  # it knows the words that are gone
    return True


def _check_nobody(data: Path) -> None:
    """Raises StoreBusy while somebody uses the data folder: they would go on with the former one."""
    held = locks.is_held(jobs.worker_lock(data)) or locks.is_held(data / WRITER_LOCK)
    if instance.is_open(data) or held or encoders.count(data):
        raise StoreBusy(holder=str(data), reason="restore")


def _tell(given: Namespace, head: Head, manifest: Manifest, said: str) -> int:
    if given.json:
        print_json(_document(head, manifest))
    else:
        made_at = i18n.date_short(datetime.fromisoformat(head.made_at))
        print_lines(said.format(messages=_messages(manifest), date=made_at))
    return DONE


def _messages(manifest: Manifest) -> str:
    return ngettext("{n} message", "{n} messages", manifest.posts).format(n=i18n.number(manifest.posts))


def _document(head: Head, manifest: Manifest) -> Document:
    return {
        "made_at": head.made_at, "application": head.application, "title": head.title,
        "posts": manifest.posts, "topics": manifest.topics, "categories": manifest.categories,
        "generation": manifest.generation, "files": len(manifest.files),
    }  # fmt: skip


def _today() -> date:
    return datetime.now(UTC).astimezone().date()
