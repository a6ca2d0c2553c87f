"""vectors.db: every vector ever computed, by model and hash of the embedded text, so that none is computed twice.

A vector that the forum computed stands for a whole post and is kept under the key of the post's first passage. An
index may be made of two models of one space (`sources.beside_forum_model`): then the forum's vectors come first, and
ours are for the posts that have none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
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
_AT_A_TIME = 900
# Passages with a vector of the first model, else of the second; parameters: the two models.
_HELD = """FROM passages p LEFT JOIN vectors a ON a.model = ? AND a.key = p.key
           LEFT JOIN vectors b ON b.model = ? AND b.key = p.key WHERE (a.key IS NOT NULL OR b.key IS NOT NULL)"""


class VectorStore:
    """An open vectors.db. Vectors go in and come out as float32 rows and are kept as float16."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._connections = Connections(self.path, VECTORS)

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection."""
        return self._connections.get()

    def close(self) -> None:
        """Close every thread's connection; the store can't be used afterwards."""
        self._connections.close()

    def set_passages(self, passages: Iterable[Passage], *, batch: int = 5000) -> int:
        """Make these the passages of the archive, forget all others and every vector that none of them uses."""
        known = dict(self._all("SELECT post_id * 65536 + n, key FROM passages"))
        count = 0
        pending: list[tuple[int, int, bytes]] = []
        with transaction(self.db, self.path):
            for passage in passages:
                count += 1
                key = passage.key
                if known.pop(passage.post_id * 65536 + passage.n, None) != key:
                    pending.append((passage.post_id, passage.n, key))
                if len(pending) >= batch:
                    self.db.executemany("INSERT OR REPLACE INTO passages VALUES (?, ?, ?)", pending)
                    pending.clear()
            self.db.executemany("INSERT OR REPLACE INTO passages VALUES (?, ?, ?)", pending)
            self.db.executemany(
                "DELETE FROM passages WHERE post_id = ? AND n = ?", [divmod(place, 65536) for place in known]
            )
            self.db.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM passages)")
        return count

    def missing(self, model: str) -> frozenset[bytes]:
        """Keys of passages that have no vector of this model yet, nor a vector of the forum for their whole post."""
        first, second = _models(model)
        rows = self._all(
            """SELECT DISTINCT key FROM passages WHERE key NOT IN (SELECT key FROM vectors WHERE model IN (?, ?))
               AND (? = '' OR post_id NOT IN (SELECT p.post_id FROM passages p JOIN vectors v ON v.key = p.key
                                              WHERE v.model = ? AND p.n = 0))""",
            (first, second, second, first),
        )
        return frozenset(row[0] for row in rows)

    def put(self, model: str, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep one vector a key, in one transaction."""
        half = vectors.astype(np.float16)
        rows = [(model, key, half[i].tobytes()) for i, key in enumerate(keys)]
        with transaction(self.db, self.path):
            self.db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def count(self, model: str) -> int:
        """How many vectors of this model are held."""
        return int(self._all("SELECT COUNT(*) FROM vectors WHERE model = ?", (model,))[0][0])

    def held_passages(self, model: str) -> int:
        """How many passages have a vector of this model: what an index of it holds."""
        return int(self._all(f"SELECT COUNT(*) {_HELD}", _models(model))[0][0])

    def covered_posts(self, model: str) -> int:
        """How many posts have at least one vector of this model."""
        return int(self._all(f"SELECT COUNT(DISTINCT p.post_id) {_HELD}", _models(model))[0][0])

    def passages_with_vectors(
        self, model: str, *, batch: int = 4096
    ) -> Iterator[tuple[list[tuple[PostId, int]], Vectors]]:
        """All passages that have a vector of this model, by post id, in batches of (places, (n, d) float32)."""
        with translated(self.path):
            cursor = self.db.execute(
                f"SELECT p.post_id, p.n, COALESCE(a.vector, b.vector) {_HELD} ORDER BY p.post_id, p.n", _models(model)
            )
            while rows := cursor.fetchmany(batch):
                yield [(PostId(row[0]), row[1]) for row in rows], _matrix([row[2] for row in rows])

    def of_posts(self, model: str, post_ids: Iterable[PostId]) -> tuple[list[PostId], Vectors]:
        """The vectors of these posts: the post of each row, and the rows (n, d) float32."""
        wanted = sorted(post_ids)
        owners: list[PostId] = []
        blobs: list[bytes] = []
        for start in range(0, len(wanted), _AT_A_TIME):
            part = wanted[start : start + _AT_A_TIME]
            marks = ",".join("?" * len(part))
            for post_id, blob in self._all(
                f"SELECT p.post_id, COALESCE(a.vector, b.vector) {_HELD} AND p.post_id IN ({marks})",
                (*_models(model), *part),
            ):
                owners.append(PostId(post_id))
                blobs.append(blob)
        return owners, _matrix(blobs)

    def _all(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with translated(self.path):
            return self.db.execute(sql, values).fetchall()


def _models(model: str) -> tuple[str, str]:
    """The one or two models that the name of an index stands for; the second is empty when there is one."""
    own = model.removeprefix(beside_forum_model(""))
    return (model, "") if own == model else (FORUM_MODEL, own)


def _matrix(blobs: Sequence[bytes]) -> Vectors:
    if not blobs:
        return np.zeros((0, 0), np.float32)
    half = np.frombuffer(b"".join(blobs), np.float16)
    return half.reshape(len(blobs), -1).astype(np.float32)
