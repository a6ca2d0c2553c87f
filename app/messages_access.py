"""What the user reads when access is not as it must be: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import ArchivisteError, SettingsError

from .errors import AccessElsewhere, AccessFileRefused, AccessNotReady, CertificateUnusable, PassphraseRefused
from .i18n import N_

ACCESS_ERRORS: Final[Mapping[type[ArchivisteError], str]] = MappingProxyType({
    AccessNotReady: N_(
        "Before the archive opens to other computers, choose two passphrases, one to read and one to moderate:"
        " archiviste access set reader, then archiviste access set moderator. Nothing was opened."
    ),
    AccessFileRefused: N_(
        "What the main server tells of the access can’t be read here: it is damaged. Whoever was in stays in, the"
        " passphrases known here go on; it is asked for again within seconds."
    ),
    AccessElsewhere: N_(
        "This server is a replica: passphrases and sessions are seen to on the main server, and hold here within"
        " seconds. Nothing was changed."
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
    (AccessFileRefused, "secret"): N_(
        "The main server has another secret than this replica: what it tells of the access can’t be read here, nor the"
        " sessions that it opened. The passphrases known here go on. Put the same file on both (setting"
        " “shared_secret”), then start the replica again."
    ),
    (AccessFileRefused, "newer"): N_(
        "What the main server tells of the access was written by a newer version. The passphrases known here go on."
        " Update this replica."
    ),
    (AccessFileRefused, "older"): N_(
        "What the main server tells of the access is older than what is known here: it was not taken, so that no ended"
        " session comes back. The passphrases known here go on. If this lasts, look at the clock of the main"
        " server."
    ),
    (SettingsError, "secret_file"): N_(
        "The file of the shared secret can’t be read: {value}. Nothing was started. Check that it exists and that"
        " Archiviste may read it, or make one: openssl rand -hex 32."
    ),
    (SettingsError, "secret_short"): N_(
        "The shared secret is too short: {value} holds less than {low} characters. Nothing was started. Make another"
        " one: openssl rand -hex 32."
    ),
    (SettingsError, "secret_library"): N_(
        "“shared_secret” needs one more part of the application. Nothing was started. Install it: pip install"
        " archiviste[replicas]."
    ),
    (SettingsError, "metrics_library"): N_(
        "“metrics_from” needs one more part of the application. Nothing was started. Install it: pip install"
        " archiviste[metrics]."
    ),
    (CertificateUnusable, "pair"): N_("HTTPS needs two files: --certificate and --key. Nothing was started."),
})  # fmt: skip
