"""Several processes at one vectors.db: who is there, which texts each has claimed, and which one publishes.

A member is alive until the time that it last gave, in seconds since 1970. What a member claims nobody else is granted
while it lives; a vector takes its claim away (`VectorStore.put`), and so does the end of the passage.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .database import transaction, translated
from .vectors import VectorStore

_PUBLISHER, _ENCODED = "publisher", "encoded"  # keys of `meta`
_AT_A_TIME = 900
_LIVING = "holder IN (SELECT name FROM members WHERE until > ?)"


@dataclass(frozen=True, slots=True)
class Publisher:
    """The member that publishes, and until when it counts as alive."""

    name: str
    until: float


def sign(store: VectorStore, name: str, *, until: float) -> None:
    """The member is there, alive until this time at least."""
    with transaction(store.db, store.path):
        store.db.execute("INSERT OR REPLACE INTO members VALUES (?, ?)", (name, until))


def leave(store: VectorStore, name: str) -> None:
    """The member is gone: what it claimed is anybody's, and it publishes no more."""
    with transaction(store.db, store.path):
        store.db.execute("DELETE FROM members WHERE name = ?", (name,))
        store.db.execute("DELETE FROM meta WHERE key = ? AND value = ?", (_PUBLISHER, name))


def members(store: VectorStore) -> Mapping[str, float]:
    """Every member that did not leave, with the time until which it counts as alive."""
    with translated(store.path):
        return dict(store.db.execute("SELECT name, until FROM members").fetchall())


def claim(store: VectorStore, model: str, keys: Collection[bytes], name: str, *, now: float) -> frozenset[bytes]:
    """Those of these texts that the member is to encode from now on.

    Not those that have a vector of this model, that no passage holds any more, or that another living member claims.
    """
    granted: set[bytes] = set()
    asked = list(keys)
    with transaction(store.db, store.path):
        for start in range(0, len(asked), _AT_A_TIME):
            part = asked[start : start + _AT_A_TIME]
            marks = ",".join("?" * len(part))
            granted.update(
                row[0]
                for row in store.db.execute(
                    f"""SELECT DISTINCT key FROM passages WHERE key IN ({marks})
                        AND key NOT IN (SELECT key FROM vectors WHERE model = ? AND key IN ({marks}))
                        AND key NOT IN (SELECT key FROM claims WHERE model = ? AND holder <> ? AND {_LIVING})""",
                    (*part, model, *part, model, name, now),
                )
            )
        store.db.executemany("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", [(key, model, name) for key in granted])
    return frozenset(granted)


def of_others(store: VectorStore, model: str, name: str, *, now: float) -> tuple[int, int]:
    """How many texts other members claim that live, and how many are left by those that are gone."""
    with translated(store.path):
        living, total = store.db.execute(
            f"SELECT COALESCE(SUM({_LIVING}), 0), COUNT(*) FROM claims WHERE model = ? AND holder <> ?",
            (now, model, name),
        ).fetchone()
    return int(living), int(total - living)


def encoding(store: VectorStore, *, now: float) -> int:
    """How many living members have texts to encode."""
    with translated(store.path):
        row = store.db.execute(f"SELECT COUNT(DISTINCT holder) FROM claims WHERE {_LIVING}", (now,)).fetchone()
    return int(row[0])


# --- publishing ---


def publisher(store: VectorStore) -> Publisher | None:
    """The member that publishes, None while none does."""
    with translated(store.path):
        row = store.db.execute(
            "SELECT name, until FROM meta JOIN members ON name = value WHERE key = ?", (_PUBLISHER,)
        ).fetchone()
    return None if row is None else Publisher(*row)


def publish_from_now(store: VectorStore, name: str) -> None:
    """This member publishes, and whoever did before no longer. Call in a transaction, or with the writer lock held."""
    store.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PUBLISHER, name))
    store.db.execute("DELETE FROM claims WHERE holder NOT IN (SELECT name FROM members)")


def give_up(store: VectorStore, name: str) -> None:
    """This member publishes no more, if it still did."""
    with transaction(store.db, store.path):
        store.db.execute("DELETE FROM meta WHERE key = ? AND value = ?", (_PUBLISHER, name))


def encoded(store: VectorStore) -> str | None:
    """The model of which an indexing wants vectors, None while none does. It outlives one that was killed."""
    with translated(store.path):
        row = store.db.execute("SELECT value FROM meta WHERE key = ?", (_ENCODED,)).fetchone()
    return None if row is None else str(row[0])


def want(store: VectorStore, model: str | None) -> None:
    """Have every encoder compute vectors of this model, or of none."""
    statement: tuple[str, Sequence[object]] = ("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_ENCODED, model))
    if model is None:
        statement = ("DELETE FROM meta WHERE key = ?", (_ENCODED,))
    with transaction(store.db, store.path):
        store.db.execute(*statement)
