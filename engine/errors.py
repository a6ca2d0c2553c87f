"""The errors of the engine: codes and facts, no sentences.

ArchivisteError(code, **details)      code = i18n key, details = facts for the sentence
 ├─ SettingsError        key, value             unknown key or bad value
 ├─ GateFileError        path, line, reason     the moderators' rules can't be used
 ├─ ArchiveFormatError   path, where            a source cannot be read
 ├─ BackupUnusable       path, reason           a backup of the data folder can't be restored; nothing was changed
 ├─ SnapshotUnusable     path, reason           a snapshot can't be taken; what is held goes on being read
 ├─ StoreError
 │   ├─ SchemaTooNew     found, supported       written by a newer version
 │   ├─ StoreBusy        holder, reason         another process writes to the data folder
 │   ├─ PublisherReplaced holder                another process indexes in its place, what was encoded is kept
 │   ├─ StoreDamaged     path, reason           SQLite refuses the file
 │   ├─ DiskFull         path                   no room left, or not enough for an index; what was committed is kept
 │   └─ OtherForum       held, offered          a source of another forum
 ├─ IndexUnavailable
 │   ├─ IndexMissing
 │   ├─ IndexOutdated    reason                 fingerprint differs from the code or the model
 │   ├─ IndexDamaged     part                   cannot be opened, or disagrees with the store
 │   └─ IndexAway        url, reason            the engine at an address does not answer, or lost what it held
 ├─ ModelUnavailable     role, path             embed, rerank or generate cannot load
 ├─ DownloadFailed       reason, path           a model can't be fetched or added, what was fetched is kept
 ├─ QuerySyntaxError     hint, value            an operator's value can't be understood
 ├─ GenerationFailed     stage                  the language model stopped before its answer
 ├─ ErasureRefused       reason, value          what should be erased can't be understood, nothing was changed
 ├─ ExportRefused        path, reason           nothing can be exported there, nothing was written
 ├─ ForumUnavailable     reason, url            a live forum can't be read now, what was fetched is kept
 └─ Cancelled                                   raised by the cancel check, caught by the job
"""

from __future__ import annotations


class ArchivisteError(Exception):
    """Anything the engine raises on purpose; the app turns it into a sentence."""

    code = "error"

    def __init__(self, **details: object) -> None:
        super().__init__(self.code, details)
        self.details = details

    def __str__(self) -> str:
        facts = ", ".join(f"{key}={value!r}" for key, value in self.details.items())
        return f"{self.code}({facts})"


class SettingsError(ArchivisteError):
    """A setting has an unknown name or an impossible value; the user corrects it."""

    code = "settings"


class GateFileError(ArchivisteError):
    """The moderators' file of rules is wrong at a line; they correct it, the shipped rules hold meanwhile."""

    code = "gate_file"


class ArchiveFormatError(ArchivisteError):
    """A source is not what it should be; the user gives another one. `reason` says what was wrong."""

    code = "archive_format"


class BackupUnusable(ArchivisteError):
    """A backup of a data folder can't be restored (`reason` says why), nothing was changed; the user takes another one.

    Reasons: not_a_backup, unreadable, cut, damaged, newer, unsafe (a member that could land elsewhere).
    """

    code = "backup_unusable"


class SnapshotUnusable(ArchivisteError):
    """The newest snapshot of a source can't be taken (`reason` says why); what is held is read on, and tried again.

    Reasons: away, refused (the secret, or the rights), nothing (published yet), cut (a file is gone), damaged (`file`),
    newer (of a newer version), older (than what is held: `offered`, `held`), settings (of the index), unsafe (a path).
    """

    code = "snapshot_unusable"


class StoreError(ArchivisteError):
    """The data folder can't be used as it is."""

    code = "store"


class SchemaTooNew(StoreError):
    """The data folder was written by a newer version; the user updates the application."""

    code = "schema_too_new"


class StoreBusy(StoreError):
    """Another process is writing to this data folder; the user waits for it."""

    code = "store_busy"


class PublisherReplaced(StoreError):
    """This indexing gave no sign for too long: another process (`holder`) took its place; nothing was published here.

    What was encoded is kept; the user lets the other one end, or starts again.
    """

    code = "publisher_replaced"


class StoreDamaged(StoreError):
    """SQLite cannot read the file; the user restores or imports again."""

    code = "store_damaged"


class DiskFull(StoreError):
    """The disk has no room left; the user makes some and starts again, nothing committed is lost."""

    code = "disk_full"


class OtherForum(StoreError):
    """The source belongs to another forum than the archive; the user takes another data folder."""

    code = "other_forum"


class IndexUnavailable(ArchivisteError):
    """No usable index."""

    code = "index_unavailable"


class IndexMissing(IndexUnavailable):
    """The archive has no index yet; the user builds it."""

    code = "index_missing"


class IndexOutdated(IndexUnavailable):
    """The index was built by other code or another model; the user rebuilds it."""

    code = "index_outdated"


class IndexDamaged(IndexUnavailable):
    """A part of the index can't be opened; the user rebuilds it from the store."""

    code = "index_damaged"


class IndexAway(IndexUnavailable):
    """The search engine at an address can't be used now; `reason`: "away", "lost", "refused" or "library"."""

    code = "index_away"


class ModelUnavailable(ArchivisteError):
    """A model can't be loaded, or its server does not do what it should; search goes on without it."""

    code = "model_unavailable"


class DownloadFailed(ArchivisteError):
    """A model could not be fetched or added (`reason` says why); the user tries again, from where it stopped.

    Reasons: unreachable, offline, not_found, refused, busy, server, cut, damaged (hash or size), changed (not the file
    that the catalogue knows), not_a_model, several, unreadable.
    """

    code = "download_failed"


class QuerySyntaxError(ArchivisteError):
    """An operator of the search has a value that can't be understood; the user corrects it."""

    code = "query_syntax"


class GenerationFailed(ArchivisteError):
    """The language model stopped before its answer; the user asks again or reads the extracts."""

    code = "generation_failed"


class ForumUnavailable(ArchivisteError):
    """A live forum can't be read (`reason` says why); the user tries again later, from where it stopped.

    Reasons: address, offline, certificate, failing (5xx again and again), garbled (no JSON again and again),
    too_many (`wait_s`), not_discourse, login_required, key_refused, redirected (`host`), blocked (`path`), younger (its
    post ids are far below those of the archive: another forum at the same address).
    """

    code = "forum_unavailable"


class ExportRefused(ArchivisteError):
    """An export can't go there, or would not be whole (`reason` says why); nothing is left of it.

    Reasons: not_empty, not_a_folder, unwritable (`cause`), changing (posts went or were edited each time it was made).
    """

    code = "export_refused"


class ErasureRefused(ArchivisteError):
    """What somebody wants erased can't be understood (`reason` says why), nothing was changed; the user says it again.

    Reasons: nothing, no_word (`value` holds no letter, or is too long), expression (`value`, `cause`), too_much (the
    expression `value` would erase everything, or thousands of different texts).
    """

    code = "erasure_refused"


class Cancelled(ArchivisteError):
    """The user stopped the work; what was committed is kept."""

    code = "cancelled"
