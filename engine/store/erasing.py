"""Takes out of archive.db what the erase list names, in one transaction: nothing is ever half erased there."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..erase.items import Eraser
from ..sources import CookedText, Post
from ..values import PostId, PostNumber, TopicId
from . import post_digest
from .archive import IDS_AT_A_TIME, ArchiveStore
from .database import Connection, transaction, translated
from .vectors import VectorStore

_POSTS = "SELECT id, topic_id, post_number, username, text, code, spoilers, cooked FROM posts ORDER BY id"
_REPORTED = 2000  # posts between two looks at whether to go on


@dataclass(frozen=True, slots=True)
class HeldPost:
    """What of a post may name somebody."""

    id: int
    topic_id: int
    number: int
    username: str
    text: str
    code: str
    spoilers: str
    cooked: str


@dataclass(frozen=True, slots=True)
class HeldTopic:
    """What of a topic may name somebody; `tags` are JSON."""

    id: int
    title: str
    slug: str
    tags: str


def posts(store: ArchiveStore) -> Iterator[HeldPost]:
    """Every post in the order of ids. Streams."""
    with translated(store.path):
        for row in store.db.execute(_POSTS):
            yield HeldPost(*row)


def topics(store: ArchiveStore) -> list[HeldTopic]:
    """Every topic."""
    return [HeldTopic(*row) for row in store.rows("SELECT id, title, slug, tags FROM topics ORDER BY id")]


def other_texts(store: ArchiveStore, *, without_titles_of: Container[int]) -> Iterator[str]:
    """What the archive says beside its posts: titles of topics, names and descriptions of categories."""
    for topic in topics(store):
        if topic.id not in without_titles_of:
            yield topic.title
    for row in store.rows("SELECT name, description FROM categories"):
        yield from row


def members(store: ArchiveStore) -> list[tuple[str, str, int | None]]:
    """(name, displayed name, number) of every member with a post."""
    return [(row[0], row[1], row[2]) for row in store.rows("SELECT username, display_name, user_id FROM users")]


def earlier_places(store: ArchiveStore, post_ids: Iterable[int]) -> set[tuple[int, int]]:
    """(topic, number) where these posts once stood: quotes may still name them."""
    wanted = set(post_ids)
    return {
        (row[0], row[1]) for row in store.rows("SELECT topic_id, post_number, post_id FROM moved") if row[2] in wanted
    }


def passages_of(vectors: VectorStore, post_ids: Iterable[int]) -> int:
    """How many passages of these posts have a place in vectors.db."""
    count = 0
    with translated(vectors.path):
        for part, marks in _parts(sorted(post_ids)):
            count += vectors.db.execute(f"SELECT COUNT(*) FROM passages WHERE post_id IN ({marks})", part).fetchone()[0]
    return count


def uploads_only_of(store: ArchiveStore, post_ids: Iterable[int]) -> int:
    """How many files no other post shows."""
    gone = set(post_ids)
    shown: dict[str, bool] = {}
    for post_id, url in store.rows("SELECT post_id, url FROM uploads") if gone else ():
        shown[url] = shown.get(url, True) and post_id in gone
    return sum(shown.values())


def apply(store: ArchiveStore, eraser: Eraser, *, check: Callable[[], None] = lambda: None) -> dict[str, int]:
    """Make the archive hold what an import would now let in; how many posts and topics went or changed."""
    with transaction(store.db, store.path):
        store.db.execute("PRAGMA secure_delete = ON")
        counts = {"posts_erased": _remove(store.db, eraser.erased.posts)}
        counts["posts_changed"] = _change_posts(store, eraser, check)
        counts["topics_changed"] = _change_topics(store.db, eraser)
        _change_users(store.db, eraser)
        _change_others(store.db, eraser)
    return counts


def _remove(db: Connection, post_ids: frozenset[int]) -> int:
    """Posts with all that hangs on them; a topic that has none left goes too."""
    gone: list[tuple[int, int]] = []
    for part, marks in _parts(sorted(post_ids)):
        gone += db.execute(f"SELECT id, topic_id FROM posts WHERE id IN ({marks})", part).fetchall()
    if not gone:
        return 0
    for part, marks in _parts([post_id for post_id, _ in gone]):
        db.execute(
            f"""INSERT INTO ledger SELECT topic_id, 0, 0, 0, COUNT(*) FROM posts WHERE id IN ({marks})
                GROUP BY topic_id ON CONFLICT (topic_id) DO UPDATE SET deleted = deleted + excluded.deleted""",
            part,
        )
        for table, column in (("posts", "id"), ("uploads", "post_id"), ("moved", "post_id")):
            db.execute(f"DELETE FROM {table} WHERE {column} IN ({marks})", part)
        db.execute(f"UPDATE topics SET accepted_post_id = NULL WHERE accepted_post_id IN ({marks})", part)
    for topic_id in {topic_id for _, topic_id in gone}:
        db.execute(
            "DELETE FROM topics WHERE id = ? AND NOT EXISTS (SELECT 1 FROM posts WHERE topic_id = topics.id)",
            (topic_id,),
        )
        db.execute(
            """UPDATE ledger SET held = (SELECT COUNT(*) FROM posts p WHERE p.topic_id = ledger.topic_id)
               WHERE topic_id = ?""",
            (topic_id,),
        )
        db.execute("UPDATE ledger SET missing = MAX(0, expected - held - deleted) WHERE topic_id = ?", (topic_id,))
    db.execute("DELETE FROM topic_tags WHERE topic_id NOT IN (SELECT id FROM topics)")
    db.execute("DELETE FROM users WHERE username NOT IN (SELECT username FROM posts)")
    return len(gone)


def _change_posts(store: ArchiveStore, eraser: Eraser, check: Callable[[], None]) -> int:
    db = store.db
    authors = {name: eraser.author(name, shown, number) for name, shown, number in members(store)}
    # Read to the end first: rows that change under an open cursor may come twice.
    found: list[HeldPost] = []
    for n, post in enumerate(posts(store)):
        if n % _REPORTED == 0:
            check()
        username = authors.get(post.username, (post.username, "", None))[0]
        fresh = HeldPost(
            post.id, post.topic_id, post.number, username, eraser.text(post.text), eraser.text(post.code),
            eraser.text(post.spoilers), eraser.html(post.cooked),
        )  # fmt: skip
        if fresh != post:
            found.append(fresh)
    shown_as = {name: shown for name, shown, _ in authors.values()}
    for post in found:
        useful = sum(c.isalnum() for c in post.text)
        db.execute(
            """UPDATE posts SET username = ?, text = ?, code = ?, spoilers = ?, cooked = ?, useful_chars = ?, digest = ?
               WHERE id = ?""",
            (post.username, post.text, post.code, post.spoilers, post.cooked, useful,
             _digest(db, post, shown_as.get(post.username, "")), post.id),
        )  # fmt: skip
    return len(found)


def _digest(db: Connection, post: HeldPost, display_name: str) -> bytes:
    """What the next import of this post compares, so that it finds it unchanged."""
    row = db.execute(
        "SELECT post_type, reply_to, likes, created_at, updated_at, revised_at FROM posts WHERE id = ?", (post.id,)
    ).fetchone()
    return post_digest.digest(
        Post(
            PostId(post.id),
            TopicId(post.topic_id),
            PostNumber(post.number),
            post.username,
            display_name,
            None,
            created_at=datetime.fromtimestamp(row[3], UTC),
            updated_at=datetime.fromtimestamp(row[4], UTC),
            cooked=post.cooked,
            parts=CookedText(post.text),
            post_type=row[0],
            reply_to=row[1],
            likes=row[2],
            revised_at=None if row[5] is None else datetime.fromtimestamp(row[5], UTC),
        )
    )


def _change_topics(db: Connection, eraser: Eraser) -> int:
    changed = 0
    for topic_id, title, slug, tags in db.execute("SELECT id, title, slug, tags FROM topics").fetchall():
        fresh_title, fresh_slug = eraser.title(topic_id, title, slug)
        fresh_tags = tuple(map(eraser.text, json.loads(tags)))
        told = json.dumps(fresh_tags, ensure_ascii=False)
        if fresh_tags == tuple(json.loads(tags)):
            told = tags
        if (fresh_title, fresh_slug, told) == (title, slug, tags):
            continue
        changed += 1
        db.execute(
            "UPDATE topics SET title = ?, slug = ?, tags = ? WHERE id = ?", (fresh_title, fresh_slug, told, topic_id)
        )
        if told != tags:
            db.execute("DELETE FROM topic_tags WHERE topic_id = ?", (topic_id,))
            db.executemany("INSERT OR IGNORE INTO topic_tags VALUES (?, ?)", [(tag, topic_id) for tag in fresh_tags])
    return changed


def _change_users(db: Connection, eraser: Eraser) -> None:
    for name, shown, number in db.execute("SELECT username, display_name, user_id FROM users").fetchall():
        fresh = eraser.author(name, shown, number)
        if fresh != (name, shown, number):
            db.execute("DELETE FROM users WHERE username = ?", (name,))
            db.execute("INSERT OR REPLACE INTO users VALUES (?, ?, ?)", fresh)


def _change_others(db: Connection, eraser: Eraser) -> None:
    for number, name, description in db.execute("SELECT id, name, description FROM categories").fetchall():
        fresh = (eraser.text(name), eraser.html(description))
        if fresh != (name, description):
            db.execute("UPDATE categories SET name = ?, description = ? WHERE id = ?", (*fresh, number))
    for post_id, url, name in db.execute("SELECT post_id, url, name FROM uploads").fetchall():
        if (fresh := (eraser.text(url), eraser.text(name))) != (url, name):
            db.execute("DELETE FROM uploads WHERE post_id = ? AND url = ?", (post_id, url))
            db.execute("INSERT OR REPLACE INTO uploads VALUES (?, ?, ?)", (post_id, *fresh))
    for url, stored, size, name in db.execute("SELECT url, stored, bytes, name FROM files").fetchall():
        if (fresh := (eraser.text(url), eraser.text(name))) != (url, name):
            db.execute("DELETE FROM files WHERE url = ?", (url,))
            db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (fresh[0], stored, size, fresh[1]))
    for number, source, report in db.execute("SELECT id, source, report FROM imports").fetchall():
        if (fresh := (eraser.text(source), eraser.text(report))) != (source, report):
            db.execute("UPDATE imports SET source = ?, report = ? WHERE id = ?", (*fresh, number))


def _parts(values: Sequence[int]) -> Iterator[tuple[Sequence[int], str]]:
    for start in range(0, len(values), IDS_AT_A_TIME):
        part = values[start : start + IDS_AT_A_TIME]
        yield part, ",".join("?" * len(part))
