"""What the user reads of an erasure: what would go, what went, and the certificate. No erased name is ever in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from engine.erase.certificate import Certificate

from . import i18n
from .i18n import N_, ngettext
from .i18n import gettext as _

# In the order in which they are told; "words" is a warning, see `warnings`.
PLACES: Final[Mapping[str, str]] = MappingProxyType({
    "posts_erased": N_("Messages that go whole"),
    "quotes_of_posts": N_("Quotes of them by others"),
    "uploads": N_("Images and files that only they show"),
    "posts_by": N_("Messages whose author is renamed"),
    "posts_changed": N_("Messages of others that change"),
    "quotes": N_("Names above quotes"),
    "mentions": N_("Mentions (@name)"),
    "links": N_("Links to the member’s page"),
    "words": N_("The name or the text in sentences"),
    "titles": N_("Titles and addresses of topics"),
    "vectors": N_("Passages whose meaning is read again"),
    "questions": N_("Questions of the log"),
    "rows": N_("Tasks and other notes of the application"),
    "raw": N_("Pages fetched from the forum"),
    "files": N_("Measures, question files, logs, searches kept"),
    "exports": N_("Exports kept in the data folder, to be made again"),
    "generations": N_("Versions of the index that are replaced"),
})  # fmt: skip


def count_lines(counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """(place, count) of everything that is not zero."""
    for place, said in PLACES.items():
        if counts.get(place):
            yield _(said), i18n.number(counts[place])


def warnings(counts: Mapping[str, int]) -> Iterator[str]:
    """What a moderator should know before they confirm."""
    if counts.get("unknown"):
        said = ngettext(
            "{n} message is not in the archive: it will not be let in by a later import.",
            "{n} messages are not in the archive: they will not be let in by a later import.",
            counts["unknown"],
        )
        yield said.format(n=i18n.number(counts["unknown"]))
    told = counts.get("mentions", 0) + counts.get("quotes", 0) + counts.get("links", 0)
    if counts.get("words", 0) > max(10, 5 * told):
        yield _(
            "This name is found above all as an ordinary word. If it is one, limit the erasure to where the member is"
            " named for sure."
        )
    if counts.get("shared"):
        said = ngettext(
            "{n} passage of these messages stands in other messages too; it stays there.",
            "{n} passages of these messages stand in other messages too; they stay there.",
            counts["shared"],
        )
        yield said.format(n=i18n.number(counts["shared"]))
    if counts.get("backups"):
        said = ngettext(
            "{n} backup in the data folder may hold all this. It can’t be changed, only deleted.",
            "{n} backups in the data folder may hold all this. They can’t be changed, only deleted.",
            counts["backups"],
        )
        yield said.format(n=i18n.number(counts["backups"]))


def asked_line(certificate: Certificate) -> str:
    """What was asked for, without saying whom it is about."""
    users, posts, texts = (certificate.asked.get(name, 0) for name in ("users", "posts", "patterns"))
    parts = (
        ngettext("{n} member", "{n} members", users).format(n=i18n.number(users)) if users else "",
        ngettext("{n} message", "{n} messages", posts).format(n=i18n.number(posts)) if posts else "",
        ngettext("{n} text", "{n} texts", texts).format(n=i18n.number(texts)) if texts else "",
    )
    return ", ".join(filter(None, parts))


def check_lines(certificate: Certificate) -> Iterator[str]:
    """What the check found."""
    figures = {"files": i18n.number(certificate.files), "size": i18n.size(certificate.bytes)}
    if certificate.clean:
        yield _("Every byte of {files} files ({size}) was read: nothing is left.").format(**figures)
    else:
        yield _("Every byte of {files} files ({size}) was read, and something is left in:").format(**figures)
        for left in certificate.left:
            if left.file.split("!")[0] not in certificate.kept:
                yield "  " + left.file
    if certificate.shared:
        said = ngettext(
            "{n} passage could not be looked for, since other messages say the same.",
            "{n} passages could not be looked for, since other messages say the same.",
            certificate.shared,
        )
        yield said.format(n=i18n.number(certificate.shared))
    if certificate.unread:
        yield _("These files could not be read to their end: {files}").format(files=", ".join(certificate.unread))
    if certificate.kept:
        said = _("These backups were kept and may still hold what was erased: {files}")
        yield said.format(files=", ".join(certificate.kept))
    if certificate.agrees is not None:
        yield (
            _("The archive and its indexes agree.")
            if certificate.agrees
            else _("The archive and its indexes don’t agree yet: run archiviste index --wait, then archiviste doctor.")
        )


def certificate_text(certificate: Certificate) -> str:
    """The certificate as it is kept and handed over."""
    done_at = datetime.fromisoformat(certificate.done_at)
    lines = [
        _("Certificate of erasure"),
        "",
        _("Done on: {date} (UTC)").format(date=f"{done_at:%Y-%m-%d %H:%M:%S}"),
        _("Number: {token}").format(token=certificate.token),
        _("Asked for: {what}").format(what=asked_line(certificate)),
    ]
    if certificate.aliases:
        lines.append(_("In its place: {aliases}").format(aliases=", ".join(certificate.aliases)))
    lines += ["", _("What went or was changed:")]
    lines += [
        _("- {place}: {count}").format(place=place, count=count) for place, count in count_lines(certificate.done)
    ]
    if certificate.generations_removed:
        said = ngettext(
            "- {n} earlier version of the index removed", "- {n} earlier versions of the index removed",
            certificate.generations_removed,
        )  # fmt: skip
        lines.append(said.format(n=i18n.number(certificate.generations_removed)))
    if certificate.generation:
        lines.append(_("- Version of the index published: {generation}").format(generation=certificate.generation))
    lines += ["", _("Check:"), *check_lines(certificate), ""]
    lines.append(_("What was erased is on a list of hashes, so that no later import brings it back."))
    lines.append(
        _(
            "Backups, exports and copies made before this date outside of the data folder are not concerned: their"
            " keepers must delete them."
        )
    )
    return "\n".join(lines) + "\n"
