"""What the pages share while the server runs: the open archive, the settings, the question threads."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine import Archive, ArchivisteError, Models, Settings, load_models, open_archive

from . import demo
from .i18n import gettext as _
from .settings import AppSettings

log = logging.getLogger(__name__)

# Most of them only wait in the line of the language model, where people see their place; their number also bounds
# the database connections that questions hold.
QUESTION_THREADS = 16
FACTS_AGE_S = 60.0  # counting 425,000 rows for each page would show


@dataclass(frozen=True, slots=True)
class Facts:
    """What every page says of the archive."""

    title: str
    base_url: str
    posts: int
    topics: int
    updated_at: datetime | None  # when its index was last published


class State:
    """The open archive and what serves it; closed once, when the server stops."""

    def __init__(self, app: AppSettings, engine: Settings, *, models: Models | None = None) -> None:
        self.app, self.engine = app, engine
        self.models = models or load_models(engine)  # nothing is read yet: each model loads at its first use
        self.archive: Archive = open_archive(engine, self.models)
        self.questions = ThreadPoolExecutor(QUESTION_THREADS, thread_name_prefix="question")
        self.stopping = threading.Event()
        self._facts: tuple[float, Facts] | None = None

    def facts(self) -> Facts:
        """Title, address and size of the archive, at most a minute old."""
        if self._facts is None or time.monotonic() - self._facts[0] > FACTS_AGE_S:
            store = self.archive.store
            posts, topics, _categories = store.counts()
            title = store.meta("title") or _("Archive of the forum")
            base_url = store.meta("base_url")
            if not base_url.startswith(("https://", "http://")):
                base_url = ""  # it comes from a backup, and becomes the start of links
            facts = Facts(title, base_url, posts, topics, _published_at(self.engine.data))
            self._facts = (time.monotonic(), facts)
        return self._facts[1]

    def examples(self) -> tuple[str, ...]:
        """Questions to start with: those of the demo forum when it is the one that is open."""
        base_url, questions = demo.examples()
        return questions if self.facts().base_url == base_url else ()

    def warm_up(self) -> None:
        """Load the index and the encoder, so that the first visitor does not wait for them. Never raises."""
        with suppress(ArchivisteError):  # what is missing is said where it is asked for
            self.archive.search(_("archive"), k=1)

    def close(self) -> None:
        """Stop the questions being answered, then release the indexes and the databases. Once is enough."""
        if self.stopping.is_set():
            return
        self.stopping.set()
        self.models.close()  # ends a generation in progress, so that its thread can end
        self.questions.shutdown(wait=True, cancel_futures=True)
        self.archive.close()


def _published_at(data: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp((data / "indexes" / "CURRENT").stat().st_mtime, UTC)
    except OSError:
        return None
