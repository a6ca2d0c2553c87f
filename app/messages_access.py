"""What the user reads when access is not as it must be: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError

from .errors import AccessNotReady, CertificateUnusable, PassphraseRefused
from .i18n import N_

ACCESS_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    AccessNotReady: N_(
        "Before the archive opens to other computers, choose two passphrases, one to read and one to moderate:"
        " archiviste access set reader, then archiviste access set moderator. Nothing was opened."
    ),
    PassphraseRefused: N_("This passphrase can’t be used. Nothing was changed."),
    CertificateUnusable: N_(
        "The certificate or its key can’t be read: {path}. Nothing was started. Check both files (PEM, key without a"
        " password)."
    ),
})  # fmt: skip

ACCESS_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    (PassphraseRefused, "short"): N_(
        "This passphrase is too short: at least {count} characters, for instance four or five words that don’t go"
        " together. Nothing was changed."
    ),
    (PassphraseRefused, "long"): N_("This passphrase is too long: at most {count} characters. Nothing was changed."),
    (PassphraseRefused, "same"): N_("Readers and moderators need different passphrases. Nothing was changed."),
    (PassphraseRefused, "differs"): N_("The passphrase was not typed the same way twice. Nothing was changed."),
    (PassphraseRefused, "both"): N_(
        "Choose both passphrases: as soon as there is one, people must say who they are. Nothing was changed."
    ),
    (CertificateUnusable, "pair"): N_("HTTPS needs two files: --certificate and --key. Nothing was started."),
})  # fmt: skip
