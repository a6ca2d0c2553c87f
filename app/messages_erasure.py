"""What the user reads when an erasure can't be understood or must wait: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, ErasureRefused, StoreBusy, StoreError

from .i18n import N_

ERASURE_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    ErasureRefused: N_("What should be erased can’t be understood. Nothing was changed. Say it in another way."),
})  # fmt: skip

ERASURE_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (ErasureRefused, "nothing"): N_(
        "Say what should be erased: a member’s name, the numbers of messages, or a text. Nothing was changed."
    ),
    (ErasureRefused, "no_word"): N_(
        "There is no word to look for in “{value}”, or it is too long. Nothing was changed."
    ),
    (ErasureRefused, "expression"): N_(
        "The regular expression {value} can’t be read ({cause}). Nothing was changed. Correct it."
    ),
    (ErasureRefused, "too_much"): N_(
        "The expression {value} stands for too many different texts. Nothing was changed. Make it more precise."
    ),
    (StoreBusy, "reading"): N_(
        "The archive is being read without a pause: the erasure is not over. Close the other programs that use it,"
        " then start it again: it goes on where it stopped."
    ),
    (StoreError, "scan"): N_(
        "The check of the erasure stopped before its end. What was erased is erased. Start it again: it ends the check."
    ),
})  # fmt: skip
