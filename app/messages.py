"""What the user reads for every error, reason, notice, flaw and stage of the engine.

Each sentence says what happened, what is safe and what to do next, without library names or blame.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import (
    AbstentionReason,
    ArchiveFormatError,
    ArchivisteError,
    Cancelled,
    DiskFull,
    DownloadFailed,
    Flaw,
    GenerationFailed,
    IndexDamaged,
    IndexMissing,
    IndexOutdated,
    IndexUnavailable,
    ModelUnavailable,
    OtherForum,
    Progress,
    QuerySyntaxError,
    SchemaTooNew,
    SettingsError,
    SkipReason,
    StoreBusy,
    StoreDamaged,
    StoreError,
)

from .answer_words import ANSWER_NOTICES
from .i18n import N_
from .i18n import gettext as _
from .messages_access import ACCESS_ERRORS, ACCESS_PRECISE
from .messages_backup import BACKUP_ERRORS, BACKUP_PRECISE
from .messages_engine import ENGINE_ERRORS, ENGINE_NOTICES, ENGINE_PRECISE
from .messages_erasure import ERASURE_ERRORS, ERASURE_PRECISE
from .messages_evaluation import EVALUATION
from .messages_export import EXPORT_ERRORS, EXPORT_PRECISE
from .messages_gate import GATE_ERRORS, GATE_PRECISE
from .messages_jobs import JOB_ERRORS, JOB_PRECISE
from .messages_models import MODEL_NOTICES, MODEL_PRECISE
from .messages_skipped import SKIPPED
from .messages_snapshot import SNAPSHOT_ERRORS, SNAPSHOT_PRECISE
from .messages_stages import STAGES
from .messages_sync import SYNC_ERRORS, SYNC_PRECISE

ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    ArchivisteError: N_("The request could not be served. Your archive is intact. Details are in the log."),
    SettingsError: N_("The setting “{key}” has a value that can’t be used: “{value}”. Nothing was changed."),
    ArchiveFormatError: N_(
        "This source can’t be read as a Discourse backup: {path}. Your archive is unchanged. Give a backup"
        " (.tar.gz, dump.sql.gz) or a folder of topics saved as JSON."
    ),
    StoreError: N_(
        "The data folder can’t be used: {path}. Check that the disk is connected and writable."
    ),
    SchemaTooNew: N_(
        "This archive was written by a newer version of Archiviste. It is intact. Update the application to"
        " open it."
    ),
    StoreBusy: N_(
        "Another task is writing to this archive: an import or an indexing is under way. Nothing is lost. Try"
        " again when it is done."
    ),
    StoreDamaged: N_(
        "The file {path} is damaged and can’t be read. Put it aside, then import your backup again."
    ),
    DiskFull: N_(
        "The disk is full. What was already saved is kept. Make some room, then start again: the work will go"
        " on from there."
    ),
    OtherForum: N_(
        "This source comes from another forum ({offered}) than your archive ({held}). Nothing was changed."
        " Use another data folder for this forum."
    ),
    IndexUnavailable: N_("Search is not available. Your archive is intact. Build the index again."),
    IndexMissing: N_("This archive has no index yet, so it can’t be searched. Start the indexing."),
    IndexOutdated: N_(
        "The index no longer fits the settings or the version of the application. Your archive is intact."
        " Build the index again."
    ),
    IndexDamaged: N_("The index is damaged. Your archive is intact. Build the index again."),
    ModelUnavailable: N_("A model can’t be loaded: {path}. Search goes on without it."),
    QuerySyntaxError: N_("“{value}” can’t be understood in this search."),
    GenerationFailed: N_(
        "The language model stopped before the end of its answer. Ask again, or ask for extracts only."
    ),
    DownloadFailed: N_("The model can’t be fetched: {path}. What was received is kept. Start again later."),
    Cancelled: N_("The work was stopped. What was done is kept."),
    **ENGINE_ERRORS,
    **GATE_ERRORS,
    **JOB_ERRORS,
    **SYNC_ERRORS,
    **ACCESS_ERRORS,
    **EXPORT_ERRORS,
    **BACKUP_ERRORS,
    **ERASURE_ERRORS,
    **SNAPSHOT_ERRORS,
})  # fmt: skip

# The same errors, where a fact makes the sentence more precise: (class, value of that detail).
PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (SettingsError, "unknown"): N_("The setting “{key}” doesn’t exist. Correct its name or remove it."),
    (SettingsError, "bounds"): N_("The setting “{key}” must be from {low} to {high}; “{value}” is not."),
    (SettingsError, "loopback"): N_(
        "Archiviste only answers this computer: “{value}” can’t be its address. Leave 127.0.0.1, or open the archive"
        " to the network: archiviste serve --lan."
    ),
    (SettingsError, "overlap"): N_("The setting “{key}” must be at most half of “window_chars”."),
    (SettingsError, "file"): N_("The settings file can’t be read: {value}. Correct it or remove it."),
    (ArchiveFormatError, "not_found"): N_("There is nothing at this place: {path}. Check the path."),
    (ArchiveFormatError, "odd_name"): N_(
        "The name of this file, or of a folder above it, holds signs that can’t be read: {path}. Give it another name,"
        " then start again. Your archive is unchanged."
    ),
    (ArchiveFormatError, "empty_folder"): N_("This folder is empty: {path}. Your archive is unchanged."),
    (ArchiveFormatError, "no_topics_or_posts"): N_(
        "Neither a backup nor a saved topic is here: {path}. Your archive is unchanged."
    ),
    (ArchiveFormatError, "several_backups"): N_(
        "This folder holds several backups: {path}. Name the one to import."
    ),
    (ArchiveFormatError, "unreadable_file"): N_(
        "This file can’t be opened: {path}. Check that it exists and that you may read it."
    ),
    (ArchiveFormatError, "pg_custom_format"): N_(
        "This database dump is in binary form: {path}. Give the backup made by Discourse itself, or a dump in"
        " text form."
    ),
    (ArchiveFormatError, "tar_without_dump"): N_(
        "This backup holds no database, only files: {path}. Give a full backup of the forum."
    ),
    **{
        (ArchiveFormatError, reason): N_(
            "This backup is damaged or incomplete: {path}. Your archive is unchanged. Fetch the backup again."
        )
        for reason in (
            *("unreadable_gzip", "unreadable_tar", "truncated_dump", "corrupt_dump", "unreadable_dump"),
        )
    },
    (ArchiveFormatError, "swollen_dump"): N_(
        "This file unpacks to far more than a backup of its size holds: {path}. It may have been made to harm. Your"
        " archive is unchanged. Fetch the backup again from the forum itself."
    ),
    (DiskFull, "forecast"): N_(
        "The disk is too small for this index: {needed_mb} MB are needed, {free_mb} MB are free. Nothing was lost."
        " Make some room, then start again."
    ),
    **EVALUATION,
    **ENGINE_PRECISE,
    **GATE_PRECISE,
    **JOB_PRECISE,
    **MODEL_PRECISE,
    **SYNC_PRECISE,
    **ACCESS_PRECISE,
    **EXPORT_PRECISE,
    **BACKUP_PRECISE,
    **ERASURE_PRECISE,
    **SNAPSHOT_PRECISE,
    (QuerySyntaxError, "date"): N_("“{value}” is not a date. Write for example 2015, 2015-03 or 2015-03-21."),
})  # fmt: skip
_PRECISE_DETAILS = ("reason", "role", "hint", "file")

ABSTENTIONS: Final[Mapping[AbstentionReason, str]] = MappingProxyType({
    AbstentionReason.NO_EVIDENCE: N_(
        "I found nothing in the archive about this. Try other words, or fewer of them."
    ),
    AbstentionReason.NO_MATCH: N_(
        "I found no message that clearly answers. The closest ones are below; they may help."
    ),
    AbstentionReason.NO_CITATION: N_(
        "I could not write an answer that rests on the messages found. Read them directly below."
    ),
    AbstentionReason.QUESTION_EMPTY: N_("The question is empty. Write what you want to know."),
})  # fmt: skip

NOTICES: Final[Mapping[str, str]] = MappingProxyType({
    "worker_given_up": N_(
        "The part of the application that imports and indexes ended several times in a row and was not started"
        " again. Searching goes on working. Details are in the logs; open the application again to retry."
    ),
    "unknown_author": N_("No member of this name is in the archive."),
    "unknown_category": N_("No category of this name is in the archive."),
    "unknown_tag": N_("No tag of this name is in the archive."),
    "nothing_to_search": N_("The search is empty. Write one or more words."),
    "only_stop_words": N_("These words are too common to be searched. Add a more precise one."),
    "dense_missing": N_("Searching by meaning is not ready yet: results come from exact words only."),
    "dense_unusable": N_(
        "Searching by meaning needs its index to be built again: results come from exact words only."
    ),
    "dense_compared": N_(
        "The index by meaning needs to be built again. Meanwhile all messages are compared one by one: results are the"
        " same, but take longer."
    ),
    "vectors_damaged": N_(
        "The file of the vectors is damaged: results come from exact words only. Your messages are intact. Close the"
        " application, then run: archiviste doctor --repair."
    ),
    "encoder_missing": N_("This machine can’t search by meaning: results come from exact words only."),
    "encoder_unavailable": N_(
        "The model that searches by meaning can’t be loaded: results come from exact words only."
    ),
    "encoder_differs": N_(
        "The index was built with another model than this computer’s: results come from exact words only. Name"
        " that model in your settings, or build the index again."
    ),
    "rerank_late": N_("The second reading of the results took too long: they are in the order of the search itself."),
    "rerank_unavailable": N_(
        "The model that reads the results again can’t be loaded: they are in the order of the search itself."
    ),
    **ENGINE_NOTICES,
    **MODEL_NOTICES,
    **ANSWER_NOTICES,
})  # fmt: skip

FLAWS: Final[Mapping[str, str]] = MappingProxyType({
    "bad_row": N_("unreadable line, passed over"),
    "bad_json": N_("unreadable file, passed over"),
    "not_an_object": N_("unreadable file, passed over"),
    "unreadable_file": N_("file that can’t be opened, passed over"),
    "file_too_large": N_("file too large, passed over"),
    "not_a_topic": N_("this file holds no topic, passed over"),
    "not_a_post": N_("this file holds no message, passed over"),
    "bad_topic": N_("unreadable topic, passed over"),
    "bad_post": N_("unreadable message, passed over"),
    "truncated": N_("the file stops before its end"),
    "corrupt": N_("the file is damaged from here on"),
    "unreadable": N_("the file can’t be read from here on"),
    "line_too_long": N_("line too long to be read, passed over"),
    "post_too_long": N_("message too long to be read, passed over"),
    "swollen": N_("the file unpacks to far more than a backup of its size holds; reading stopped here"),
    "too_many_columns": N_("a table has too many columns, passed over"),
})  # fmt: skip

Subject = ArchivisteError | AbstentionReason | SkipReason | Flaw | Progress | str


def message(subject: Subject) -> str:
    """The sentence for an error, a reason, a flaw or a work under way; a plain string is a notice's code.

    Total: what has no sentence of its own gets a general one.
    """
    match subject:
        case ArchivisteError():
            return _error(subject)
        case AbstentionReason():
            return _(ABSTENTIONS[subject])
        case SkipReason():
            return _(SKIPPED[subject])
        case Flaw(code, where):
            what = _(FLAWS[code]) if code in FLAWS else _("unreadable part, passed over")
            return _("{where}: {what}").format(where=where, what=what)
        case Progress(stage):
            return _(STAGES[stage]) if stage in STAGES else _("Work under way")
        case _:
            return _(NOTICES[subject]) if subject in NOTICES else _("Part of this request was left out.")


def skipped(reason: str) -> str:
    """The same for a reason that comes as a word of `status --json`, perhaps from a newer version."""
    return message(SkipReason(reason)) if reason in set(SkipReason) else _("for another reason")


def _error(error: ArchivisteError) -> str:
    details = error.details
    precise = ((type(error), str(details[name])) for name in _PRECISE_DETAILS if name in details)
    template = next((PRECISE[key] for key in precise if key in PRECISE), None)
    if template is None:
        template = next(ERRORS[kind] for kind in type(error).__mro__ if kind in ERRORS)
    return _(template).format_map(_Facts(details))


class _Facts(dict[str, object]):
    """Details of an error; one that is absent leaves an ellipsis rather than another error."""

    def __missing__(self, key: str) -> str:
        return "…"


def correction(typed: str, read: str) -> str:
    """What a search made of a word that no post holds."""
    return _("No message holds “{typed}”: “{read}” was searched instead.").format(typed=typed, read=read)
