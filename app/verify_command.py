"""The command `verify`: what the sources say, compared with what the archive holds, topic by topic."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from . import i18n
from .i18n import gettext as _
from .i18n import ngettext
from .messages import message, skipped
from .output import DONE, FAILED, print_json, print_lines
from .progress import ProgressLine
from .settings import Choices

if TYPE_CHECKING:
    from engine.verifying import TopicCheck, Verification

SHOWN: Final = 20  # topics named in the summary; --json names all of them
FLAWS_SHOWN: Final = 10


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `verify`."""
    parser.add_argument(
        "sources", nargs="*", type=Path, metavar="SOURCE",
        help=_("backup or folder to compare with (without any: what the imports wrote down)"),
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help=_("print one JSON document"))


def run(given: Namespace, choices: Choices) -> int:
    """Compare with each source; 1 when something public is missing, or something private is held."""
    from engine import verifying

    engine = choices.engine
    if not given.sources:
        found = [verifying.verify_ledger(engine)]
    else:
        with ProgressLine() as progress:
            found = [verifying.verify(engine, source, on_progress=progress) for source in given.sources]
    if given.json:
        print_json({"whole": all(one.whole for one in found), "verifications": [document(one) for one in found]})
    else:
        for one in found:
            print_lines(*lines(one), "")
    return DONE if all(one.whole for one in found) else FAILED


def document(found: Verification) -> dict[str, Any]:
    """One comparison as JSON; `topics` holds all of them, by their id."""
    return {
        "source": found.source or None, "kind": found.kind, "whole": found.whole, "expected": _sum(found, "expected"),
        "held": _sum(found, "held"), "missing": found.missing, "edited": _sum(found, "edited"),
        "newer": _sum(found, "newer"), "damaged": _sum(found, "damaged"), "extra": _sum(found, "extra"),
        "private": found.private, "skipped": found.skipped, "files": found.files,
        "missing_files": found.missing_files, "took_s": round(found.took_s, 3),
        "flaws": [{"code": flaw.code, "where": flaw.where, "fatal": flaw.fatal} for flaw in found.flaws],
        "topics": [_topic(topic) for topic in found.topics],
    }  # fmt: skip


def lines(found: Verification) -> Iterator[str]:
    """One comparison in sentences."""
    if found.source:
        yield _("Compared with {source} (in {time})").format(source=found.source, time=i18n.duration(found.took_s))
    else:
        yield _("Compared with what the imports wrote down; their sources were not read again.")
    counts = (
        (_("Public messages of the source: {count}"), _sum(found, "expected"), True),
        (_("In the archive: {count}"), _sum(found, "held"), True),
        (_("Missing: {count}"), found.missing, True),
        (_("Edited in the source, older in the archive: {count}"), _sum(found, "edited"), False),
        (_("More recent in the archive: {count}"), _sum(found, "newer"), False),
        (_("Damaged in the archive: {count}"), _sum(found, "damaged"), False),
        (_("In the archive, no longer in the source: {count}"), _sum(found, "extra"), False),
        (_("In the archive, but private in the source: {count}"), found.private, False),
        (_("Images and files kept: {count}"), found.files, False),
        (_("Images and files missing: {count}"), found.missing_files, False),
    )
    yield from ("  " + line.format(count=i18n.number(count)) for line, count, always in counts if count or always)
    left_out = sorted(((count, reason) for reason, count in found.skipped.items() if count), reverse=True)
    if left_out:
        yield "  " + _("Left out because they are not public, or could not be read:")
        yield from (f"    {i18n.number(count)} × {skipped(reason)}" for count, reason in left_out)
    for flaw in found.flaws[:FLAWS_SHOWN]:
        yield f"  {message(flaw)}"
    yield from _troubled([topic for topic in found.topics if not topic.whole])
    if found.whole:
        yield "  " + _("Everything public is in the archive.")
    else:
        yield "  " + _("To bring the archive to the state of the source, import it again, then: archiviste index")


def _troubled(topics: list[TopicCheck]) -> Iterator[str]:
    if not topics:
        return
    count = ngettext("{n} topic differs:", "{n} topics differ:", len(topics))
    yield "  " + count.format(n=i18n.number(len(topics)))
    for topic in topics[:SHOWN]:
        said = (
            (ngettext("{n} missing", "{n} missing ones", topic.missing), topic.missing),
            (ngettext("{n} edited", "{n} edited ones", topic.edited), topic.edited),
            (ngettext("{n} damaged", "{n} damaged ones", topic.damaged), topic.damaged),
            (ngettext("{n} private", "{n} private ones", topic.private), topic.private),
        )
        what = ", ".join(words.format(n=i18n.number(n)) for words, n in said if n)
        title = topic.title or _("topic {id}, not in the archive").format(id=topic.topic_id)
        yield f"    /t/{topic.topic_id} {title} — {what}"
    if len(topics) > SHOWN:
        yield "    " + _("… and {count} more; --json names all of them").format(count=i18n.number(len(topics) - SHOWN))


def _topic(topic: TopicCheck) -> dict[str, Any]:
    return {
        "topic_id": topic.topic_id, "title": topic.title, "expected": topic.expected, "held": topic.held,
        "missing": topic.missing, "edited": topic.edited, "newer": topic.newer, "damaged": topic.damaged,
        "extra": topic.extra, "private": topic.private, "skipped": dict(sorted(topic.skipped.items())),
    }  # fmt: skip


def _sum(found: Verification, name: str) -> int:
    return sum(getattr(topic, name) for topic in found.topics)
