"""What the user reads when the archive can't be exported: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, DiskFull, ExportRefused

from .i18n import N_

EXPORT_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    ExportRefused: N_("The archive can’t be exported to {path}. Nothing was written there. Give another folder."),
})  # fmt: skip

EXPORT_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (ExportRefused, "not_empty"): N_(
        "This folder holds something already: {path}. Nothing was written. Give a new folder, or empty this one."
    ),
    (ExportRefused, "not_a_folder"): N_("A file has this name: {path}. Nothing was written. Give a new folder."),
    (ExportRefused, "unwritable"): N_(
        "Nothing can be written at this place: {path} ({cause}). Your archive is intact. Give another folder."
    ),
    (ExportRefused, "changing"): N_(
        "The archive changed each time the export was nearly ready, so that it might have shown messages that are no"
        " longer public. Nothing of it is left. Start again once the import or the update is over."
    ),
    (DiskFull, "export"): N_(
        "The disk is too small for this export: {needed_mb} MB are needed, {free_mb} MB are free. Nothing was written."
        " Make some room, or give a folder of another disk."
    ),
    (DiskFull, "export_full"): N_(
        "The disk filled up during the export. Nothing of it is left, and your archive is intact. Make some room, or"
        " give a folder of another disk."
    ),
})  # fmt: skip
