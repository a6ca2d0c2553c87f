"""Passphrases: what is acceptable as one, how they are kept, and whose a given one is."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ..errors import PassphraseRefused
from .roles import Role

MIN_CHARS: Final = 12
MAX_CHARS: Final = 200
REASONS: Final = ("short", "long", "same", "differs", "both")  # of a refusal, as PassphraseRefused says them

# Argon2id with the second recommendation of RFC 9106 §4: 64 MiB, 3 passes, about a tenth of a second.
_hasher: Final = PasswordHasher()


def hashed(phrase: str, others: Mapping[Role, str] | None = None) -> str:
    """What is kept of a new passphrase. Raises PassphraseRefused, also when it is one of `others` (hashes)."""
    written = _normal(phrase)
    if len(written) < MIN_CHARS:
        raise PassphraseRefused(reason="short", count=MIN_CHARS)
    if len(written) > MAX_CHARS:
        raise PassphraseRefused(reason="long", count=MAX_CHARS)
    if others and owner(phrase, others) is not Role.NOBODY:
        raise PassphraseRefused(reason="same")
    return _hasher.hash(written)


def bound(reason: str) -> int:
    """The number of characters that a refusal is about."""
    return MAX_CHARS if reason == "long" else MIN_CHARS


def owner(phrase: str, hashes: Mapping[Role, str]) -> Role:
    """The highest role that this passphrase opens. Every hash is tried, so that the time taken tells nothing."""
    written = _normal(phrase)
    return max([role for role, kept in hashes.items() if _is(written, kept)], default=Role.NOBODY)


def _is(written: str, kept: str) -> bool:
    try:
        return _hasher.verify(kept, written)
    except (VerificationError, InvalidHashError):  # another passphrase, or a damaged row: neither opens anything
        return False


def _normal(phrase: str) -> str:
    # One keyboard writes « é » as one character, another as two; a surrogate can't be encoded.
    return unicodedata.normalize("NFC", phrase).strip().encode("utf-8", "replace").decode("utf-8")
