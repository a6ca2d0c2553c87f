"""Why an import leaves messages out, in the words of its report: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import SkipReason

from .i18n import N_

SKIPPED: Final[Mapping[SkipReason, str]] = MappingProxyType({
    SkipReason.PRIVATE_MESSAGE: N_("private messages"),
    SkipReason.RESTRICTED_CATEGORY: N_("in a restricted category"),
    SkipReason.UNLISTED_TOPIC: N_("in an unlisted topic"),
    SkipReason.DELETED_TOPIC: N_("in a deleted topic"),
    SkipReason.DELETED_POST: N_("deleted"),
    SkipReason.HIDDEN: N_("hidden by the moderators"),
    SkipReason.USER_DELETED: N_("withdrawn by their author"),
    SkipReason.SMALL_ACTION: N_("notices of the forum (closing, moving…)"),
    SkipReason.WHISPER: N_("whispers of the team"),
    SkipReason.UNKNOWN_TYPE: N_("of an unknown type, taken as private"),
    SkipReason.UNKNOWN_CATEGORY: N_("in an unknown category, taken as private"),
    SkipReason.MISSING_TOPIC: N_("whose topic is not in the source"),
    SkipReason.DUPLICATE: N_("duplicates"),
    SkipReason.UNREADABLE: N_("unreadable"),
    SkipReason.ERASED: N_("erased from this archive, and kept out"),
})  # fmt: skip
