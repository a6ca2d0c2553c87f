"""What the command line prints for a person: results, answers, reports, as plain text.

Knows nothing about where the text goes.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from engine import Abstention, Answer, Declined, Hit, ImportReport, SearchResult, SkipReason, Status, UploadsReport
from engine.evaluate.matrix import Run
from engine.evaluate.tables import Table, Words, figures

from . import i18n
from .answer_words import caution, dropped, heading, invitation
from .i18n import N_, ngettext
from .i18n import gettext as _
from .messages import correction, message, skipped

WIDTH_MAX: Final = 100
# What the user can do about posts left out for a reason of the source rather than of the forum.
ADVICE: Final = {
    SkipReason.UNKNOWN_CATEGORY: N_(
        "A category that no list names is taken for private. Put the forum’s own site.json beside the topics:"
        " it names all public categories."
    ),
    SkipReason.MISSING_TOPIC: N_(
        "Whether these messages are public could not be known: the part of the source that tells is missing."
        " Get the backup again, whole."
    ),
}
FLAWS_SHOWN: Final = 20
MARKER: Final = re.compile(r"\[\[(\d+)\]\]")
RANKINGS: Final[Mapping[str, str]] = {
    "lexical": N_("exact words"),
    "dense": N_("meaning"),
    "recent": N_("most recent"),
    "rerank": N_("second reading"),
    "combination": N_("cross-check"),
}


# Why vectors that a backup brings can't be used.
REFUSED_VECTORS: Final[Mapping[str, str]] = {
    "definition": N_("nothing says which model made them"),
    "model": N_("made by another model than bge-m3"),
    "dimensions": N_("not of the size that bge-m3 makes"),
    "prompt": N_("made with instructions of the forum’s own"),
    "unreadable": N_("unreadable"),
}
# After an import that brought vectors: what they change for the reader.
FORUM_VECTORS: Final = N_("Where bge-m3 is on this computer, these messages won’t be read again for their meaning.")


def search_lines(result: SearchResult, *, explain: bool) -> Iterator[str]:
    """How the words were read, then the results, numbered, best first."""
    for typed, read in result.corrections:
        yield correction(typed, read)
    if result.suggestion is not None:
        yield _("Did you mean: {search}").format(search=result.suggestion)
    if not result.hits:
        yield _("No result.")
        return
    for hit in result.hits:
        yield from _hit(hit, explain=explain)
        yield ""
    shown = ngettext("{count} result shown", "{count} results shown", len(result.hits)).format(
        count=i18n.number(len(result.hits))
    )
    yield _("{shown}, in {time}.").format(shown=shown, time=i18n.duration(result.took_ms / 1000))


def answer_lines(outcome: Answer | Abstention | Declined) -> Iterator[str]:
    """The answer and its sources, or why there is none and what comes closest."""
    if isinstance(outcome, Declined):
        yield from wrapped(outcome.reason)
        return
    if outcome.search:
        yield from (*wrapped(_("Search: {text}").format(text=outcome.search)), "")
    if isinstance(outcome, Abstention):
        yield from wrapped(message(outcome.reason))
        if said := invitation(outcome):
            yield from wrapped(said)
        if outcome.evidence:
            yield from ("", _("Closest messages:"))
            yield from _sources((e.n, e.author, e.title, e.url) for e in outcome.evidence)
        return
    yield heading(outcome)
    yield from wrapped(said) if (said := caution(outcome)) else ()
    yield ""
    for paragraph in _marked(outcome).splitlines():
        yield from wrapped(MARKER.sub(r"[\1]", paragraph)) if paragraph.strip() else [""]
    if outcome.truncated:
        yield from ("", _("(The answer was cut: it had become too long.)"))
    if outcome.removed_links:
        yield ""
        yield ngettext(
            "{count} link that was not in the archive has been removed.",
            "{count} links that were not in the archive have been removed.",
            outcome.removed_links,
        ).format(count=i18n.number(outcome.removed_links))
    if outcome.dropped:
        yield from ("", dropped(len(outcome.dropped)))
    yield from ("", _("Sources:"))
    known = {e.n: e for e in outcome.evidence}
    cited = (known[c.n] for c in outcome.citations if c.n in known)
    yield from _sources((e.n, e.author, e.title, e.url) for e in cited)


def _marked(answer: Answer) -> str:
    """The text, each sentence that its sources don't support followed by words that say so."""
    text = answer.text
    for check in sorted(answer.unsupported, key=lambda check: -check.end):
        text = f"{text[: check.end]} ({_('not verified in the sources')}){text[check.end :]}"
    return text


def status_lines(status: Status) -> Iterator[str]:
    """What the archive holds and what is indexed."""
    if not status.posts:
        yield _("The archive is empty.")
        return
    where = f" ({status.base_url})" if status.base_url else ""
    yield (status.title or _("Untitled archive")) + where
    yield _("Messages: {count}").format(count=i18n.number(status.posts))
    yield _("Topics: {count}").format(count=i18n.number(status.topics))
    yield _("Categories: {count}").format(count=i18n.number(status.categories))
    yield _("Searchable by word: {count}").format(count=i18n.number(status.lexical_posts))
    yield _("Searchable by meaning: {count} ({share})").format(
        count=i18n.number(status.dense_posts), share=i18n.percent(status.dense_coverage)
    )
    yield from _skipped(status.skipped)


def report_lines(report: ImportReport, *, source: str) -> Iterator[str]:
    """What one import did."""
    if report.complete:
        yield _("Imported: {source} (in {time})").format(source=source, time=i18n.duration(report.took_s))
    else:
        yield _("Imported in part: {source} (in {time})").format(source=source, time=i18n.duration(report.took_s))
    yield from import_lines(report)


def uploads_lines(report: UploadsReport) -> Iterator[str]:
    """What an import did about images and files."""
    yield _("Images and files kept: {count} ({size})").format(
        count=i18n.number(report.held), size=i18n.size(report.held_bytes)
    )
    if report.absent:
        yield _("Images and files that the source does not hold: {count}").format(count=i18n.number(report.absent))
    if report.no_room:
        yield _("Images and files without room (“import_uploads_mb”): {count}").format(
            count=i18n.number(report.no_room)
        )
    if not report.finished:
        yield _("The source was cut before its last file: import it again once it is whole.")


def import_lines(report: ImportReport) -> Iterator[str]:
    """The counts of an import, what it left out and what could not be read, below a headline."""
    counts = (
        (_("Messages added: {count}"), report.added),
        (_("Messages changed: {count}"), report.changed),
        (_("Messages unchanged: {count}"), report.unchanged),
        (_("Messages removed: {count}"), report.removed),
    )
    yield from ("  " + line.format(count=i18n.number(count)) for line, count in counts)
    if report.vectors:
        yield "  " + _("Vectors of the forum kept: {count}").format(count=i18n.number(report.vectors))
        yield from wrapped(_(FORUM_VECTORS), indent="  ")
    for reason, count in report.vectors_refused.items():
        why = _(REFUSED_VECTORS[reason]) if reason in REFUSED_VECTORS else _("for another reason")
        yield "  " + _("Vectors of the forum left out: {count} ({reason})").format(count=i18n.number(count), reason=why)
    if report.uploads is not None:
        yield from ("  " + line for line in uploads_lines(report.uploads))
    if report.missing:
        yield "  " + _("Announced by the source, not found in it: {count}").format(count=i18n.number(report.missing))
    yield from ("  " + line for line in _skipped(report.skipped))
    for reason, advice in ADVICE.items():
        if reason in report.skipped:
            yield from wrapped(_(advice), indent="  ")
    if report.kept_absent:
        yield from wrapped(
            ngettext(
                "{count} message of the archive is not in this source and was kept. If the source is"
                " right, import it again with --allow-removals.",
                "{count} messages of the archive are not in this source and were kept. If the source is"
                " right, import it again with --allow-removals.",
                report.kept_absent,
            ).format(count=i18n.number(report.kept_absent)),
            indent="  ",
        )
    if report.flaws:
        yield "  " + _("Could not be read:")
        yield from (f"    {message(flaw)}" for flaw in report.flaws[:FLAWS_SHOWN])
        if len(report.flaws) > FLAWS_SHOWN:
            yield "    " + _("… and {count} more").format(count=i18n.number(len(report.flaws) - FLAWS_SHOWN))


def evaluation_lines(run: Run) -> Iterator[str]:
    """The figures of an evaluation, table by table."""
    for table in figures(run, report_words()):
        yield table.title
        yield from aligned(table)
        yield ""
    for result in run.results:
        for code, count in result.notices.items():
            where = f"{result.config.name} × {i18n.number(count)}"
            yield from wrapped(_("{where}: {what}").format(where=where, what=message(code)))
    if run.comparisons:
        yield _("* the interval leaves zero out")
    if run.absent:
        yield from wrapped(
            ngettext(
                "{count} question expects messages that this archive doesn’t hold: it can only fail.",
                "{count} questions expect messages that this archive doesn’t hold: they can only fail.",
                len(run.absent),
            ).format(count=i18n.number(len(run.absent)))
        )


def report_words() -> Words:
    """How the reports of an evaluation speak and count."""
    return Words(say=_, number=i18n.fixed)


def aligned(table: Table) -> Iterator[str]:
    """The rows of a table below each other, its first column on the left."""
    rows = [table.header, *table.rows]
    widths = [max(len(row[n]) for row in rows) for n in range(len(table.header))]
    for row in rows:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(("  " + first.strip().ljust(widths[0]), *others)).rstrip()


def _hit(hit: Hit, *, explain: bool) -> Iterator[str]:
    yield f"{hit.rank}. {hit.title}"
    facts = (hit.author, i18n.date_long(hit.created_at), hit.category)
    yield "   " + " · ".join(fact for fact in facts if fact)
    yield from wrapped(hit.excerpt, indent="   ")
    yield f"   {hit.url}"
    if explain:
        for part in hit.contributions:
            name = _(RANKINGS[part.ranking]) if part.ranking in RANKINGS else part.ranking
            yield "   " + _("{ranking}: rank {rank}, weight {weight}, share {share}").format(
                ranking=name,
                rank=i18n.number(part.rank),
                weight=i18n.decimal(part.weight, 2),
                share=i18n.decimal(part.share, 4),
            )
        yield "   " + _("Total: {score}").format(score=i18n.decimal(hit.score, 4))
        if hit.matched:
            yield "   " + _("Words found: {terms}").format(terms=", ".join(hit.matched))


def _sources(sources: Iterable[tuple[int, str, str, str]]) -> Iterator[str]:
    for n, author, title, url in sources:
        yield f"[{n}] {author} — {title}"
        yield f"    {url}"


def _skipped(counts: Mapping[str, int]) -> Iterator[str]:
    if not any(counts.values()):
        return
    yield _("Left out: {count}").format(count=i18n.number(sum(counts.values())))
    for reason, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        if count:
            yield "  " + _("{count} × {reason}").format(count=i18n.number(count), reason=skipped(reason))


def wrapped(text: str, *, indent: str = "") -> list[str]:
    """The lines of a paragraph, as wide as the terminal allows."""
    width = min(shutil.get_terminal_size().columns, WIDTH_MAX)
    return textwrap.wrap(
        text, max(width, 40), initial_indent=indent, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    ) or [""]  # fmt: skip
