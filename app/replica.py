"""A replica: reads copies of the snapshots of a primary, and goes over to each new one while people search.

    copies/                       what `engine.snapshot` fetches: cards, contents, CURRENT
    copies/<name>/                the data folder of a snapshot, which the engine reads
    copies/none/                  an empty archive, for the time before the first one

One thread looks, fetches and opens; what serves is left alone until another copy has answered a search. The copy before
is closed once the questions that it answers have ended.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from engine import (
    Archive,
    ArchivisteError,
    Cancelled,
    IndexAway,
    IndexDamaged,
    IndexMissing,
    Models,
    Settings,
    SnapshotUnusable,
    StoreDamaged,
    open_archive,
    snapshot,
)
from engine.erase.items import eraser
from engine.erase.places import clean_tables
from engine.snapshot import Card, Source
from engine.snapshot import folder as places

from . import shared_secret
from .access import Access
from .access.access_published import FILE as ACCESS
from .access.access_published import MOST_BYTES
from .errors import unusable
from .i18n import gettext as _
from .settings import AppSettings
from .snapshots import PURPOSE, SCHEMAS

FOLDER: Final = "copies"  # of the data folder
NONE: Final = "none"
LOOK_S: Final = 5.0  # between two looks at the source
AGAIN_S: Final = 60.0  # before one that can't be used is fetched again: it may have been mended
DAMAGED: Final = (StoreDamaged, IndexDamaged, IndexMissing)
PASSING: Final = frozenset({"away", "refused", "nothing", "cut"})  # reasons that may be gone at the next look
GRACE_S: Final = 60.0  # that a page which was given the copy before may take to read it
Take = Callable[[Archive], Archive]  # puts an archive in the place of the one that it returns
_log = logging.getLogger(__name__)


class Replica:
    """What this server reads, and where it comes from. `follow` runs in a thread of its own, to the end."""

    def __init__(self, app: AppSettings, engine: Settings) -> None:
        token = shared_secret.read(app.shared_secret).bearer(PURPOSE) if app.shared_secret else ""
        self._source: Source = snapshot.open_source(app.replica_of, token=token)
        self._engine, self._folder = engine, engine.data / FOLDER
        self._retired: list[tuple[float, str, Archive]] = []
        self._heard, self._heard_at = b"", float("-inf")  # of who may come in, last
        self._cleaned = ""  # the list of what was erased that was obeyed last
        self._bad, self._bad_until = "", 0.0  # a snapshot that can't be used, and when it is tried again
        self.card: Card | None = None  # of what is read
        self.trouble: ArchivisteError | None = None  # why the newest snapshot is not
        self.since: datetime | None = None  # when that began

    @property
    def source(self) -> str:
        """Where the copies come from, for people."""
        return self._source.said

    def waits(self) -> str:
        """Why nobody should be sent here, "" where there is a copy to read."""
        return "" if self.card is not None else _("The first copy of the archive has not come yet.")

    def open(self, models: Models) -> Archive:
        """The archive of the newest copy at hand, an empty one where there is none that can be read."""
        shutil.rmtree(self._folder / NONE, ignore_errors=True)
        places.tidy(self._folder)
        card = places.current(self._folder)
        if card is not None:
            try:
                archive = self._opened(card, models)
                self.card = card
                snapshot.forget_copies(self._folder, but=frozenset({card.name}))
                return archive
            except (ArchivisteError, OSError) as error:
                _log.warning("the copy %s can't be read: %s", card.name, error)
                if isinstance(error, DAMAGED):
                    snapshot.mend(self._folder, card)  # it is fetched again
        return open_archive(replace(self._engine, data=self._folder / NONE), models)

    def follow(self, models: Models, access: Access, take: Take, stopping: threading.Event) -> None:
        """Look for a newer snapshot again and again, until the server stops."""

        def check() -> None:
            if stopping.is_set():
                raise Cancelled()
            if time.monotonic() - self._heard_at > LOOK_S:  # a fetch may take minutes: who may come in does not wait
                self._hear(access)

        with closing(self._source):
            while True:
                try:
                    self._look(models, access, take, check)
                    self._close_unused()
                except Cancelled:
                    return
                except Exception:  # noqa: BLE001 - the boundary of a thread: what serves goes on, the next look may work
                    _log.exception("a look at %s", self.source)
                if stopping.wait(LOOK_S):
                    return

    def close(self) -> None:
        """Close the copies that were still read; once nobody asks any more."""
        for _when, _name, archive in self._retired:
            archive.close()

    def _look(self, models: Models, access: Access, take: Take, check: Callable[[], None]) -> None:
        name = ""
        try:
            self._hear(access)
            name = self._source.current()
            if name == self._bad and time.monotonic() < self._bad_until:
                return
            card = snapshot.fetch(
                self._source, self._folder, self._engine, held=self.card, schemas=SCHEMAS, check=check
            )
            if card is not None:
                self._adopt(card, models, take)
            self._clean()
        except Cancelled:
            raise
        except ArchivisteError as error:
            if not (isinstance(error, SnapshotUnusable) and error.details["reason"] in PASSING):
                self._bad, self._bad_until = name, time.monotonic() + AGAIN_S
            self._failed(error)
        except OSError as error:
            self._failed(unusable(self._folder, error))
        else:
            self.trouble = self.since = None

    def _failed(self, error: ArchivisteError) -> None:
        if self.trouble is None or str(self.trouble) != str(error):
            _log.warning("no newer copy: %s", error)
        self.trouble, self.since = error, self.since or datetime.now(UTC)

    def _hear(self, access: Access) -> None:
        """Who may come in, as the primary tells it; it may tell nothing."""
        self._heard_at = time.monotonic()
        try:
            said = self._source.text(ACCESS, MOST_BYTES)
        except SnapshotUnusable:
            return
        if said != self._heard and access.take(said):
            self._heard = said

    def _adopt(self, card: Card, models: Models, take: Take) -> None:
        """Read this snapshot from now on, if it can be searched."""
        try:
            archive = self._opened(card, models)
        except DAMAGED:
            snapshot.mend(self._folder, card)
            raise
        places.point(self._folder, card)
        name = self.card.name if self.card else NONE
        self._retired.append((time.monotonic(), name, take(archive)))
        self.card = card
        snapshot.sweep(self._folder, keep=1)
        _log.info("reads %s now: generation %s, %d posts", card.name, card.generation, card.posts)

    def _clean(self) -> None:
        """Take what was erased at the primary out of what is kept here as well: the questions that were asked."""
        if self.card is None or self.card.erased == self._cleaned:
            return
        found = eraser(self._folder / self.card.name)
        if found is not None:
            clean_tables(self._engine.data, found)
        self._cleaned = self.card.erased

    def _opened(self, card: Card, models: Models) -> Archive:
        """The archive of a snapshot whose contents are there, once it has answered a search."""
        data = snapshot.assemble(self._folder, card, schemas=SCHEMAS)
        archive = open_archive(replace(self._engine, data=data), replace(models, close=lambda: None))
        try:
            archive.store.columns()
            archive.search(_("archive"), k=1)
        except IndexAway:  # words and vectors are elsewhere: searching does without them, and says so
            pass
        except BaseException:
            archive.close()
            raise
        return archive

    def _close_unused(self) -> None:
        for retired in [*self._retired]:
            when, _name, archive = retired
            if time.monotonic() - when > GRACE_S:
                archive.leave()
            if archive.closed:
                self._retired.remove(retired)
        read = {name for _when, name, _archive in self._retired} | ({self.card.name} if self.card else set())
        if self._folder.is_dir():
            snapshot.forget_copies(self._folder, but=frozenset(read))
