"""What the pages share while the server runs: the open archive, the settings, the question threads."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine import Abstention, Answer, Archive, ArchivisteError, Declined, Models, Settings, load_models, open_archive
from engine.archive import OnSearch
from engine.doctor.findings import Finding
from engine.erase import erased
from engine.store import subjects

from . import demo, doctor_checks, doctor_words
from .access import Access, Action, current
from .i18n import gettext as _
from .model_work import ModelWork
from .question_log import QuestionLog
from .replica import Replica
from .settings import LOOPBACK, AppSettings
from .under_way import UnderWay

# The end of a question and the seconds since it was asked, for whoever measures; None: it was stopped, or failed.
OnAnswer = Callable[[Answer | Abstention | Declined | None, float], None]
log = logging.getLogger(__name__)

# Most of them only wait in the line of the language model, where people see their place; their number also bounds
# the database connections that questions hold.
QUESTION_THREADS = 16
FACTS_AGE_S = 60.0  # counting 425,000 rows for each page would show
EXAMPLES_AGE_S = 3600.0
EXAMPLES = 4
FOLLOWER_S = 5.0  # for a replica's thread to end what it does; it reads from a network


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
        self.replica = Replica(app, engine) if app.replica_of else None
        self.archive: Archive = self.replica.open(self.models) if self.replica else open_archive(engine, self.models)
        self.questions = ThreadPoolExecutor(QUESTION_THREADS, thread_name_prefix="question")
        self.under_way = UnderWay()
        self.on_search: OnSearch = lambda mode, timings_ms: None
        self.archive.on_search = lambda mode, timings_ms: self.on_search(mode, timings_ms)
        self.on_answer: OnAnswer = lambda outcome, took_s: None
        self.ready_when: list[Callable[[], str]] = []  # why nobody should be sent here now, "" for no reason: health.py
        self.leaving = threading.Event()  # told to stop: nobody new should be sent here, everything still works
        self.cutting = threading.Event()  # answers under way must end now
        self.stopping = threading.Event()
        self.log = self._opened_log()
        self.access = Access(app, engine.data)
        self.model_work = ModelWork(engine, self.stopping)
        self._follower: threading.Thread | None = None
        self._facts: tuple[float, Facts] | None = None
        self.mended: tuple[str, ...] = ()  # what was put right at the start, in sentences for moderators
        self._found: tuple[Finding, ...] = ()
        self._examples: tuple[float, int, tuple[str, ...]] | None = None  # when, and after which erasure

    def facts(self) -> Facts:
        """Title, address and size of the archive, at most a minute old."""
        known = self._facts
        if known is None or not known[1].posts or time.monotonic() - known[0] > FACTS_AGE_S:
            store = self.archive.store
            posts, topics, _categories = store.counts()
            title = store.meta("title") or _("Archive of the forum")
            base_url = store.meta("base_url")
            if not base_url.startswith(("https://", "http://")):
                base_url = ""  # it comes from a backup, and becomes the start of links
            facts = Facts(title, base_url, posts, topics, _published_at(self.archive.settings.data))
            self._facts = known = (time.monotonic(), facts)
        return known[1]

    def facts_or_none(self) -> Facts:
        """The same; of an archive that can't be read, those of an empty one: its pages still have a frame."""
        try:
            return self.facts()
        except ArchivisteError:
            return Facts(_("Archive of the forum"), "", 0, 0, None)

    def may(self, action: Action) -> bool:
        """Whether whoever is in front of the page may do this; ask before going to a thread."""
        return self.access.may(action)

    def sits_here(self) -> bool:
        """Whether whoever is in front of the page sits at this machine: only they name files of it, or addresses."""
        visitor = current()
        return not self.access.shared or (visitor is not None and visitor.address in LOOPBACK)

    def examples(self) -> tuple[str, ...]:
        """Four questions to start with: those of the demo forum, or taken from the titles of the archive."""
        known, after = self._examples, erased.stamp(self.archive.settings.data)
        if known is None or not known[2] or known[1] != after or time.monotonic() - known[0] > EXAMPLES_AGE_S:
            base_url, questions = demo.examples()
            if self.facts().base_url != base_url:
                questions = subjects.asked_titles(self.archive.store, EXAMPLES)
                for title in subjects.other_titles(self.archive.store, EXAMPLES - len(questions)):
                    questions += (_("What do the members say about “{title}”?").format(title=title),)
            self._examples = known = (time.monotonic(), after, questions)
        return known[2]

    def warm_up(self) -> None:
        """Load the index, the encoder and what is counted, so that the first visitor does not wait. Never raises."""
        with suppress(ArchivisteError):  # what is missing is said where it is asked for
            self.archive.store.columns()
            self.archive.search(_("archive"), k=1)
            self.archive.store.begin_linked()  # last: only one page needs it
        if self.replica is None:  # what it would look at lies at the primary
            self._found = doctor_checks.at_start(self.engine, self.models)

    def notices(self) -> tuple[str, ...]:
        """What the start put right and what its quick doctor found, for moderators, each in a paragraph."""
        access = self.access.notice()
        return (*self.mended, *([access] if access else []), *(doctor_words.notice(finding) for finding in self._found))

    def follow(self) -> None:
        """On a replica, go over to each new snapshot from now on."""
        if self.replica is not None:
            self.ready_when.append(self.replica.waits)
            self._follower = threading.Thread(
                target=self.replica.follow, args=(self.models, self.access, self._take, self.stopping), name="replica",
                daemon=True,
            )  # fmt: skip
            self._follower.start()

    def _take(self, archive: Archive) -> Archive:
        """Put an archive in the place of the one that was read; that one."""
        before, archive.on_search = self.archive, self.archive.on_search
        self.archive, self._facts, self._examples = archive, None, None
        return before

    def close(self) -> None:
        """Stop the questions being answered, then release the indexes and the databases. Once is enough."""
        if self.stopping.is_set():
            return
        self.stopping.set()
        self.models.close()  # ends a generation in progress, so that its thread can end
        self.questions.shutdown(wait=True, cancel_futures=True)
        if self.replica is not None and self._follower is not None:
            self._follower.join(FOLLOWER_S)
            self.replica.close()
        self.archive.close()
        self.access.close()
        if self.log is not None:
            self.log.close()

    def _opened_log(self) -> QuestionLog | None:
        """The log of questions without those that are too old; None when none is kept."""
        if not self.app.question_log:
            return None
        questions = QuestionLog(self.engine.data, language=self.engine.language)
        questions.forget_older(self.app.question_days)
        return questions


def _published_at(data: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp((data / "indexes" / "CURRENT").stat().st_mtime, UTC)
    except OSError:
        return None
