"""The engine elsewhere beside the local one: quality, speed, and what happens under load. Needs the extra `milvus`.

    .venv-milvus/bin/python -m tests.bench.milvus quality cnil piaf
    .venv-milvus/bin/python -m tests.bench.milvus speed DATA QUERIES.jsonl      DATA: an imported archive
    .venv-milvus/bin/python -m tests.bench.milvus load DATA QUERIES.jsonl

`--url` takes a server's address in place of Milvus Lite. DATA is copied; nothing is encoded again: the collections have
their vectors, and DATA gets sums of random ones, as in stages.py.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

import engine
from engine.evaluate import configs
from engine.evaluate.scoring import Level, means
from engine.index import encoding, generations
from engine.models import load_models
from engine.retrieve import search
from engine.store import ArchiveStore, VectorStore, import_source
from engine.values import Mode, Query
from tests.bench import stages
from tests.quality.collections import CACHE, COLLECTIONS
from tests.quality.run import headline, measure

LITE = "milvus.db"
DIMENSIONS = 384
MODEL = f"words-{DIMENSIONS}"
TOLERATED = 0.01  # of Hit@5 and of MRR
CLIENTS, LOAD_S = 20, 60
QUESTIONS = 40


def embed(texts: list[str], role: str = "query") -> np.ndarray:
    rows = stages.embed(texts)[:, :DIMENSIONS]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


MODELS = engine.Models(embed=embed, embed_name=MODEL)


# --- quality ---


def quality(names: list[str], url: str) -> None:
    """Every configuration on both engines, and how much of the ten best they share."""
    for name in names:
        copied = copy(CACHE / name, CACHE / "milvus" / name)
        here = measure(COLLECTIONS[name], list(configs.DEFAULT))
        there = measure(COLLECTIONS[name], list(configs.DEFAULT), cache=copied.parent, index_url=url)
        print(f"\n{name}: {len(here.questions.questions)} questions, {here.counts[0]} documents")
        for where, run in (("local", here), ("milvus", there)):
            print(where, *headline(run), sep="\n")
        for one, other in zip(here.results, there.results, strict=True):
            mine, theirs = means(one.scored, Level.TOPIC)[1], means(other.scored, Level.TOPIC)[1]
            apart = {m: theirs[m] - mine[m] for m in ("hit@5", "mrr@10")}
            far = " TOO FAR" if any(abs(d) > TOLERATED for d in apart.values()) else ""
            print(f"{one.config.name:<10} " + ", ".join(f"{m} {d:+.4f}" for m, d in apart.items()) + far)
        texts, models = [q.text for q in here.questions.questions], load_models(here.settings)
        with (
            engine.open_archive(here.settings, models) as first,
            engine.open_archive(there.settings, models) as second,
        ):
            print("of the ten best in common: " + shared(first, second, texts), flush=True)


def shared(one: engine.Archive, other: engine.Archive, texts: list[str]) -> str:
    """The share of the ten best that both find, by mode."""
    found = []
    for mode in (Mode.BM25, Mode.DENSE, Mode.HYBRID):
        both = [(set(best(one, text, mode)), set(best(other, text, mode))) for text in texts]
        found.append(f"{mode.value} {statistics.fmean(len(a & b) / max(1, len(a)) for a, b in both):.4f}")
    return ", ".join(found)


def best(archive: engine.Archive, text: str, mode: Mode) -> list[int]:
    """The ten best posts for a question."""
    with archive.reading() as generation:
        found = search.rank(
            Query(words=(text,)), mode=mode, limit=archive.settings.candidates, store=archive.store,
            generation=generation, models=archive.models, settings=archive.settings,
        )  # fmt: skip
    assert not any(notice.startswith("engine_") for notice in found.notices), found.notices
    return [post.post_id for post in found.ranked[:10]]


# --- speed ---


def speed(data: Path, queries: Path, url: str) -> None:
    """Building and searching on both engines, from the same store and the same vectors."""
    with tempfile.TemporaryDirectory(dir=data.parent) as folder:
        kept = copy(data, Path(folder) / "here")
        place_vectors(kept)
        other = copy(kept, Path(folder) / "there")
        asked = questions(queries)
        for where, settings in (
            ("local", engine.build_settings(kept)), ("milvus", engine.build_settings(other, {"index_url": url}))
        ):  # fmt: skip
            started = time.monotonic()
            engine.build_index(settings, replace(MODELS, embed=never))
            built = time.monotonic() - started
            manifest = generations.read_manifest(settings)
            assert manifest is not None and manifest.dense_model == MODEL
            held = f"{manifest.lexical_posts} posts, {manifest.dense_vectors} vectors"
            print(f"{where}: {held}, built in {built:.0f} s", flush=True)
            with engine.open_archive(settings, MODELS) as archive:
                print(f"  ready to search in {ready(archive, asked[0]['question']):.1f} s", flush=True)
                for mode in (Mode.BM25, Mode.DENSE, Mode.HYBRID):
                    print(f"  {mode.value:<7}" + timed(archive, asked, mode), flush=True)
        texts = [question["question"] for question in asked]
        here, there = engine.build_settings(kept), engine.build_settings(other, {"index_url": url})
        with engine.open_archive(here, MODELS) as one, engine.open_archive(there, MODELS) as second:
            ready(second, texts[0])
            print("of the ten best in common: " + shared(one, second, texts))


def ready(archive: engine.Archive, text: str) -> float:
    """Seconds until a search by both legs is served: Milvus Lite brings its indexes into memory at the first one."""
    started = time.monotonic()
    while time.monotonic() - started < 600:
        notices = archive.search(text).notices
        if not any(notice.startswith("engine_") for notice in notices):
            return time.monotonic() - started
        time.sleep(1)
    raise TimeoutError(notices)


def timed(archive: engine.Archive, asked: list[dict], mode: Mode) -> str:
    """Milliseconds of a search, and Hit@5 and MRR of the planted posts."""
    took, hits, reciprocal = [], [], []
    for question in asked:
        started = time.perf_counter()
        found = best(archive, question["question"], mode)
        took.append((time.perf_counter() - started) * 1000)
        ranks = [n for n, post in enumerate(found, 1) if post in question["expected_post_ids"]]
        hits.append(bool(ranks) and ranks[0] <= 5)
        reciprocal.append(1 / ranks[0] if ranks else 0.0)
    p50, p95 = np.percentile(took, (50, 95))
    return f" p50 {p50:7.1f} ms  p95 {p95:7.1f} ms  Hit@5 {np.mean(hits):.3f}  MRR {np.mean(reciprocal):.3f}"


# --- under load ---


def load(data: Path, queries: Path, url: str) -> None:
    """Twenty clients search for a minute while posts come, change and go, and while another model takes over."""
    with tempfile.TemporaryDirectory(dir=data.parent) as folder:
        kept = copy(data, Path(folder) / "data")
        place_vectors(kept)
        settings = engine.build_settings(kept, {"index_url": url})
        engine.build_index(settings, replace(MODELS, embed=never))
        other = engine.Models(embed=embed, embed_name=f"{MODEL}-other", others={MODEL: embed})
        place_vectors(kept, model=f"{MODEL}-other")
        with engine.open_archive(settings, replace(MODELS, others={f"{MODEL}-other": embed})) as archive:
            asked, watch = questions(queries), Watch()
            with searching(archive, [q["question"] for q in asked], watch):
                time.sleep(LOAD_S / 6)
                with closing(ArchiveStore(settings.data)) as store:
                    import_source(store, stages.news(store), source="essai", kind="sync", whole_forum=False)
                told("500 new, 100 edited, 50 removed posts", settings, MODELS)
                time.sleep(LOAD_S / 6)
                told("another model, by alias", settings, other)
                time.sleep(max(0.0, watch.started + LOAD_S - time.monotonic()))
            print(
                f"{CLIENTS} clients, {time.monotonic() - watch.started:.0f} s: {watch.searches} searches, {len(watch.failed)} failed, "
                f"{watch.degraded} degraded, {watch.mixed} of mixed generations; by generation {watch.seen}; "
                f"p50 {np.percentile(watch.took, 50):.0f} ms, p95 {np.percentile(watch.took, 95):.0f} ms"
            )
            for failure in watch.failed[:5]:
                print(repr(failure))


def told(what: str, settings: engine.Settings, models: engine.Models) -> None:
    """An indexing, timed."""
    started = time.monotonic()
    engine.build_index(settings, models)
    manifest = generations.read_manifest(settings)
    assert manifest is not None
    print(
        f"{what}: {time.monotonic() - started:.1f} s, now {manifest.generation} of {manifest.dense_model}", flush=True
    )


class Watch:
    """What the clients saw."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.searches = self.degraded = self.mixed = 0
        self.failed: list[Exception] = []
        self.took: list[float] = []
        self.seen: dict[str, int] = {}
        self.lock = threading.Lock()


@contextmanager
def searching(archive: engine.Archive, texts: list[str], watch: Watch) -> Iterator[None]:
    """Clients at work until the body ends."""
    stop = threading.Event()

    def client(number: int) -> None:
        for n in range(number, 10**9, CLIENTS):
            if stop.is_set():
                return
            started = time.perf_counter()
            try:
                with archive.reading() as generation:
                    found = search.rank(
                        Query(words=(texts[n % len(texts)],)), mode=Mode.HYBRID, limit=100, store=archive.store,
                        generation=generation, models=archive.models, settings=archive.settings,
                    )  # fmt: skip
                    mixed = not_of(generation, found)
            except Exception as error:
                with watch.lock:
                    watch.failed.append(error)
                continue
            with watch.lock:
                watch.searches += 1
                watch.took.append((time.perf_counter() - started) * 1000)
                watch.mixed += mixed
                watch.degraded += any(notice.startswith("engine_") for notice in found.notices)
                name = generation.manifest.generation
                watch.seen[name] = watch.seen.get(name, 0) + 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def not_of(generation: generations.Generation, found: search.Found) -> bool:
    """Whether a ranking has a post that the generation's own lists do not name."""
    words = frozenset(posts_of(generation.folder))
    return any(post.post_id not in words for post in found.ranked)


@cache
def posts_of(folder: Path) -> frozenset[int]:
    return frozenset(np.load(folder / generations.POSTS)["id"].tolist())


# --- what they share ---


def copy(data: Path, into: Path) -> Path:
    """The databases of an archive, without its indexes."""
    into.mkdir(parents=True, exist_ok=True)
    for opened in (ArchiveStore(data), VectorStore(data)):
        target = into / opened.path.name
        target.unlink(missing_ok=True)
        opened.db.execute("VACUUM INTO ?", (str(target),))
        opened.close()
    return into


def place_vectors(data: Path, *, model: str = MODEL) -> None:
    """Vectors of a model for every passage, as an encoder would have left them."""
    held = engine.build_settings(data)
    with closing(ArchiveStore(data)) as store, closing(VectorStore(data)) as kept:
        texts = ((p.key, p.text) for p in encoding.passages(held, store.indexable()))
        while batch := list(islice(texts, 4000)):
            kept.put(model, [key for key, _ in batch], embed([text for _, text in batch]))


def questions(path: Path) -> list[dict]:
    """Questions spread over the file, each with the posts that answer it."""
    asked = [q for q in map(json.loads, path.read_text().splitlines()) if q["expected_post_ids"]]
    return asked[:: max(1, len(asked) // QUESTIONS)][:QUESTIONS]


def never(texts: list[str], role: str) -> np.ndarray:
    raise AssertionError("a text was encoded again")


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("quality", "speed", "load"))
    parser.add_argument("given", nargs="*")
    parser.add_argument("--url", default=LITE)
    options = parser.parse_args(argv)
    if options.what == "quality":
        quality(options.given or ["cnil", "piaf"], options.url)
    else:
        data, queries = map(Path, options.given)
        {"speed": speed, "load": load}[options.what](data, queries, options.url)


if __name__ == "__main__":
    main(sys.argv[1:])
