"""The import flow: items of a source into archive.db, batch by batch, idempotent, with a ledger.

Upsert by post id: an unchanged post costs nothing, a newer edit replaces, an older one does not. A kill between two
batches loses only the batch; running the import again ends in the same state.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime

from ..erase.items import without_erased
from ..errors import Cancelled, OtherForum
from ..sources import (
    Flaw,
    ImportReport,
    Position,
    Post,
    PostMoved,
    PostVector,
    Site,
    Skipped,
    SkipReason,
    SourceItem,
    TopicExtent,
    Upload,
    UploadsReport,
    VectorsRefused,
)
from ..values import Category, OnProgress, Progress, Topic
from . import checking
from .archive import ArchiveStore
from .checking import HeldPost, usernames
from .database import transaction
from .files import prune
from .places import note_moves, save_moves
from .post_digest import digest as digest_of
from .removal import NOTES, SourceRead, remove_absent, settle_ledger
from .renaming import settle_names

KeepVectors = Callable[[Sequence[PostVector]], int]  # stores vectors of held posts, returns how many it kept
# Keeps files that held posts show, out of those that the source says there are.
KeepUploads = Callable[[Sequence[Upload]], UploadsReport | None]
BATCH_POSTS = 2000
BATCH_CHARS = 1 << 25  # of HTML: a few long posts are a batch too
BATCH_VECTORS = 500
MAX_FLAWS = 200  # beyond, only the count matters; the report must stay readable
# These say nothing about whether the post is public, so they never remove a held one.
_SILENT = frozenset({SkipReason.DUPLICATE, SkipReason.UNREADABLE})
# These may only mean that the source was cut before the table that tells.
_UNSURE = frozenset({SkipReason.MISSING_TOPIC, SkipReason.UNKNOWN_CATEGORY, SkipReason.UNKNOWN_TYPE})


class _Import:
    """One import under way: the open batch, the counters, what was seen."""

    def __init__(self, store: ArchiveStore, keep_vectors: KeepVectors) -> None:
        self.store, self.db, self.keep_vectors = store, store.db, keep_vectors
        self.vectors: list[PostVector] = []
        self.kept_vectors = 0
        self.refused_vectors: Counter[str] = Counter()
        self.batch: list[Post] = []
        self.batch_chars = 0
        self.read = self.added = self.changed = self.unchanged = 0
        self.skipped: Counter[str] = Counter()
        self.flaws: list[Flaw] = []
        self.flaw_count = 0
        self.highest_id = 0
        self.position = Position(0, 0)
        self.topics: dict[int, Topic] = {}
        self.uploads: list[Upload] = []  # in memory only: most of them may be private
        self.moves: list[PostMoved] = []
        for table, columns in NOTES.items():
            self.db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} ({columns})")
            self.db.execute(f"DELETE FROM temp.{table}")
        self.marked: dict[str, list[int]] = {"gone": [], "unsure": []}

    def take(self, item: SourceItem) -> None:
        match item:
            case Post():
                self.read += 1
                self.highest_id = max(self.highest_id, item.id)
                self.batch.append(item)
                self.batch_chars += len(item.cooked)
                if len(self.batch) >= BATCH_POSTS or self.batch_chars >= BATCH_CHARS:
                    self.flush()
            case PostVector():
                self.vectors.append(item)
                if len(self.vectors) >= BATCH_VECTORS:
                    self.flush_vectors()
            case Upload():
                self.uploads.append(item)
            case PostMoved():
                self.moves.append(item)
            case VectorsRefused(reason, count):
                self.refused_vectors[reason] += count
            case Skipped(reason, _, post_id):
                self.skipped[reason] += 1
                if post_id is not None:
                    self.highest_id = max(self.highest_id, post_id)
                    if reason not in _SILENT:
                        self.marked["unsure" if reason in _UNSURE else "gone"].append(post_id)
            case Topic():
                self.topics[item.id] = item
            case TopicExtent(topic_id, post_ids):
                self.db.executemany(
                    "INSERT OR IGNORE INTO temp.extent VALUES (?, ?)", [(post, topic_id) for post in post_ids]
                )
            case Category():
                self._save_category(item)
            case Site():
                self._save_site(item)
            case Flaw():
                self.flaw_count += 1
                if len(self.flaws) < MAX_FLAWS or item.fatal:
                    where = item.where.encode("utf-8", "replace").decode()  # a file's name may be no UTF-8
                    self.flaws.append(replace(item, where=where))
            case Position():
                self.position = item

    def flush(self) -> None:
        """One transaction: the topics read so far, then the posts."""
        for table, ids in self.marked.items():
            self.db.executemany(f"INSERT OR IGNORE INTO temp.{table} (id) VALUES (?)", [(i,) for i in ids])
            ids.clear()
        if not self.batch and not self.topics:
            return
        with transaction(self.db, self.store.path):
            for topic in self.topics.values():
                self._save_topic(topic)
            self.topics.clear()
            self._save_posts()
        self.batch.clear()
        self.batch_chars = 0

    def flush_vectors(self) -> None:
        """The posts read so far, then the vectors of those that are held."""
        self.flush()
        if self.vectors:
            self.kept_vectors += self.keep_vectors(self.vectors)
            self.vectors.clear()

    def _save_site(self, site: Site) -> None:
        held = self.store.meta("base_url")
        if site.base_url and held and site.base_url.lower() != held.lower():
            raise OtherForum(held=held, offered=site.base_url)
        facts = [("base_url", site.base_url), ("title", site.title)]
        with transaction(self.db, self.store.path):
            self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [f for f in facts if f[1]])

    def _save_category(self, c: Category) -> None:
        with transaction(self.db, self.store.path):
            self.db.execute(
                "INSERT OR REPLACE INTO categories VALUES (?, ?, ?, ?, ?, ?, ?)",
                (c.id, c.name, c.slug, c.parent_id, c.color, c.position, c.description),
            )
        self.db.execute("INSERT OR IGNORE INTO temp.seen_categories (id) VALUES (?)", (c.id,))

    def _save_topic(self, t: Topic) -> None:
        tags = json.dumps(t.tags, ensure_ascii=False)
        self.db.execute(
            "INSERT OR REPLACE INTO topics VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (t.id, t.title, t.slug, t.category_id, _seconds(t.created_at), _seconds(t.last_posted_at), tags, t.views,
             t.likes, t.closed, t.archived, t.pinned, t.accepted_post_id),
        )  # fmt: skip
        self.db.execute("DELETE FROM topic_tags WHERE topic_id = ?", (t.id,))
        self.db.executemany("INSERT OR IGNORE INTO topic_tags VALUES (?, ?)", [(tag, t.id) for tag in t.tags])
        self.db.execute("INSERT OR IGNORE INTO temp.seen_topics (id) VALUES (?)", (t.id,))
        if t.expected_posts is not None:
            self.db.execute(
                """INSERT INTO ledger VALUES (?, ?, 0, 0, 0)
                   ON CONFLICT (topic_id) DO UPDATE SET expected = excluded.expected""",
                (t.id, t.expected_posts),
            )

    def _save_posts(self) -> None:
        held = checking.held(self.store, [post.id for post in self.batch])
        rows, authors, uploads, left = [], {}, [], []
        for post in self.batch:
            digest = digest_of(post)
            updated = _seconds(post.updated_at)
            before = held.get(post.id)
            same = before is not None and before.digest == digest and before.is_intact(post)
            if before is not None and (updated < before.updated or (same and updated == before.updated)):
                self.unchanged += 1
                continue
            if before is None:
                self.added += 1
            elif same:  # only its date is newer: kept, so that no older edit passes for newer
                self.unchanged += 1
            else:
                self.changed += 1
            place = (post.topic_id, post.post_number)
            if before is not None and (before.topic_id, before.number) != place:
                left.append((before.topic_id, before.number, post.id))
            # The same post may come twice in one batch.
            held[post.id] = HeldPost(post.id, *place, digest, updated, post.cooked, post.parts.text)
            parts = post.parts
            rows.append(
                (post.id, post.topic_id, post.post_number, post.username, post.post_type, _seconds(post.created_at),
                 updated, post.reply_to, post.likes, sum(c.isalnum() for c in parts.text), digest, parts.text,
                 "\n".join(parts.code), "\n".join(parts.spoilers), post.cooked,
                 None if post.revised_at is None else _seconds(post.revised_at))
            )  # fmt: skip
            authors[post.username] = (post.username, post.display_name, post.user_id)
            uploads += [(post.id, a.url, a.name) for a in parts.attachments]
        marks = ",".join("?" * 16)
        note_moves(self.db, left)
        self.db.executemany("DELETE FROM uploads WHERE post_id = ?", [(row[0],) for row in rows])
        self.db.executemany(f"INSERT OR REPLACE INTO posts VALUES ({marks})", rows)
        self.db.executemany("INSERT OR IGNORE INTO uploads VALUES (?, ?, ?)", uploads)
        self.db.executemany("INSERT OR REPLACE INTO users VALUES (?, ?, ?)", authors.values())
        self.db.executemany("INSERT OR IGNORE INTO temp.seen (id) VALUES (?)", [(post.id,) for post in self.batch])


def import_source(
    store: ArchiveStore,
    items: Iterable[SourceItem],
    *,
    source: str,
    kind: str,
    whole_forum: bool,
    accept_removals: bool = False,
    keep_vectors: KeepVectors = lambda vectors: 0,
    keep_uploads: KeepUploads = lambda known: None,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> ImportReport:
    """Bring the store to what the source shows, and say what was done.

    `whole_forum` means that a post absent from a flawless read is gone (a backup). `check` may raise Cancelled
    between batches: what was saved stays. Files are kept last, once it is settled what is public. Raises OtherForum
    when the source belongs to another forum.
    """
    started = time.monotonic()
    work = _Import(store, keep_vectors)
    with transaction(store.db, store.path):
        store.db.execute("UPDATE imports SET state = 'interrupted' WHERE state = 'running'")
        row = store.db.execute(
            """INSERT INTO imports (source, kind, started_at, state, report)
               VALUES (?, ?, ?, 'running', '{}') RETURNING id""",
            (source, kind, int(time.time())),
        ).fetchone()
    state = "failed"
    report = None
    try:
        for item in without_erased(store.path.parent, items, usernames(store)):
            work.take(item)
            if isinstance(item, Position):
                check()
                on_progress(_progress(work, time.monotonic() - started))
        work.flush_vectors()
        read = SourceRead(
            flaws=work.flaw_count,
            cut=any(flaw.fatal for flaw in work.flaws),
            highest_id=work.highest_id if whole_forum else None,
        )
        removed, kept = remove_absent(store, read, accept_all=accept_removals)
        settle_names(store)
        save_moves(store, work.moves)
        missing = settle_ledger(store)
        prune(store)
        uploads = keep_uploads(work.uploads)
        complete = work.flaw_count == 0
        report = ImportReport(
            complete=complete, read=work.read, added=work.added, changed=work.changed, unchanged=work.unchanged,
            removed=removed, kept_absent=kept, skipped=dict(sorted(work.skipped.items())), missing=missing,
            flaws=tuple(work.flaws), took_s=time.monotonic() - started, vectors=work.kept_vectors,
            vectors_refused=dict(work.refused_vectors), uploads=uploads,
        )  # fmt: skip
        state = "done" if complete else "partial"
        return report
    except Cancelled:
        state = "cancelled"
        raise
    finally:
        document = json.dumps(asdict(report) if report else {"skipped": dict(work.skipped)}, ensure_ascii=False)
        if not store.db.in_transaction:
            with transaction(store.db, store.path):
                store.db.execute(
                    "UPDATE imports SET state = ?, ended_at = ?, report = ? WHERE id = ?",
                    (state, int(time.time()), document, row[0]),
                )


def _progress(work: _Import, elapsed_s: float) -> Progress:
    done, total = work.position.done, work.position.total
    left = elapsed_s * (total - done) / done if done and total else None
    return Progress("import", done, total, rate=work.read / elapsed_s if elapsed_s > 0 else 0.0, left_s=left)


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
