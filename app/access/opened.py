"""Access as the application holds it: who may do what, who came in, and what must be ready before others may come.

Without a passphrase on this machine's own address, whoever sits at it moderates. As soon as there is one, or the server
is opened to others, a session says who somebody is; without one they are nobody. So it always is on a replica with a
shared secret: until it heard from its primary, nobody comes in.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from starlette.responses import Response

from engine import ArchivisteError

from ..errors import AccessNotReady
from ..i18n import gettext as _
from ..messages import message
from ..settings import AppSettings, listed
from . import passphrases
from .network import own_addresses
from .peers import Doors, networks
from .roles import NEEDED, Action, Role
from .shared_keys import SharedKeys, open_keys
from .throttle import Throttle

LOOK_S: Final = 5.0  # between two looks of a primary at what it published
AT_ONCE: Final = 2  # passphrases being checked: each takes 64 MiB


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sent a request: `token` is what their session is known by (`Keys.known`), None when there was none."""

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


# What an address answers before everything else, to whoever asks from this address; None: as if it were not there.
Direct = Callable[[str], Awaitable[Response | None]]
log = logging.getLogger(__name__)


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
        self.keys = open_keys(app, data)
        self.refused: ArchivisteError | None = None  # what the primary told last, if it could not be taken
        self._closing = threading.Event()
        self._publishing: threading.Thread | None = None
        self.direct: dict[str, Direct] = {}  # by path: what machines ask, without a session
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
        self._closing.set()
        if self._publishing is not None:
            self._publishing.join()
        self.keys.close()

    def check_ready(self) -> None:
        """Raises AccessNotReady when the server would open to others without both passphrases."""
        if self._follows() is not None:
            return
        missing = {Role.READER, Role.MODERATOR} - set(self.keys.passphrases())
        if self.shared and missing:
            raise AccessNotReady(missing=", ".join(role.name.lower() for role in sorted(missing)))

    def is_guarded(self) -> bool:
        """Whether people must say who they are."""
        return self.shared or self._follows() is not None or bool(self.keys.passphrases())

    # --- several processes -------------------------------------------------------------------

    @property
    def is_elsewhere(self) -> bool:
        """Whether passphrases and sessions are seen to on another server, the primary."""
        return self._follows() is not None

    def take(self, content: bytes) -> bool:
        """On a replica, let the bytes of the primary's access.json hold here; whether they do.

        Never raises: what can't be taken is told by `notice`, and what was held before holds on.
        """
        keys = self._follows()
        if keys is None:
            return False
        try:
            keys.take(content)
        except ArchivisteError as error:
            if self.refused is None or str(self.refused) != str(error):
                log.warning("what the primary tells of access is refused: %s", error)
            self.refused = error
            return False
        self.refused = None
        return True

    def notice(self) -> str:
        """Why what the primary tells of access does not hold here, "" where it does."""
        if self.refused is not None:
            return message(self.refused)
        return self.waits()

    def waits(self) -> str:
        """Why nobody can come in here yet, "" where people can."""
        keys = self._follows()
        if keys is None or keys.version():
            return ""
        return message(self.refused) if self.refused else _("The passphrases have not come from the main server yet.")

    def keep_published(self) -> None:
        """On a primary that publishes, put access.json right whenever it is not, in a thread that `close` ends."""
        if isinstance(self.keys, SharedKeys) and self.keys.folder is not None:
            self._publishing = threading.Thread(target=self._publish, args=(self.keys,), name="access", daemon=True)
            self._publishing.start()

    def _publish(self, keys: SharedKeys) -> None:
        told = ""
        while True:
            try:
                keys.publish()
                told = ""
            except ArchivisteError as error:  # tried again; a replica goes on with what it has
                if str(error) != told:
                    log.warning("who may come in can't be told to the replicas: %s", error)
                told = str(error)
            if self._closing.wait(LOOK_S):
                return

    def _follows(self) -> SharedKeys | None:
        """The keys, if they come from a primary."""
        return self.keys if isinstance(self.keys, SharedKeys) and self.keys.replica else None

    # --- who is here -------------------------------------------------------------------------

    def visitor(self, address: str, token: str | None) -> Visitor:
        """Somebody, by the token that their browser sent."""
        return Visitor(address, self.keys.known(token) if token else None)

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
        if visitor is not None and visitor.token is not None and self.keys.find(visitor.token) is not None:
            self.keys.leave(visitor.token)
