"""The keys of an archive that several processes serve: sessions are signed, and app.db keeps what ends them.

A primary and its replicas each hold, in their own app.db, the hashes of the passphrases, the sessions that were ended,
and the epoch, which changes when all are. The primary publishes them at each change (`access_published`); a replica
takes them over. The table of sessions only tells who was seen here: a session holds without a row of it.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from engine import StoreError
from engine.store.database import Connection, translated

from .. import shared_secret
from ..errors import AccessElsewhere, AccessFileRefused
from ..settings import AppSettings
from . import access_published
from .access_published import Published
from .keys import CLOCK_S, NAMES, Keys, Session, choose, forget, name_of
from .roles import Role
from .signing import Claims, Signer, moment

MAX_ENDED: Final = 20_000  # ends to remember; beyond, all sessions end rather than one come back
_ROW: Final = "s:"  # how the token of a signed session begins in the table: its number, not what proves it
_VERSION, _EPOCH, _ENDED = "access_version", "access_epoch", "access_ended/"
_ENDED_ALL: Final = f"key >= '{_ENDED}' AND key < 'access_ended0'"  # 0 comes after /
_FIND: Final = """
    SELECT p.hash, e.value, x.value, s.id, s.address, s.seen_at FROM (SELECT 1)
    LEFT JOIN passphrases p ON p.role = ? LEFT JOIN meta e ON e.key = 'access_epoch'
    LEFT JOIN meta x ON x.key = ? LEFT JOIN sessions s ON s.token = ?
"""
log = logging.getLogger(__name__)


def open_keys(app: AppSettings, data: Path) -> Keys:
    """The keys of this installation. Raises SettingsError for a shared secret that can't be used."""
    if app.shared_secret is None:
        return Keys(data)
    access_published.check_library()
    secret = shared_secret.read(app.shared_secret)
    replica = bool(app.replica_of)
    return SharedKeys(data, secret, folder=None if replica else app.snapshots, replica=replica)


class SharedKeys(Keys):
    """The open tables; `folder` is where a primary publishes. Safe to use from several threads and processes."""

    rows = f"token LIKE '{_ROW}%'"

    def __init__(
        self, data: Path, secret: shared_secret.Secret, *, folder: Path | None = None, replica: bool = False
    ) -> None:
        super().__init__(data)
        self.replica, self.folder = replica, folder
        self._secret, self._signer = secret, Signer(secret)

    # --- passphrases -------------------------------------------------------------------------

    def passphrases(self) -> dict[Role, str]:
        return {} if self.replica and not self.version() else super().passphrases()

    def set_passphrase(self, role: Role, kept: str) -> None:
        with self._changing() as db:
            choose(db, role, kept)

    def clear(self) -> None:
        with self._changing() as db:
            forget(db)

    # --- sessions ----------------------------------------------------------------------------

    def open_session(
        self, role: Role, kept: str, lasts: timedelta, *, address: str, now: datetime | None = None
    ) -> str | None:
        now = now or datetime.now(UTC)
        with self._writing() as db:
            db.execute("DELETE FROM sessions WHERE expires_at <= ?", (now.timestamp(),))
            if db.execute("SELECT 1 FROM passphrases WHERE role = ? AND hash = ?", (name_of(role), kept)).fetchone():
                print_ = self._signer.fingerprint(role, kept, _meta(db, _EPOCH))
                token, claims = self._signer.sign(role, print_, born=now, expires=now + lasts)
                _keep(db, claims, address, now)
                return token
        return None

    def known(self, token: str) -> str | None:
        claims = self._signer.read(token)
        return None if claims is None else claims.written()

    def find(self, token: str, *, now: datetime | None = None) -> Session | None:
        claims, at = Claims.of(token), (now or datetime.now(UTC)).timestamp()
        # A machine's clock may be minutes off another's: birth is only looked at as for any session.
        if claims.expires <= at or claims.born > at + CLOCK_S:
            return None
        with translated(self.path):
            db = self._connections.get()
            row = db.execute(_FIND, (name_of(claims.role), _ENDED + claims.sid, _ROW + claims.sid)).fetchone()
        kept, epoch, ended, number, address, seen = row
        if kept is None or ended is not None:
            return None
        if claims.print != self._signer.fingerprint(claims.role, kept, epoch or ""):
            return None
        return Session(
            number or 0, claims.role, address or "", moment(claims.born), moment(seen or 0), moment(claims.expires)
        )

    def saw(self, session: Session, token: str, *, address: str = "", now: datetime | None = None) -> None:
        with self._writing() as db:
            _keep(db, Claims.of(token), address, now or datetime.now(UTC))

    def end(self, session_id: int) -> None:
        with self._changing() as db:
            row = db.execute("SELECT token, expires_at FROM sessions WHERE id = ?", (session_id,)).fetchone()
            if row is not None:
                self._end(db, str(row[0]).removeprefix(_ROW), int(row[1]))

    def leave(self, token: str) -> None:
        """On a replica, the end is known here only: its browser forgets the token, which would open elsewhere."""
        claims = Claims.of(token)
        with self._writing() if self.replica else self._changing() as db:
            self._end(db, claims.sid, claims.expires)

    def end_all(self) -> int:
        with self._changing() as db:
            count = db.execute(f"DELETE FROM sessions WHERE {self.rows}").rowcount
            _new_epoch(db)
            return int(count)

    def _end(self, db: Connection, sid: str, expires: int) -> None:
        _set(db, _ENDED + sid, str(expires))
        db.execute("DELETE FROM sessions WHERE token = ?", (_ROW + sid,))
        old = time.time() - CLOCK_S
        db.execute(f"DELETE FROM meta WHERE {_ENDED_ALL} AND CAST(value AS INTEGER) <= ?", (old,))
        if db.execute(f"SELECT count(*) FROM meta WHERE {_ENDED_ALL}").fetchone()[0] > MAX_ENDED:
            log.warning("more than %d ended sessions to remember: every session was ended", MAX_ENDED)
            _new_epoch(db)

    # --- what is shared ----------------------------------------------------------------------

    def version(self) -> int:
        """Of what holds here; 0 on a replica that heard nothing yet."""
        with translated(self.path):
            return int(_meta(self._connections.get(), _VERSION) or 0)

    def held(self) -> Published:
        """What holds here: on a replica, what it took last."""
        with translated(self.path):
            return _held(self._connections.get())

    def publish(self) -> None:
        """On a primary, put access.json right where another one lies, or none. Raises StoreError."""
        if self.folder is None:  # it has no replicas
            return
        lies = self._lies(self.folder)
        if lies is not None and lies == self.held():
            return
        with self._writing() as db:
            held = _held(db)
            if lies is not None and lies.version > held.version:
                # This app.db is older than what was published: a backup was restored. What was ended stays so.
                _set(db, _EPOCH, lies.epoch)
                _set_ended(db, lies)
                _set(db, _VERSION, str(lies.version))
            held = self._next(db)
            access_published.write(self.folder, held, self._secret)

    def take(self, content: bytes) -> None:
        """On a replica, let what the primary published hold here. Raises AccessFileRefused; what was held stays."""
        fresh = access_published.read(content, self._secret)
        with self._writing() as db:
            held = int(_meta(db, _VERSION) or 0)
            if fresh.version < held:
                raise AccessFileRefused(reason="older")
            if fresh.version == held:
                return
            if fresh.epoch != _meta(db, _EPOCH):
                db.execute(f"DELETE FROM sessions WHERE {self.rows}")
            _set(db, _EPOCH, fresh.epoch)
            _set(db, _VERSION, str(fresh.version))
            _set_ended(db, fresh)
            kept = dict(db.execute("SELECT role, hash FROM passphrases").fetchall())
            now = {name_of(role): hash_ for role, hash_ in (fresh.passphrases or {}).items()}
            for name in kept.keys() | now.keys():
                if kept.get(name) != now.get(name):
                    db.execute("DELETE FROM sessions WHERE role = ?", (name,))
            db.execute("DELETE FROM passphrases")
            db.executemany("INSERT INTO passphrases (role, hash) VALUES (?, ?)", now.items())

    def _lies(self, folder: Path) -> Published | None:
        try:
            return access_published.read((folder / access_published.FILE).read_bytes(), self._secret)
        except (OSError, AccessFileRefused):
            return None

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """A change that is published before it is committed, under the lock of app.db: in its order, by any process.

        Where it can't be published, it holds here all the same; `publish` is called again.
        """
        if self.replica:
            raise AccessElsewhere()
        with self._writing() as db:
            yield db
            held = self._next(db)
            if self.folder is not None:
                try:
                    access_published.write(self.folder, held, self._secret)
                except StoreError as error:
                    log.warning("who may come in can't be told to the replicas: %s", error)

    def _next(self, db: Connection) -> Published:
        # Not a mere count: that of an app.db which was lost or restored would begin below what replicas hold.
        _set(db, _VERSION, str(max(int(_meta(db, _VERSION) or 0) + 1, time.time_ns() // 1_000_000)))
        return _held(db)


def _held(db: Connection) -> Published:
    hashes = {NAMES[name]: kept for name, kept in db.execute("SELECT role, hash FROM passphrases") if name in NAMES}
    ended = {
        key.removeprefix(_ENDED): int(value)
        for key, value in db.execute(f"SELECT key, value FROM meta WHERE {_ENDED_ALL}")
    }
    return Published(int(_meta(db, _VERSION) or 0), _meta(db, _EPOCH), hashes, ended)


def _keep(db: Connection, claims: Claims, address: str, now: datetime) -> None:
    """The row that tells moderators who is in."""
    db.execute(
        "INSERT INTO sessions (token, role, address, created_at, seen_at, expires_at) VALUES (?,?,?,?,?,?)"
        " ON CONFLICT (token) DO UPDATE SET seen_at = excluded.seen_at",
        (_ROW + claims.sid, name_of(claims.role), address, claims.born, now.timestamp(), claims.expires),
    )


def _set_ended(db: Connection, published: Published) -> None:
    for sid, expires in (published.ended or {}).items():
        _set(db, _ENDED + sid, str(expires))
        db.execute("DELETE FROM sessions WHERE token = ?", (_ROW + sid,))


def _new_epoch(db: Connection) -> None:
    _set(db, _EPOCH, secrets.token_hex(16))
    db.execute(f"DELETE FROM meta WHERE {_ENDED_ALL}")
    db.execute(f"DELETE FROM sessions WHERE token LIKE '{_ROW}%'")


def _meta(db: Connection, key: str) -> str:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return "" if row is None else str(row[0])


def _set(db: Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))
