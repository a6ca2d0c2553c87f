"""The secret that a primary and its replicas share: a file, from which each purpose gets a key of its own."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from engine import SettingsError

LEAST_CHARS: Final = 32  # `openssl rand -hex 32` makes 64


@dataclass(frozen=True, slots=True)
class Secret:
    """What was read from the file; never shown, not even in a traceback."""

    _value: bytes = field(repr=False)

    def derive(self, purpose: str) -> bytes:
        """The key (32 bytes) of this purpose: whoever learns one learns neither the secret nor the other keys."""
        return hmac.digest(self._value, purpose.encode(), hashlib.sha256)

    def bearer(self, purpose: str) -> str:
        """The same key as a token of HTTP."""
        return base64.urlsafe_b64encode(self.derive(purpose)).decode().rstrip("=")


def read(path: Path) -> Secret:
    """The secret of this file. Raises SettingsError when it can't be read or is too short to keep anything."""
    try:
        value = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(key="shared_secret", value=str(path), reason="secret_file", why=str(error)) from error
    if len(value) < LEAST_CHARS:
        raise SettingsError(key="shared_secret", value=str(path), reason="secret_short", low=LEAST_CHARS)
    return Secret(value.encode())
