"""The processes that work on one archive at once: each encodes texts that no other does, and one of them publishes.

A member gives a sign every few seconds, from a thread, and holds a lock of its own. The lock is let go by the system
when the process dies, so a dead member is known at once; one that hangs (a machine that was suspended) counts as gone
when it gave no sign for a while. What such a member does later is refused: its vectors, since its claims are another's;
its publication, since every step of it asks first (`alone`).
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime

from ..errors import ArchivisteError, Cancelled, PublisherReplaced, StoreBusy
from ..locks import WRITER_LOCK, discard, is_locked, locked, writing
from ..settings import Settings
from ..store import claims
from ..store.database import transaction
from ..store.vectors import VectorStore

FOLDER = "members"  # of the locks, in the data folder
SILENCE_S = 60.0  # a member that gave no sign for so long is taken for gone
SIGN_S = 5.0
FENCE_S = 1.0  # between two looks of the publisher at whether it still is
logger = logging.getLogger(__name__)


class Member:
    """This process among those that work on an archive; its connections are its own."""

    def __init__(self, settings: Settings, store: VectorStore) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}"
        self._settings, self._store = settings, store
        self._over = threading.Event()

    def claim(self, model: str, keys: Collection[bytes]) -> frozenset[bytes]:
        """Those of these texts that this process is to encode: no other living one is."""
        return claims.claim(self._store, model, keys, self.name, now=time.time())

    def must_wait(self, model: str) -> bool:
        """Whether others are at work on texts that nobody else can take over yet."""
        self.bury()
        living, left = claims.of_others(self._store, model, self.name, now=time.time())
        return bool(living) and not left

    def bury(self) -> None:
        """Let go of what members hold whose process died."""
        for name in claims.members(self._store):
            if name != self.name and not is_locked(self._settings, _lock(name)):
                claims.leave(self._store, name)
                discard(self._settings, _lock(name))

    @contextmanager
    def calling(self, model: str) -> Iterator[None]:
        """Others encode for this model meanwhile; no longer afterwards, but when this process is killed."""
        claims.want(self._store, model)
        try:
            yield
        finally:
            claims.want(self._store, None)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other process publishes nor begins to, for as long as the block lasts. Raises PublisherReplaced."""
        with transaction(self._store.db, self._store.path):
            self.still()
            yield

    def still(self) -> None:
        """Raises PublisherReplaced when another process publishes now, or did since."""
        now = claims.publisher(self._store)
        if now is None or now.name != self.name:
            raise PublisherReplaced(holder=now.name if now is not None else "")

    def fenced(self, check: Callable[[], None]) -> Callable[[], None]:
        """A check that also stops a publisher soon after another one took its place."""
        looked = time.monotonic()

        def checked() -> None:
            nonlocal looked
            check()
            if time.monotonic() - looked > FENCE_S:
                self.still()
                looked = time.monotonic()

        return checked

    @contextmanager
    def signing(self) -> Iterator[None]:
        """Give signs of life until the end of the block, then give back what is claimed."""
        claims.sign(self._store, self.name, until=time.time() + SILENCE_S)
        thread = threading.Thread(target=self._sign, name="member", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()
            claims.leave(self._store, self.name)

    def lead(self, stack: ExitStack) -> None:
        """Be the one that publishes, with the writer lock, until the stack ends. Raises StoreBusy."""
        try:
            stack.enter_context(writing(self._settings))
        except StoreBusy as busy:
            self.bury()
            with transaction(self._store.db, self._store.path):
                self._replace(busy)
                stack.enter_context(writing(self._settings))
                claims.publish_from_now(self._store, self.name)
        else:
            with transaction(self._store.db, self._store.path):
                claims.publish_from_now(self._store, self.name)
        stack.callback(claims.give_up, self._store, self.name)  # before the lock is let go

    def _replace(self, busy: StoreBusy) -> None:
        """Take the place of a publisher that hangs: it holds the writer lock, and will find that it lost it."""
        hangs = claims.publisher(self._store)
        if hangs is None:
            raise busy
        if hangs.until > time.time():
            until = datetime.fromtimestamp(hangs.until).astimezone().strftime("%H:%M:%S")
            raise StoreBusy(holder=hangs.name, reason="publisher", until=until)
        logger.warning("%s gave no sign for %s s: another process publishes in its place", hangs.name, SILENCE_S)
        if not discard(self._settings, WRITER_LOCK):
            raise busy

    def _sign(self) -> None:
        while not self._over.wait(SIGN_S):
            try:
                claims.sign(self._store, self.name, until=time.time() + SILENCE_S)
            except ArchivisteError:  # a full disk, a busy file: the next sign may do
                logger.warning("no sign of life could be given", exc_info=True)


@contextmanager
def joined(settings: Settings) -> Iterator[Member]:
    """This process as a member, until the end of the block. Raises StoreError."""
    with closing(VectorStore(settings.data)) as store:
        member = Member(settings, store)
        with locked(settings, _lock(member.name), reason="writing"), member.signing():
            yield member
        discard(settings, _lock(member.name))


@contextmanager
def publishing(settings: Settings) -> Iterator[Member]:
    """The same as the one that publishes. Raises StoreBusy, with `reason` "publisher" when another one does.

    Whatever goes wrong because another process took its place raises PublisherReplaced.
    """
    with joined(settings) as member, ExitStack() as stack:
        member.lead(stack)
        try:
            yield member
        except (PublisherReplaced, Cancelled):
            raise
        except Exception:
            member.still()
            raise


def _lock(name: str) -> str:
    return f"{FOLDER}/{name}.lock"
