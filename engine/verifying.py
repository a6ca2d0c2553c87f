"""Verification: what a source says, compared with what is held, topic by topic. Reads both, changes nothing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import discourse, upload_keeping
from .erase.items import without_erased
from .settings import Settings
from .sources import Flaw, Position, Post, Skipped, SkipReason, SourceItem, TopicExtent, Upload
from .store import ArchiveStore, checking, files
from .store.post_digest import digest
from .values import OnProgress, Progress, Topic

BATCH_POSTS = 1000
# These say nothing about whether the post is public.
_SILENT = frozenset({SkipReason.DUPLICATE, SkipReason.UNREADABLE})
# A source that was cut before the table that tells.
_UNSURE = frozenset({SkipReason.MISSING_TOPIC, SkipReason.UNKNOWN_CATEGORY, SkipReason.UNKNOWN_TYPE})


@dataclass(slots=True)
class TopicCheck:
    """One topic. Counts of posts; only the comparison that fills it changes it."""

    topic_id: int
    title: str = ""
    expected: int = 0  # public in the source, or announced by it
    held: int = 0
    missing: int = 0  # public in the source, not held
    edited: int = 0  # the source has other words, and they are not older
    newer: int = 0  # held with words that are newer than those of the source
    damaged: int = 0  # held with other words than those that were imported
    extra: int = 0  # held, and the source does not have them
    private: int = 0  # held, and the source says that they are not public
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def whole(self) -> bool:
        """Whether all that is public is held as it is, and nothing else."""
        return not (self.missing or self.edited or self.damaged or self.private)


@dataclass(frozen=True, slots=True)
class Verification:
    """A source compared with the archive. `skipped` counts those of private topics too; `topics` are by their id."""

    source: str  # "" for the archive's own ledger
    kind: str
    flaws: tuple[Flaw, ...]
    skipped: dict[str, int]
    topics: tuple[TopicCheck, ...]
    private: int  # held posts that the source says are not public
    files: int  # addresses of images and files that are kept
    missing_files: int  # shown by held posts and in the source, not kept
    took_s: float

    @property
    def missing(self) -> int:
        """Public posts that are not held."""
        return sum(topic.missing for topic in self.topics)

    @property
    def whole(self) -> bool:
        """Whether nothing public is missing and nothing private is held."""
        return not (self.missing or self.private or self.missing_files)


def verify(
    settings: Settings,
    source: Path,
    *,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> Verification:
    """Read the source again and compare, as an import would read it: without what was erased.

    Raises ArchiveFormatError, StoreError.
    """
    started = time.monotonic()
    store = ArchiveStore(settings.data)
    try:
        found = discourse.read(source, check=check)
        work = _Comparison(store)
        for item in without_erased(settings.data, found.items, checking.usernames(store)):
            work.take(item)
            if isinstance(item, Position):
                check()
                on_progress(Progress("compare", item.done, item.total))
        topics = work.settled(whole_forum=found.whole_forum)
        kept = missing = 0
        if settings.import_uploads_mb:
            kept, missing = upload_keeping.waiting(store, settings.data, found.path, work.uploads)
        return Verification(
            source=str(source), kind=found.kind, flaws=tuple(work.flaws), skipped=dict(sorted(work.skipped.items())),
            topics=topics, private=work.private, files=kept, missing_files=missing, took_s=time.monotonic() - started,
        )  # fmt: skip
    finally:
        store.close()


def verify_ledger(settings: Settings) -> Verification:
    """What the sources once announced, compared with what is held now; their files are not read."""
    started = time.monotonic()
    store = ArchiveStore(settings.data)
    try:
        titles = checking.titles(store)
        topics = tuple(
            TopicCheck(topic_id, titles.get(topic_id, ""), expected, held, max(0, expected - deleted - held))
            for topic_id, expected, deleted, held in checking.announced(store)
        )
        known = files.kept(store)
        kept = files.present(settings.data, known)
        return Verification(
            source="", kind="ledger", flaws=(), skipped=store.skipped(), topics=topics, private=0, files=len(kept),
            missing_files=len(known) - len(kept), took_s=time.monotonic() - started,
        )  # fmt: skip
    finally:
        store.close()


class _Comparison:
    """One source being read: what it says of each topic, and the posts that wait to be compared."""

    def __init__(self, store: ArchiveStore) -> None:
        self.store = store
        self.topics: dict[int, TopicCheck] = {}
        self.announced: dict[int, frozenset[int]] = {}
        self.skipped: Counter[str] = Counter()
        self.flaws: list[Flaw] = []
        self.uploads: list[Upload] = []
        self.private = 0
        self._public: set[int] = set()
        self._missing: set[int] = set()
        self._not_public: dict[int, int | None] = {}
        self._batch: list[Post] = []

    def take(self, item: SourceItem) -> None:
        match item:
            case Post():
                if item.id not in self._public:
                    self._public.add(item.id)
                    self._topic(item.topic_id).expected += 1
                self._batch.append(item)
                if len(self._batch) >= BATCH_POSTS:
                    self._compare()
            case Topic():
                self._topic(item.id).title = item.title
            case TopicExtent(topic_id, post_ids):
                self.announced[topic_id] = frozenset(post_ids)
            case Skipped(reason, topic_id, post_id):
                self.skipped[reason] += 1
                if topic_id is not None:
                    self._topic(topic_id).skipped[reason] += 1
                if post_id is not None and reason not in _SILENT and reason not in _UNSURE:
                    self._not_public[post_id] = topic_id
            case Upload():
                self.uploads.append(item)
            case Flaw():
                self.flaws.append(item)

    def settled(self, *, whole_forum: bool) -> tuple[TopicCheck, ...]:
        """Every topic, once the source has been read to its end."""
        self._compare()
        titles = checking.titles(self.store)
        for topic_id, announced in self.announced.items():  # announced, neither served nor said to be private
            left = announced - self._public - self._not_public.keys()
            unheld = left - checking.held(self.store, sorted(left)).keys()
            self._topic(topic_id).expected += len(left)
            self._topic(topic_id).missing += len(unheld)
        for post_id, topic_id in checking.places(self.store):
            if post_id in self._not_public and post_id not in self._public:
                self.private += 1
                self._topic(topic_id).private += 1
            elif topic_id in self.topics:
                self.topics[topic_id].held += 1
                whole = whole_forum or topic_id in self.announced
                if whole and post_id not in self._public and post_id not in self.announced.get(topic_id, ()):
                    self.topics[topic_id].extra += 1
        for topic in self.topics.values():
            topic.title = topic.title or titles.get(topic.topic_id, "")
        return tuple(self.topics[topic_id] for topic_id in sorted(self.topics))

    def _topic(self, topic_id: int) -> TopicCheck:
        return self.topics.setdefault(topic_id, TopicCheck(topic_id))

    def _compare(self) -> None:
        held = checking.held(self.store, [post.id for post in self._batch])
        for post in _newest(self._batch):
            topic = self._topic(post.topic_id)
            mine = held.get(post.id)
            if mine is None:
                topic.missing += post.id not in self._missing  # a source may have a post twice
                self._missing.add(post.id)
            elif mine.digest == digest(post):
                topic.damaged += not mine.is_intact(post)
            elif mine.updated > int(post.updated_at.timestamp()):
                topic.newer += 1
            else:
                topic.edited += 1
        self._batch.clear()


def _newest(posts: Sequence[Post]) -> Iterable[Post]:
    """Each post once, in its newest state."""
    newest: dict[int, Post] = {}
    for post in posts:
        if post.id not in newest or post.updated_at >= newest[post.id].updated_at:
            newest[post.id] = post
    return newest.values()
