"""The command `sync`: bring the archive to what a live forum shows, and tell what was done."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from engine import SyncReport, UploadsReport, forum_address

from . import foreground, i18n, printed, snapshots
from .flows import Heard
from .i18n import gettext as _
from .i18n import ngettext
from .job_states import Kind, State, Work
from .output import DONE, FAILED, print_lines, say
from .progress import ProgressLine
from .settings import Choices


def run(given: Namespace, choices: Choices) -> int:
    """Fetch, import, and print the report; the exit status."""
    url = forum_address(given.url).base_url
    reports: list[SyncReport] = []
    with ProgressLine() as progress:
        work = Work(Kind.SYNC, (url,), accept_removals=given.allow_removals)
        heard, after = Heard(progress=progress, synced=reports.append), snapshots.after(choices.app)
        job = foreground.run(choices.engine, work, heard=heard, after=after)
    for report in reports:
        print_lines(*sync_lines(report, url=url))
    if job.state is State.DONE:
        print_lines("", _("Next: archiviste index"))
        return DONE
    say(_("Part of this could not be read. What was read is kept."))
    return FAILED


def sync_lines(report: SyncReport, *, url: str) -> Iterator[str]:
    """What one sync did, and how the count stands."""
    yield _("Up to date with {source} (in {time})").format(source=url, time=i18n.duration(report.took_s))
    yield from printed.import_lines(report.imported)
    counts = (
        (_("Topics read: {count}"), report.topics_read),
        (_("Topics that the forum doesn’t show any more: {count}"), report.departed),
        (_("Requests to the forum: {count}"), report.requests),
    )
    yield from ("  " + line.format(count=i18n.number(count)) for line, count in counts)
    if report.waited_s >= 1:
        yield "  " + _("Waited because the forum asked for it: {time}").format(time=i18n.duration(report.waited_s))
    count = _("Count: {announced} messages announced in {topics} topics, {held} in the archive, {holes} missing")
    yield "  " + count.format(
        announced=i18n.number(report.announced), topics=i18n.number(report.topics), held=i18n.number(report.held),
        holes=i18n.number(report.holes),
    )  # fmt: skip
    if report.kept_topics:
        yield from printed.wrapped(
            ngettext(
                "{count} topic is not shown by the forum any more and was kept: it is most of the archive. If the forum"
                " is right, start again with --allow-removals.",
                "{count} topics are not shown by the forum any more and were kept: they are most of the archive. If the"
                " forum is right, start again with --allow-removals.",
                report.kept_topics,
            ).format(count=i18n.number(report.kept_topics)),
            indent="  ",
        )
    if report.troubled:
        yield from printed.wrapped(
            ngettext(
                "The server failed to show {count} topic. It will be asked for again next time.",
                "The server failed to show {count} topics. They will be asked for again next time.",
                report.troubled,
            ).format(count=i18n.number(report.troubled)),
            indent="  ",
        )
    if report.uploads is not None:
        yield from ("  " + line for line in _uploads(report.uploads))


def _uploads(report: UploadsReport) -> Iterator[str]:
    yield _("Images and files: {fetched} fetched, {held} in all ({size})").format(
        fetched=i18n.number(report.fetched), held=i18n.number(report.held), size=i18n.size(report.held_bytes)
    )
    if report.absent:
        yield _("Images and files that the forum doesn’t have: {count}").format(count=i18n.number(report.absent))
    if report.no_room:
        yield _("Images and files without room (“sync_uploads_mb”): {count}").format(count=i18n.number(report.no_room))
    if not report.finished:
        yield _("The forum stopped answering before all of them were fetched. They will be asked for next time.")
