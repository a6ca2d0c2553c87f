"""What the user reads of damaged databases and of backups: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, BackupUnusable, DiskFull, StoreBusy, StoreDamaged, StoreError

from .i18n import N_

BACKUP_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    BackupUnusable: N_("This backup can’t be restored: {path}. Your archive is unchanged. Take another backup."),
})  # fmt: skip

BACKUP_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (BackupUnusable, "not_a_backup"): N_(
        "This file is not a backup of Archiviste: {path}. Nothing was changed. A backup of the forum is read with"
        " archiviste import."
    ),
    (BackupUnusable, "unreadable"): N_("This backup can’t be opened: {path}. Check that it exists and may be read."),
    (BackupUnusable, "cut"): N_(
        "This backup stops before its end: {path}. Your archive is unchanged. Copy the backup again, or take another"
        " one."
    ),
    (BackupUnusable, "damaged"): N_(
        "This backup is damaged: {path}. What it holds is not what was saved. Your archive is unchanged. Copy the"
        " backup again, or take another one."
    ),
    (BackupUnusable, "newer"): N_(
        "This backup was made by a newer version of Archiviste: {path}. Your archive is unchanged. Update the"
        " application, then restore it."
    ),
    (BackupUnusable, "unsafe"): N_(
        "This backup would write outside of the data folder: {path}. Nothing was restored. It doesn’t come from"
        " Archiviste: do not use it."
    ),
    (DiskFull, "backup"): N_(
        "The disk is full: the backup was not made, and nothing is left of it. Your archive is intact. Make some room"
        " or choose another disk: {path}."
    ),
    (DiskFull, "backup_forecast"): N_(
        "There is not enough room for this backup: {needed_mb} MB may be needed, {free_mb} MB are free. Nothing was"
        " written. Make some room or choose another disk: {path}."
    ),
    (DiskFull, "restore"): N_(
        "The disk is full: nothing was restored, and your archive is unchanged. Make some room, then start again."
    ),
    (DiskFull, "restore_forecast"): N_(
        "There is not enough room to restore this backup: {needed_mb} MB are needed, {free_mb} MB are free. Your"
        " archive is unchanged. Make some room, then start again."
    ),
    (DiskFull, "file_size"): N_(
        "This disk doesn’t take so large a file: {path}. Nothing is left of the backup. A key formatted in FAT32 stops"
        " at 4 GB: format it in exFAT, or choose another disk."
    ),
    (StoreDamaged, "archive.db"): N_(
        "The file that holds the messages is damaged: {path}. Nothing was deleted or changed. Close the application,"
        " then bring back a backup (archiviste restore FILE). Without one, put the file aside and import the forum"
        " again."
    ),
    (StoreDamaged, "vectors.db"): N_(
        "The file of the vectors is damaged: {path}. Your messages are intact. Close the application, then have it put"
        " aside and made again: archiviste doctor --repair."
    ),
    (StoreDamaged, "app.db"): N_(
        "The file of tasks, questions asked and passphrases is damaged: {path}. Your messages and indexes are intact."
        " Close the application and open it again: this file will be put aside and another one begun."
    ),
    (StoreDamaged, "queue.db"): N_(
        "The queue of tasks is damaged: {path}. Nothing is lost. Close the application and open it again: the queue"
        " will be made anew."
    ),
    (StoreBusy, "restore"): N_(
        "The archive is in use: {holder}. Nothing was changed. Close the application, then restore the backup."
    ),
    (StoreError, "changed"): N_(
        "A file was being changed during the backup: {path}. The backup was not made. Start it again."
    ),
    (StoreError, "unwritable"): N_(
        "The data folder can’t be written: {path}. Nothing was changed. Check its rights, or copy it to a disk that can"
        " be written. Meanwhile archiviste search, ask and backup work."
    ),
    (StoreError, "absent"): N_("There is no archive here: {path}. Nothing was done."),
    (StoreError, "mount_point"): N_(
        "The data folder is a disk of its own: {path}. It can’t be put aside. Restore into a folder of it: archiviste"
        " --data FOLDER restore FILE."
    ),
})  # fmt: skip
