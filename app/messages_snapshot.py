"""What the user reads of snapshots and of the replicas that read them: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, DiskFull, SettingsError, SnapshotUnusable, StoreBusy

from .i18n import N_

SNAPSHOT_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    SnapshotUnusable: N_("The newest copy of the archive can’t be taken from {path}. What is held goes on being read."),
})  # fmt: skip

SNAPSHOT_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (SnapshotUnusable, "away"): N_("The main server can’t be reached: {path}. Check that it runs, and the network."),
    (SnapshotUnusable, "refused"): N_(
        "The main server refuses its snapshots: {path}. Check that both have the same shared secret, that it publishes"
        " snapshots, and its address."
    ),
    (SnapshotUnusable, "nothing"): N_(
        "No snapshot of the archive is published yet: {path}. It comes with the next preparation of the search on the"
        " main server, or with: archiviste snapshot."
    ),
    (SnapshotUnusable, "cut"): N_("A part of the newest snapshot is not there (any more): {path}. It is tried again."),
    (SnapshotUnusable, "damaged"): N_(
        "The newest snapshot is damaged: {path}. Nothing of it is used. Publish another one on the main server:"
        " archiviste snapshot."
    ),
    (SnapshotUnusable, "newer"): N_(
        "The newest snapshot was made by a newer version of Archiviste: {path}. Update this server."
    ),
    (SnapshotUnusable, "older"): N_(
        "The snapshot that is offered ({offered}) is older than the copy that is held ({held}): {path}. The newer one"
        " is kept."
    ),
    (SnapshotUnusable, "settings"): N_(
        "The newest snapshot was made with other settings of the search than this server’s: {path}. Choose the same"
        " ones here (settings.toml, section engine)."
    ),
    (SnapshotUnusable, "unsafe"): N_(
        "The newest snapshot would write outside of its folder: {path}. It doesn’t come from Archiviste: nothing of it"
        " is used."
    ),
    (DiskFull, "snapshot"): N_(
        "The disk is full: no snapshot was published, and the one before stays. Make some room, then: archiviste"
        " snapshot. Folder: {path}."
    ),
    (DiskFull, "snapshot_forecast"): N_(
        "There is not enough room for a snapshot: {needed_mb} MB are needed, {free_mb} MB are free. The one before"
        " stays. Make some room in {path}, then: archiviste snapshot."
    ),
    (DiskFull, "fetch"): N_(
        "The disk of this server is full: the newest copy of the archive could not be taken. Make some room: the rest"
        " is fetched then."
    ),
    (DiskFull, "fetch_forecast"): N_(
        "There is not enough room on this server for the newest copy of the archive: {needed_mb} MB are needed,"
        " {free_mb} MB are free. Make some room: it is fetched then."
    ),
    (StoreBusy, "publishing"): N_("A snapshot is being published in this folder: {holder}. Try again when it is done."),
    (SettingsError, "inside"): N_(
        "The folder of the setting “{key}” lies in the data folder: {value}. Choose one outside of it."
    ),
})  # fmt: skip
