"""The flow of a live sync: fetch what is new, look again at what is held, import what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from ..discourse.address import address
from ..discourse.api import Forum, Key
from ..discourse.pacing import Clock
from ..discourse.saved_json import SavedFolder
from ..discourse.topic_json import read_folder
from ..errors import OtherForum
from ..locks import SYNC_LOCK, locked, writing
from ..settings import Settings
from ..sources import ImportReport, Skipped, SkipReason, SourceItem, SyncReport, UploadsReport
from ..store import ArchiveStore, import_source
from ..store.adoption import adopt
from ..store.sync_state import SyncState
from ..values import OnProgress
from . import lists as forum_lists
from . import recheck, uploads
from .raw_folder import FOLDER, topic_path
from .steps import Steps
from .topics import Topics
from .walk import find_new_posts


def sync_archive(
    settings: Settings,
    url: str,
    *,
    key: Key | None = None,
    accept_removals: bool = False,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
    when_free: Callable[[Callable[[], ImportReport]], ImportReport] = lambda step: step(),
    clock: Clock | None = None,
) -> SyncReport:
    """Bring the archive to what a live forum shows to the public; started again, it goes on where it stopped.

    `when_free` runs the import at the end, and may wait until no other process writes to the archive. Raises
    ForumUnavailable, OtherForum, StoreBusy, DiskFull; what was fetched is kept, and what is absent only because the
    forum could not be read is never removed.
    """
    where, clock = address(url), clock or Clock()
    folder, began = settings.data / FOLDER, clock.monotonic()
    with (
        locked(settings, SYNC_LOCK, reason="sync"),
        closing(ArchiveStore(settings.data)) as store,
        closing(SyncState(folder)) as state,
        closing(Forum(
            where, key=key, interval_s=settings.sync_interval_s, contact=settings.sync_contact, clock=clock,
            check=check,
        )) as forum,
    ):  # fmt: skip
        archived = store.meta("base_url")
        for held in (archived, state.fact("base_url")):
            if held and held.lower() != where.base_url.lower():
                raise OtherForum(held=held, offered=where.base_url)
        steps = Steps(on_progress, clock)
        # 1. What the forum says of itself, and what the archive holds of it.
        lists = forum_lists.Lists(forum, folder)
        topics = Topics(forum, state, lists, folder)
        since = _begun(state, where.base_url, int(clock.time()))
        if archived or not store.counts()[0]:  # else nothing says that what is there is of this forum
            if not state.fact("seen") and state.walk() is None:
                state.tell(seen=store.newest_of_backups())
            adopt(state, store, has_file=lambda i: topic_path(folder, i).exists())
        # 2. New posts, then the topics they stand in.
        find_new_posts(forum, state, lists, steps)
        _read_topics(state.topics_with_new_posts(), topics, steps)
        # 3. What changed without a new post.
        kept = recheck.follow_categories(
            state, lists, folder, now=int(clock.time()), accept_all=accept_removals, check=check
        )
        _follow(topics, steps)
        recheck.read_again(forum, state, topics, steps, since=since, budget=settings.sync_recheck_requests)
        _follow(topics, steps)
        departed, stayed = recheck.let_go(state, folder, now=clock.time(), accept_all=accept_removals, check=check)
        # 4. The archive.
        imported = when_free(lambda: _import(settings, state, store, folder, on_progress, check))
        state.tell(began=0, spent=0)
        state.compact()
        # 5. Images and files.
        files: UploadsReport | None = None
        if settings.sync_uploads_mb:
            files = uploads.fetch(settings, forum, state, store, steps)
        totals = state.totals()
        return SyncReport(
            imported=imported, topics=totals.topics, announced=totals.announced, held=store.counts()[0],
            holes=totals.holes, topics_read=topics.read, departed=departed, kept_topics=kept + stayed,
            troubled=len(topics.troubled), requests=forum.requests, waited_s=forum.pace.waited_s,
            took_s=clock.monotonic() - began, uploads=files,
        )  # fmt: skip


def _begun(state: SyncState, base_url: str, now: int) -> int:
    """When this sync began, were it days ago and interrupted since."""
    since = state.number("began") or now
    state.tell(base_url=base_url, began=since)
    return since


def _read_topics(topic_ids: tuple[int, ...], topics: Topics, steps: Steps) -> None:
    steps.begin("sync_topics", len(topic_ids))
    for done, topic_id in enumerate(topic_ids, start=1):
        posts = topics.posts
        topics.refresh(topic_id, whole=False)
        steps.step(done, items=topics.posts - posts)


def _follow(topics: Topics, steps: Steps) -> None:
    """Read the topics that others led to, until nothing is open."""
    while True:
        while (left := topics.follow()) is not None:
            steps.begin("sync_topics", left + 1, done=1)
        if not topics.conclude():
            return


def _import(
    settings: Settings,
    state: SyncState,
    store: ArchiveStore,
    folder: Path,
    on_progress: OnProgress,
    check: Callable[[], None],
) -> ImportReport:
    """Import the raw files that changed since the last time."""
    changed = state.unimported()
    with writing(settings):
        report = import_source(
            store, _items(changed, state, folder, check), source=str(folder.absolute()), kind="topics",
            whole_forum=False, on_progress=on_progress, check=check,
        )  # fmt: skip
    state.imported(changed)
    return report


def _items(changed: tuple[int, ...], state: SyncState, folder: Path, check: Callable[[], None]) -> Iterator[SourceItem]:
    files = tuple(f"t/{i}.json" for i in changed if topic_path(folder, i).exists())
    yield from read_folder(SavedFolder(folder, files, forum_lists.paths(folder)), files, check=check)
    # The private posts of all other topics are still left out: the report counts them too.
    for reason, count in state.skipped(frozenset(changed)).items():
        yield from (Skipped(SkipReason(reason)) for _ in range(count))
