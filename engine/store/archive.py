"""Reading archive.db: posts, topics, categories, and the sets of posts that a filter allows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..index.passages import IndexablePost
from ..values import Category, PostId, PostNumber, Topic, TopicId
from . import columns, links
from .columns import Columns, Numbers
from .database import Connections, translated
from .remembered import Remembered
from .schema import ARCHIVE

FILE = "archive.db"
Row = tuple[Any, ...]  # SQLite's rows have no types; they end in this module
IDS_AT_A_TIME = 900  # SQLite's oldest limit on parameters is 999


@dataclass(frozen=True, slots=True)
class PostRow:
    """A held post with its topic's title and slug. `cooked` is the forum's HTML, not yet sanitised."""

    id: PostId
    topic_id: TopicId
    post_number: PostNumber
    username: str
    display_name: str
    created_at: datetime
    updated_at: datetime
    reply_to: PostNumber | None
    likes: int
    text: str
    code: str
    cooked: str
    title: str
    slug: str
    category: str
    revised_at: datetime | None = None  # when its words were last edited for all to see

    @property
    def path(self) -> str:
        """The post's address on a Discourse, without the forum's own address."""
        return f"/t/{self.slug or 'sujet'}/{self.topic_id}/{self.post_number}"

    @property
    def digest(self) -> str:
        """Sixteen hex digits that change when the words of the post are edited, and with nothing else of it."""
        return hashlib.blake2b(f"{self.text}\0{self.code}".encode("utf-8", "replace"), digest_size=8).hexdigest()


_POST_COLUMNS = """
    p.id, p.topic_id, p.post_number, p.username, COALESCE(u.display_name, ''), p.created_at, p.updated_at,
    p.reply_to, p.likes, p.text, p.code, p.cooked, t.title, t.slug, COALESCE(c.name, ''), p.revised_at
    FROM posts p JOIN topics t ON t.id = p.topic_id
    LEFT JOIN categories c ON c.id = t.category_id LEFT JOIN users u ON u.username = p.username
"""


class ArchiveStore:
    """An open archive.db; safe to read from several threads (each gets its own connection)."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._connections = Connections(self.path, ARCHIVE)
        self._columns = Remembered(self.path, columns.read)
        self._linked = Remembered(self.path, links.read, behind=True)

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection."""
        return self._connections.get()

    def close(self) -> None:
        """Close every thread's connection; the store can't be used afterwards."""
        self._columns.close()
        self._linked.close()
        self._connections.close()

    def columns(self) -> Columns:
        """What lists and counts need of every post and topic; takes a second after the archive has changed."""
        return self._columns.get(self.db)

    def begin_linked(self) -> None:
        """Read what `linked` gives in a thread, so that whoever asks first does not wait."""
        self._linked.begin()

    def linked(self) -> tuple[Numbers, Numbers]:
        """(ids of topics, how many posts link to each); the first call takes seconds, later ones may be behind."""
        return self._linked.get(self.db)

    # --- what it holds ---

    def counts(self) -> tuple[int, int, int]:
        """(posts, topics, categories)."""
        return self._count("posts"), self._count("topics"), self._count("categories")

    def meta(self, key: str) -> str:
        """A fact about the archive ("title", "base_url"), empty when unknown."""
        row = self.row("SELECT value FROM meta WHERE key = ?", (key,))
        return str(row[0]) if row else ""

    def skipped(self) -> dict[str, int]:
        """Posts left out, by reason: the last whole backup, and the last import of each source read since."""
        total: dict[str, int] = {}
        rows = self.rows(
            """SELECT report FROM imports WHERE id IN (
                 SELECT MAX(id) FROM imports WHERE state IN ('done', 'partial') AND id >= COALESCE(
                   (SELECT MAX(id) FROM imports WHERE kind = 'dump' AND state IN ('done', 'partial')), 0)
                 GROUP BY source)"""
        )
        for (report,) in rows:
            for reason, count in json.loads(report).get("skipped", {}).items():
                total[reason] = total.get(reason, 0) + count
        return total

    def categories(self) -> tuple[Category, ...]:
        """All categories in the forum's order."""
        rows = self.rows(
            "SELECT id, name, slug, parent_id, color, position, description FROM categories ORDER BY position, id"
        )
        return tuple(Category(*row) for row in rows)

    def topic(self, topic_id: int) -> Topic | None:
        """One topic, None when it is not held."""
        row = self.row(
            """SELECT id, title, slug, category_id, created_at, last_posted_at, tags, views, likes, closed, archived,
               pinned, accepted_post_id FROM topics WHERE id = ?""",
            (topic_id,),
        )
        if row is None:
            return None
        return Topic(
            id=TopicId(row[0]), title=row[1], slug=row[2], category_id=row[3],
            created_at=_moment(row[4]), last_posted_at=_moment(row[5]), tags=tuple(json.loads(row[6])),
            views=row[7], likes=row[8], closed=bool(row[9]), archived=bool(row[10]), pinned=bool(row[11]),
            accepted_post_id=row[12],
        )  # fmt: skip

    def usernames(self, words: Sequence[str]) -> frozenset[str]:
        """Those of these words that are members' names, in lower case."""
        marks = ",".join("?" * len(words))
        # NOCASE folds ASCII, which is what Discourse allows in a name unless an administrator says otherwise.
        rows = self.rows(f"SELECT username FROM users WHERE username COLLATE NOCASE IN ({marks})", list(words))
        return frozenset(str(name).lower() for (name,) in rows)

    def topic_size(self, topic_id: int) -> int:
        """How many posts of a topic are held."""
        row = self.row("SELECT COUNT(*) FROM posts WHERE topic_id = ?", (topic_id,))
        return int(row[0]) if row else 0

    def posts(self, ids: Iterable[PostId]) -> dict[PostId, PostRow]:
        """The held ones among these posts."""
        wanted, found = list(ids), {}
        for start in range(0, len(wanted), IDS_AT_A_TIME):
            part = wanted[start : start + IDS_AT_A_TIME]
            marks = ",".join("?" * len(part))
            for row in self.rows(f"SELECT {_POST_COLUMNS} WHERE p.id IN ({marks})", part):
                found[PostId(row[0])] = _post(row)
        return found

    def post_at(self, topic_id: int, post_number: int) -> PostRow | None:
        """The post that has this number in its topic, None when it is not held."""
        row = self.row(
            f"SELECT {_POST_COLUMNS} WHERE p.topic_id = ? AND p.post_number = ? ORDER BY p.id LIMIT 1",
            (topic_id, post_number),
        )
        return _post(row) if row else None

    def window(self, topic_id: int, post_number: int, *, before: int, after: int) -> tuple[PostRow, ...]:
        """The post of that number (or the place where it would stand), with held posts before and after it."""
        earlier = self.rows(
            f"""SELECT {_POST_COLUMNS} WHERE p.topic_id = ? AND p.post_number < ?
                ORDER BY p.post_number DESC, p.id DESC LIMIT ?""",
            (topic_id, post_number, before),
        )
        later = self.rows(
            f"""SELECT {_POST_COLUMNS} WHERE p.topic_id = ? AND p.post_number >= ?
                ORDER BY p.post_number, p.id LIMIT ?""",
            (topic_id, post_number, after + 1),
        )
        return tuple(_post(row) for row in (*reversed(earlier), *later))

    def indexable(self, among: Sequence[PostId] | None = None) -> Iterator[IndexablePost]:
        """Every post (or those `among` at most 900) in the order of ids, as the indexes see it. Streams."""
        where = "" if among is None else f"WHERE p.id IN ({','.join('?' * len(among))})"
        with translated(self.path):
            for row in self.db.execute(
                f"""SELECT p.id, t.title, COALESCE(c.name, ''), t.tags, p.text, p.code, p.spoilers, p.useful_chars
                   FROM posts p JOIN topics t ON t.id = p.topic_id LEFT JOIN categories c ON c.id = t.category_id
                   {where} ORDER BY p.id""",
                among or (),
            ):
                body = "\n".join(part for part in row[4:7] if part)
                tags = tuple(json.loads(row[3])) if row[3] != "[]" else ()
                yield IndexablePost(PostId(row[0]), row[1], row[2], tags, body, row[7])

    def useful_chars(self) -> int:
        """Letters and digits of all held posts, without their code and spoilers."""
        row = self.row("SELECT SUM(useful_chars) FROM posts")
        return int(row[0] or 0) if row else 0

    def long_posts(self, min_useful_chars: int) -> int:
        """How many held posts have at least so many useful characters."""
        row = self.row("SELECT COUNT(*) FROM posts WHERE useful_chars >= ?", (min_useful_chars,))
        return int(row[0]) if row else 0

    def by_usefulness(self) -> Iterator[tuple[PostId, int]]:
        """Every post and its number of useful characters: opening posts and accepted answers, liked posts, the others.

        The newest first in each of these.
        """
        with translated(self.path):
            yield from self.db.execute(
                """SELECT p.id, p.useful_chars FROM posts p JOIN topics t ON t.id = p.topic_id
                   ORDER BY CASE WHEN p.post_number = 1 OR p.id = t.accepted_post_id THEN 0 WHEN p.likes > 0 THEN 1
                            ELSE 2 END, p.created_at DESC, p.id DESC"""
            )

    def post_ids(self, *, min_useful_chars: int = 0) -> frozenset[PostId]:
        """The ids of all held posts, or of those with at least so many useful characters."""
        rows = self.rows("SELECT id FROM posts WHERE useful_chars >= ?", (min_useful_chars,))
        return frozenset(PostId(row[0]) for row in rows)

    def newest_of_backups(self) -> int:
        """The newest post id when all that is held comes from whole backups, else 0: others may have gaps."""
        row = self.row(
            """SELECT MAX(id) FROM posts WHERE NOT EXISTS (SELECT 1 FROM imports WHERE kind <> 'dump')
               AND (SELECT state FROM imports ORDER BY id DESC LIMIT 1) = 'done'"""
        )
        return int(row[0] or 0) if row else 0

    def upload_urls(self) -> tuple[str, ...]:
        """Addresses of the images and files of held posts, those of the newest posts first."""
        rows = self.rows("SELECT url FROM uploads GROUP BY url ORDER BY MAX(post_id) DESC, url")
        return tuple(row[0] for row in rows)

    def state(self) -> str:
        """Sixteen hex digits that change with anything an index is built from."""
        hasher = hashlib.blake2b(digest_size=8)
        with translated(self.path):
            for row in self.db.execute("SELECT id, digest FROM posts ORDER BY id"):
                hasher.update(b"%d" % row[0] + row[1])
            for row in self.db.execute("SELECT id, title, tags, category_id FROM topics ORDER BY id"):
                hasher.update(repr(row).encode("utf-8", "replace"))
            for row in self.db.execute("SELECT id, name FROM categories ORDER BY id"):
                hasher.update(repr(row).encode("utf-8", "replace"))
        return hasher.hexdigest()

    def newest(self, post_ids: frozenset[PostId], limit: int) -> tuple[PostId, ...]:
        """The most recent of these posts, newest first."""
        found: list[PostId] = []
        with translated(self.path):
            for (post_id,) in self.db.execute("SELECT id FROM posts ORDER BY created_at DESC, id DESC"):
                if post_id in post_ids:
                    found.append(PostId(post_id))
                    if len(found) == limit:
                        break
        return tuple(found)

    # --- SQLite ---

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """The rows of a query, for the rooms of the store."""
        with translated(self.path):
            return self.db.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """Its first row, None when there is none."""
        rows = self.rows(sql, values)
        return rows[0] if rows else None

    def _count(self, table: str) -> int:
        row = self.row(f"SELECT COUNT(*) FROM {table}")
        return int(row[0]) if row else 0


def _post(row: Row) -> PostRow:
    values = list(row)
    values[5], values[6] = _moment(values[5]), _moment(values[6])
    values[-1] = None if values[-1] is None else _moment(values[-1])
    return PostRow(*values)


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
