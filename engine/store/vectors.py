"""vectors.db: every vector ever computed, by model and hash of the embedded text, so that none is computed twice.

A vector that the forum computed stands for a whole post and is kept under the key of the post's first passage. An
index may be made of two models of one space (`sources.beside_forum_model`): then the forum's vectors come first, and
ours are for the posts that have none. A passage's place is a number: its post's id times 65,536, plus its rank.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..index.passages import Passage
from ..seams import Vectors
from ..sources import FORUM_MODEL, beside_forum_model
from ..values import PostId
from .database import Connections, transaction, translated
from .schema import VECTORS

FILE = "vectors.db"
PAGE_BYTES = 16384  # seven vectors of 1,024 dimensions; a page of 4,096 bytes would hold one and waste the rest
PLACES_A_POST = 65536
_AT_A_TIME = 900
_WRITTEN_AT_A_TIME = 5000
# Passages with a vector of the first model, else of the second; parameters: the two models.
_HELD = """FROM passages p LEFT JOIN vectors a ON a.model = ? AND a.key = p.key
           LEFT JOIN vectors b ON b.model = ? AND b.key = p.key WHERE (a.key IS NOT NULL OR b.key IS NOT NULL)"""
_UNUSED = "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors WHERE {} key NOT IN (SELECT key FROM passages))"


class VectorStore:
    """An open vectors.db. Vectors go in and come out as float32 rows and are kept as float16."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._connections = Connections(self.path, VECTORS, page_bytes=PAGE_BYTES)

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection."""
        return self._connections.get()

    def close(self) -> None:
        """Close every thread's connection; the store can't be used afterwards."""
        self._connections.close()

    # --- passages ---

    def passages_of(self) -> str:
        """The name under which the passages were last set or changed, empty before."""
        rows = self._all("SELECT value FROM meta WHERE key = 'passages_of'")
        return str(rows[0][0]) if rows else ""

    def set_passages(self, passages: Iterable[Passage], *, name: str = "") -> None:
        """Make these the passages of the archive, forget all others and every vector that none of them uses."""
        known = dict(self._all("SELECT post_id * 65536 + n, key FROM passages"))
        with transaction(self.db, self.path):
            self._keep(p for p in passages if known.pop(p.post_id * PLACES_A_POST + p.n, None) != p.key)
            self.db.executemany(
                "DELETE FROM passages WHERE post_id = ? AND n = ?", [divmod(place, PLACES_A_POST) for place in known]
            )
            self.db.execute(_UNUSED.format(""))
            self._name(name)

    def change_passages(self, post_ids: Sequence[int], passages: Iterable[Passage], *, name: str) -> None:
        """Give these posts these passages instead of those they had, and forget the vectors that no passage uses."""
        with transaction(self.db, self.path):
            self.db.execute("CREATE TEMP TABLE IF NOT EXISTS dropped (key BLOB PRIMARY KEY) WITHOUT ROWID")
            self.db.execute("DELETE FROM temp.dropped")
            for part, marks in _parts(post_ids):
                self.db.execute(
                    f"INSERT OR IGNORE INTO temp.dropped SELECT key FROM passages WHERE post_id IN ({marks})", part
                )
                self.db.execute(f"DELETE FROM passages WHERE post_id IN ({marks})", part)
            self._keep(passages)
            self.db.execute(_UNUSED.format("key IN temp.dropped AND"))
            self._name(name)

    def _keep(self, passages: Iterable[Passage]) -> None:
        pending: list[tuple[int, int, bytes]] = []
        for passage in passages:
            pending.append((passage.post_id, passage.n, passage.key))
            if len(pending) == _WRITTEN_AT_A_TIME:
                self.db.executemany("INSERT OR REPLACE INTO passages VALUES (?, ?, ?)", pending)
                pending.clear()
        self.db.executemany("INSERT OR REPLACE INTO passages VALUES (?, ?, ?)", pending)

    def _name(self, name: str) -> None:
        # Whoever encodes a text that is no longer one of these must not keep a vector of it.
        self.db.execute("DELETE FROM claims WHERE key NOT IN (SELECT key FROM passages)")
        self.db.execute("INSERT OR REPLACE INTO meta VALUES ('passages_of', ?)", (name,))

    def missing(self, model: str) -> frozenset[bytes]:
        """Keys of passages that have no vector of this model yet, nor a vector of the forum for their whole post."""
        return frozenset(row[0] for row in self._lacking("key", model))

    def posts_missing(self, model: str) -> frozenset[PostId]:
        """The posts of these passages."""
        return frozenset(PostId(row[0]) for row in self._lacking("post_id", model))

    def _lacking(self, column: str, model: str) -> list[tuple[Any, ...]]:
        first, second = _models(model)
        return self._all(
            f"""SELECT DISTINCT {column} FROM passages WHERE key NOT IN (SELECT key FROM vectors WHERE model IN (?, ?))
               AND (? = '' OR post_id NOT IN (SELECT p.post_id FROM passages p JOIN vectors v ON v.key = p.key
                                              WHERE v.model = ? AND p.n = 0))""",
            (first, second, second, first),
        )

    # --- vectors ---

    def put(self, model: str, keys: Sequence[bytes], vectors: Vectors, *, holder: str | None = None) -> None:
        """Keep one vector a key, in one transaction; with a holder, of those it still claims, which it then no longer
        does (`claims.py`)."""
        half = vectors.astype(np.float16)
        rows = [(model, key, half[i].tobytes()) for i, key in enumerate(keys)]
        with transaction(self.db, self.path):
            if holder is not None:
                claimed = "DELETE FROM claims WHERE model = ? AND key = ? AND holder = ?"
                rows = [row for row in rows if self.db.execute(claimed, (*row[:2], holder)).rowcount]
            self.db.executemany("INSERT OR REPLACE INTO vectors (model, key, vector) VALUES (?, ?, ?)", rows)

    @contextmanager
    def unmoved(self) -> Iterator[None]:
        """What this thread reads is of one moment, whatever others write meanwhile."""
        with translated(self.path):
            self.db.execute("BEGIN")
            try:
                yield
            finally:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    def probes(self, model: str) -> str:
        """What was kept to know the model of this name again, empty when nothing was."""
        rows = self._all("SELECT value FROM meta WHERE key = ?", (f"probes {model}",))
        return str(rows[0][0]) if rows else ""

    def keep_probes(self, model: str, probes: str) -> None:
        """Keep this to know the model of this name again, before its first vector."""
        with transaction(self.db, self.path):
            self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"probes {model}", probes))

    def passage_count(self) -> int:
        """How many passages the archive has, with or without a vector."""
        return int(self._all("SELECT COUNT(*) FROM passages")[0][0])

    def count(self, model: str) -> int:
        """How many vectors of this model are held."""
        return int(self._all("SELECT COUNT(*) FROM vectors WHERE model = ?", (model,))[0][0])

    def held_passages(self, model: str) -> int:
        """How many passages have a vector of this model: what an index of it holds."""
        return int(self._all(f"SELECT COUNT(*) {_HELD}", _models(model))[0][0])

    def covered_posts(self, model: str) -> int:
        """How many posts have at least one vector of this model."""
        return int(self._all(f"SELECT COUNT(DISTINCT p.post_id) {_HELD}", _models(model))[0][0])

    def places(self, model: str) -> Iterator[tuple[int, int]]:
        """The place of every passage that has a vector of this model, ascending, and 64 bits that name that vector."""
        sql = f"SELECT p.post_id * 65536 + p.n, p.key, a.key IS NULL {_HELD} ORDER BY p.post_id, p.n"
        with translated(self.path):
            for place, key, second in self.db.execute(sql, _models(model)):
                yield place, int.from_bytes(key[:8], "little") ^ second

    def passages_with_vectors(
        self, model: str, among: Iterable[PostId] | None = None, *, batch: int = 4096
    ) -> Iterator[tuple[list[tuple[PostId, int]], Vectors]]:
        """All passages that have a vector of this model, or those of some posts, by post id.

        In batches of (post, rank) pairs and (n, d) float32 rows; an empty one may come.
        """
        sql = f"SELECT p.post_id, p.n, COALESCE(a.vector, b.vector) {_HELD}"
        with translated(self.path):
            if among is not None:
                for part, marks in _parts(sorted(among)):
                    yield _batch(self._all(f"{sql} AND p.post_id IN ({marks})", (*_models(model), *part)))
                return
            cursor = self.db.execute(f"{sql} ORDER BY p.post_id, p.n", _models(model))
            while rows := cursor.fetchmany(batch):
                yield _batch(rows)

    def of_posts(self, model: str, post_ids: Iterable[PostId]) -> tuple[list[PostId], Vectors]:
        """The vectors of these posts: the post of each row, and the rows (n, d) float32."""
        owners: list[PostId] = []
        found: list[Vectors] = []
        for places, rows in self.passages_with_vectors(model, post_ids):
            owners += [post_id for post_id, _ in places]
            found += [rows] if places else []
        return owners, np.concatenate(found) if found else _matrix([])

    def of_places(self, model: str, places: Iterable[int]) -> Vectors:
        """The vectors (n, d) float32 of these places, each of which has one."""
        sql = f"SELECT COALESCE(a.vector, b.vector) {_HELD} AND p.post_id = ? AND p.n = ?"
        return _matrix([self._all(sql, (*_models(model), *divmod(place, PLACES_A_POST)))[0][0] for place in places])

    def sample(self, model: str, count: int) -> Vectors:
        """About `count` vectors of this model taken at random, always the same: keys are hashes, so their order is."""
        for name in _models(model):
            rows = self._all("SELECT vector FROM vectors WHERE model = ? ORDER BY key LIMIT ?", (name, count))
            if rows:
                return _matrix([row[0] for row in rows])
        return _matrix([])

    def _all(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with translated(self.path):
            return self.db.execute(sql, values).fetchall()


def _models(model: str) -> tuple[str, str]:
    """The one or two models that the name of an index stands for; the second is empty when there is one."""
    own = model.removeprefix(beside_forum_model(""))
    return (model, "") if own == model else (FORUM_MODEL, own)


def _parts(values: Sequence[int]) -> Iterator[tuple[Sequence[int], str]]:
    """Parts that one statement takes, each with its parameter marks."""
    for start in range(0, len(values), _AT_A_TIME):
        part = values[start : start + _AT_A_TIME]
        yield part, ",".join("?" * len(part))


def _batch(rows: Sequence[tuple[Any, ...]]) -> tuple[list[tuple[PostId, int]], Vectors]:
    return [(PostId(row[0]), row[1]) for row in rows], _matrix([row[2] for row in rows])


def _matrix(blobs: Sequence[bytes]) -> Vectors:
    if not blobs:
        return np.zeros((0, 0), np.float32)
    half = np.frombuffer(b"".join(blobs), np.float16)
    return half.reshape(len(blobs), -1).astype(np.float32)
