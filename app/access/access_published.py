"""access.json of the snapshot folder: what replicas must know to let people in, sealed with the shared secret.

Sealed: encrypted and authenticated (Fernet). Beside it stands which secret sealed it, so that a replica with another
one says so rather than "damaged".
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import SettingsError

from ..errors import AccessFileRefused, unusable
from ..shared_secret import Secret
from .roles import Role

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

FILE: Final = "access.json"
KIND: Final = "archiviste-access"
FORMAT: Final = 1
MOST_BYTES: Final = 8 << 20  # MAX_ENDED sessions take about one and a half


@dataclass(frozen=True, slots=True)
class Published:
    """Who may come in, at one moment; a greater `version` is newer."""

    version: int = 0
    epoch: str = ""  # changes when every session is ended
    passphrases: Mapping[Role, str] | None = None  # hashes
    ended: Mapping[str, int] | None = None  # session → when it would have ended by itself, seconds since 1970


def sealed(published: Published, secret: Secret) -> bytes:
    """The bytes of access.json. Raises SettingsError where the library that seals is missing."""
    said = {
        "version": published.version,
        "epoch": published.epoch,
        "passphrases": {role.name.lower(): kept for role, kept in sorted((published.passphrases or {}).items())},
        "ended": dict(sorted((published.ended or {}).items())),
    }
    token = _fernet(secret).encrypt(json.dumps(said).encode()).decode()
    document = {"kind": KIND, "format": FORMAT, "secret": _named(secret), "sealed": token}
    return (json.dumps(document, indent=1) + "\n").encode()


def read(content: bytes, secret: Secret) -> Published:
    """What the bytes of access.json say. Raises AccessFileRefused (secret, newer, damaged)."""
    from cryptography.fernet import InvalidToken

    try:
        document: Any = json.loads(content) if len(content) <= MOST_BYTES else None
        if document["kind"] != KIND or not isinstance(document["format"], int):
            raise AccessFileRefused(reason="damaged")
        if document["format"] > FORMAT:
            raise AccessFileRefused(reason="newer")
        if document["secret"] != _named(secret):
            raise AccessFileRefused(reason="secret")
        said = json.loads(_fernet(secret).decrypt(document["sealed"].encode()))
        return Published(
            int(said["version"]),
            str(said["epoch"]),
            {Role[name.upper()]: str(kept) for name, kept in said["passphrases"].items()},
            {str(sid): int(expires) for sid, expires in said["ended"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidToken) as error:
        raise AccessFileRefused(reason="damaged") from error


def write(folder: Path, published: Published, secret: Secret) -> None:
    """Put access.json in its place, whole or not at all. Raises StoreError."""
    path, content = folder / FILE, sealed(published, secret)
    fresh = path.with_name(f"{FILE}.{os.getpid()}.new")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with fresh.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise unusable(folder, error) from error


def check_library() -> None:
    """Raises SettingsError where the library that seals is missing."""
    try:
        import cryptography.fernet  # noqa: F401
    except ImportError as error:
        raise SettingsError(key="shared_secret", value="", reason="secret_library") from error


def _fernet(secret: Secret) -> Fernet:
    from cryptography.fernet import Fernet

    return Fernet(base64.urlsafe_b64encode(secret.derive("access")))


def _named(secret: Secret) -> str:
    """Which secret this is, which helps nobody to find it."""
    return secret.derive("name of the secret").hex()[:16]
