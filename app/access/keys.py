"""What app.db keeps of access: a hash of each passphrase, and the sessions that they opened."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from engine.store.database import Connection, Connections, transaction, translated

from ..jobs import FILE
from ..schema import APP
from .roles import Role

SEEN_EVERY: Final = timedelta(minutes=5)  # how precisely one knows when a session was last used
NAMES: Final[Mapping[str, Role]] = {"reader": Role.READER, "moderator": Role.MODERATOR}
_COLUMNS: Final = "id, role, address, created_at, seen_at, expires_at"
# Where a clock goes back, a session would hold longer than it was meant to: one that is not born yet does not.
_HOLDS: Final = "expires_at > ? AND created_at <= ?"
CLOCK_S: Final = 24 * 3600.0  # what the clock of a machine may be put right by


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who gave a passphrase, until `expires_at` or until they are sent away."""

    id: int
    role: Role
    address: str  # where the passphrase was given
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


def digest(token: str) -> str:
    """What is kept of a token: whoever reads app.db can't use it."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class Keys:
    """The open tables. Safe to use from several threads and processes; close them when done."""

    rows = "token NOT LIKE 's:%'"  # those of this kind of session: see shared_keys.py

    def __init__(self, data: Path) -> None:
        self.path = data / FILE
        self._connections = Connections(self.path, APP)

    def close(self) -> None:
        """Close every thread's connection; the tables can't be used afterwards."""
        self._connections.close()

    # --- passphrases -------------------------------------------------------------------------

    def passphrases(self) -> dict[Role, str]:
        """The hash of each passphrase that was chosen."""
        with translated(self.path):
            rows = self._connections.get().execute("SELECT role, hash FROM passphrases").fetchall()
            return {NAMES[name]: kept for name, kept in rows if name in NAMES}

    def set_passphrase(self, role: Role, kept: str) -> None:
        """Keep this hash for a role, and end the sessions that the passphrase before it opened."""
        with self._writing() as db:
            choose(db, role, kept)

    def clear(self) -> None:
        """Forget the passphrases and end every session."""
        with self._writing() as db:
            forget(db)

    # --- sessions ----------------------------------------------------------------------------

    def open_session(
        self, role: Role, kept: str, lasts: timedelta, *, address: str, now: datetime | None = None
    ) -> str | None:
        """A new session; the token that proves it, which is kept nowhere here.

        None when `kept`, the hash of the passphrase that was given, is no longer the one of this role.
        """
        now, token = now or datetime.now(UTC), secrets.token_urlsafe(32)
        with self._writing() as db:
            db.execute("DELETE FROM sessions WHERE expires_at <= ?", (now.timestamp(),))
            current = db.execute("SELECT 1 FROM passphrases WHERE role = ? AND hash = ?", (name_of(role), kept))
            if current.fetchone() is None:
                return None
            db.execute(
                "INSERT INTO sessions (token, role, address, created_at, seen_at, expires_at) VALUES (?,?,?,?,?,?)",
                (digest(token), name_of(role), address, now.timestamp(), now.timestamp(), (now + lasts).timestamp()),
            )
        return token

    def known(self, token: str) -> str | None:
        """What `find`, `saw` and `leave` want of a token that a browser sent; None when it is certainly none."""
        return digest(token)

    def find(self, token: str, *, now: datetime | None = None) -> Session | None:
        """The session of a token, as `known` gave it, if it holds at this moment."""
        with translated(self.path):
            row = (
                self._connections.get()
                .execute(
                    f"SELECT {_COLUMNS} FROM sessions WHERE token = ? AND {_HOLDS}",
                    (token, *_holds(now)),
                )
                .fetchone()
            )
            return None if row is None else _session(row)

    def saw(self, session: Session, token: str, *, address: str = "", now: datetime | None = None) -> None:
        """Remember that a session was used just now, from this address; `token` as `known` gave it."""
        with self._writing() as db:
            moment = (now or datetime.now(UTC)).timestamp()
            db.execute("UPDATE sessions SET seen_at = ? WHERE id = ?", (moment, session.id))

    def sessions(self, *, now: datetime | None = None) -> tuple[Session, ...]:
        """Those that hold, the one used last first."""
        with translated(self.path):
            rows = self._connections.get().execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE {_HOLDS} AND {self.rows} ORDER BY seen_at DESC, id DESC",
                _holds(now),
            )
            return tuple(map(_session, rows))

    def end(self, session_id: int) -> None:
        """End one session."""
        with self._writing() as db:
            db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))

    def leave(self, token: str) -> None:
        """End the session of a token, as `known` gave it."""
        with self._writing() as db:
            db.execute("DELETE FROM sessions WHERE token = ?", (token,))

    def end_all(self) -> int:
        """End every session; how many there were."""
        with self._writing() as db:
            return int(db.execute("DELETE FROM sessions").rowcount)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        db = self._connections.get()
        with transaction(db, self.path):
            yield db


def _holds(now: datetime | None) -> tuple[float, float]:
    moment = (now or datetime.now(UTC)).timestamp()
    return moment, moment + CLOCK_S


def choose(db: Connection, role: Role, kept: str) -> None:
    """Keep a hash for a role, and forget the sessions that the passphrase before it opened."""
    db.execute("INSERT OR REPLACE INTO passphrases (role, hash) VALUES (?, ?)", (name_of(role), kept))
    db.execute("DELETE FROM sessions WHERE role = ?", (name_of(role),))


def forget(db: Connection) -> None:
    """Forget the passphrases and every session."""
    db.execute("DELETE FROM passphrases")
    db.execute("DELETE FROM sessions")


def name_of(role: Role) -> str:
    """How the tables write a role."""
    return role.name.lower()


def _session(row: Sequence[Any]) -> Session:
    number, role, address, *moments = row
    created, seen, expires = (datetime.fromtimestamp(moment, UTC) for moment in moments)
    return Session(number, NAMES.get(role, Role.NOBODY), address, created, seen, expires)
