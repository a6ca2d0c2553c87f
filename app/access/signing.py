"""Sessions that any process which has the shared secret can read: signed, not hidden, and kept nowhere."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self

from itsdangerous import BadData, URLSafeSerializer

from ..shared_secret import Secret
from .roles import Role

PURPOSE: Final = "session"  # of the key: `Secret.derive`
MAX_CHARS: Final = 512  # of a token; ours have about 150


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says, once its signature was found to be ours; by itself it proves nothing."""

    role: Role
    sid: str  # of the session, as random as a token
    born: int  # seconds since 1970, UTC, by the clock of who signed
    expires: int
    print: str  # of the passphrase that opened it: see Signer.fingerprint

    def written(self) -> str:
        """The same in one word, for whoever must remember who asks."""
        return f"{self.role.value}.{self.sid}.{self.born}.{self.expires}.{self.print}"

    @classmethod
    def of(cls, written: str) -> Self:
        """What `written` wrote."""
        role, sid, born, expires, print_ = written.split(".")
        return cls(Role(int(role)), sid, int(born), int(expires), print_)


class Signer:
    """Signs and reads tokens with the key that the secret gives for them."""

    def __init__(self, secret: Secret) -> None:
        self._key = secret.derive(PURPOSE)
        # No time of itsdangerous's own: birth and end stand in what is signed, whatever the reader's clock.
        self._tokens = URLSafeSerializer(
            self._key, salt=b"archiviste", signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"}
        )

    def sign(self, role: Role, print_: str, *, born: datetime, expires: datetime) -> tuple[str, Claims]:
        """A new session: its token, and what that says."""
        sid = secrets.token_urlsafe(18)
        claims = Claims(role, sid, int(born.timestamp()), int(expires.timestamp()), print_)
        return str(self._tokens.dumps([role.value, sid, claims.born, claims.expires, print_])), claims

    def read(self, token: str) -> Claims | None:
        """What a token says, None when it was not signed with this secret."""
        if len(token) > MAX_CHARS:
            return None
        try:
            said: Any = self._tokens.loads(token)
            role, sid, born, expires, print_ = said
            return Claims(Role(role), str(sid), int(born), int(expires), str(print_))
        except (BadData, TypeError, ValueError):  # the last two: signed by a version that wrote otherwise
            return None

    def fingerprint(self, role: Role, kept: str, epoch: str) -> str:
        """What ties a session to the hash of a passphrase and to the last time that all sessions were ended."""
        return hmac.new(self._key, f"{role.value}\0{kept}\0{epoch}".encode(), hashlib.sha256).hexdigest()[:32]


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as a moment."""
    return datetime.fromtimestamp(seconds, UTC)
