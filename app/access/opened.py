"""Access as the application holds it: who may do what, who came in, and what must be ready before others may come.

Without a passphrase on this machine's own address, whoever sits at it moderates. As soon as there is one, or the server
is opened to others, a session says who somebody is; without one they are nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from ..errors import AccessNotReady
from ..settings import AppSettings, listed
from . import passphrases
from .keys import Keys, digest
from .network import own_addresses
from .peers import Doors, networks
from .roles import NEEDED, Action, Role
from .throttle import Throttle

AT_ONCE: Final = 2  # passphrases being checked: each takes 64 MiB


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sent a request: `token` is the digest of the session's token, None when there was none."""

    address: str
    token: str | None


@dataclass(frozen=True, slots=True)
class Entered:
    """What came of a passphrase: `token` when it was right, else `wait_s` when it was not even looked at."""

    role: Role = Role.NOBODY
    token: str = ""
    lasts: timedelta = timedelta()
    wait_s: float = 0.0


# Whoever caused the code that runs now: a request, an event of a page, or a task that one of them started.
_current: ContextVar[Visitor | None] = ContextVar("visitor", default=None)


def current() -> Visitor | None:
    """Who caused the code that runs now; None in a thread, or when it was nobody's request."""
    return _current.get()


@contextmanager
def caused_by(visitor: Visitor) -> Iterator[None]:
    """What runs in this block, and whatever it starts, is done for this visitor."""
    mark = _current.set(visitor)
    try:
        yield
    finally:
        _current.reset(mark)


class Access:
    """The rules of this installation; close it when done."""

    def __init__(self, app: AppSettings, data: Path) -> None:
        self.keys = Keys(data)
        self.throttle = Throttle()
        self.shared = app.lan or bool(app.hosts or app.trusted_proxies)  # reached by others than who sits here
        self.doors = Doors(
            app.port, listed(app.hosts), networks(listed(app.trusted_proxies)), own_addresses if app.lan else tuple
        )
        self._lasts = {
            Role.READER: timedelta(days=app.reader_session_days),
            Role.MODERATOR: timedelta(hours=app.moderator_session_hours),
        }
        self._checking = asyncio.Semaphore(AT_ONCE)

    def close(self) -> None:
        """Release app.db."""
        self.keys.close()

    def check_ready(self) -> None:
        """Raises AccessNotReady when the server would open to others without both passphrases."""
        missing = {Role.READER, Role.MODERATOR} - set(self.keys.passphrases())
        if self.shared and missing:
            raise AccessNotReady(missing=", ".join(role.name.lower() for role in sorted(missing)))

    def is_guarded(self) -> bool:
        """Whether people must say who they are."""
        return self.shared or bool(self.keys.passphrases())

    def role(self, visitor: Visitor | None) -> Role:
        """What somebody is at this very moment: a session may have ended since their page was opened."""
        if not self.is_guarded():
            return Role.MODERATOR
        if visitor is None or visitor.token is None:
            return Role.NOBODY
        session = self.keys.find(visitor.token)
        return Role.NOBODY if session is None else session.role

    def may(self, action: Action) -> bool:
        """Whether whoever caused the code that runs now may do this; ask before going to a thread."""
        return self.role(current()) >= NEEDED[action]

    async def enter(self, phrase: str, address: str) -> Entered:
        """Open a session if this is a passphrase and this address has not tried too often."""
        wait_s = self.throttle.take(address)
        if wait_s > 0:
            return Entered(wait_s=wait_s)
        hashes = self.keys.passphrases()
        async with self._checking:
            role = await asyncio.to_thread(passphrases.owner, phrase, hashes)
        if role is Role.NOBODY:
            return Entered()
        self.throttle.give_back(address)
        return await asyncio.to_thread(self.welcome, role, hashes[role], address)

    def welcome(self, role: Role, kept: str, address: str) -> Entered:
        """A session for somebody whose passphrase has this hash; it writes to app.db."""
        token = self.keys.open_session(role, kept, self._lasts[role], address=address)
        return Entered(role, token, self._lasts[role]) if token else Entered()

    def leave(self, visitor: Visitor | None) -> None:
        """End the session of somebody; it writes to app.db."""
        if visitor is not None and visitor.token is not None:
            session = self.keys.find(visitor.token)
            if session is not None:
                self.keys.end(session.id)


def visitor_of(address: str, token: str | None) -> Visitor:
    """A visitor by the token that their browser sent."""
    return Visitor(address, digest(token) if token else None)
