"""What an archive of this size costs, as a point of the cost curve (assets/capacity.json) that `archiviste capacity` reads.

    python -m tests.bench.capacity DATA QUERIES.jsonl [--dimensions 384] [--dump DUMP] [--add]
    python -m tests.bench.capacity DATA QUERIES.jsonl --as-it-is [--add]             DATA is copied and not built again
    .venv-milvus/bin/python -m tests.bench.capacity DATA QUERIES.jsonl --url milvus.db|http://… [--add]

Each stage has a process of its own. DATA is copied, its vectors are sums of random ones (as in stages.py), so that nothing
is encoded; `--dump` also times the import of that backup into an empty folder. Times of work are processor seconds, which
other programs of the machine do not lengthen. Without --add the point is printed and nothing is changed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import psutil

import engine
from app.capacity import here, points
from engine.index import encoding
from engine.models import e5
from engine.store import ArchiveStore, VectorStore, import_source
from tests.bench import milvus, stages

ROOT = Path(__file__).parent.parent.parent
POINTS = ROOT / "assets" / "capacity.json"
PASSAGES = 150
WHOLE = 10_000  # posts; a smaller archive is built anew for an update of 650
SEARCHES, USERS, USERS_S, READY_S = 100, 10, 20.0, 600.0
Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Bench:
    """What a stage works on."""

    data: Path
    questions: list[str]
    dimensions: int
    url: str | None
    dump: Path | None

    @property
    def settings(self) -> engine.Settings:
        return engine.build_settings(self.data, {"index_url": self.url} if self.url else {})

    @property
    def models(self) -> engine.Models:
        return engine.Models(embed=self.embed, embed_name=f"words-{self.dimensions}")

    def embed(self, texts: list[str], role: str = "query") -> np.ndarray:
        rows = stages.embed(texts)[:, : self.dimensions]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# --- stages ---


def import_(bench: Bench) -> Figures:
    """A backup, read into a folder of its own."""
    with tempfile.TemporaryDirectory(dir=bench.data.parent) as folder:
        report = engine.import_archive(engine.build_settings(Path(folder)), bench.dump)
        return {"posts_read": report.added + sum(report.skipped.values())}


def words(bench: Bench) -> Figures:
    """The keyword index, built and published."""
    engine.build_index(bench.settings, engine.Models(), vectors=False)
    return {}


def place(bench: Bench) -> Figures:
    """Vectors as an encoder would have left them."""
    (bench.data / "vectors.db").unlink(missing_ok=True)
    held = engine.build_settings(bench.data)
    with closing(ArchiveStore(held.data)) as store, closing(VectorStore(held.data)) as kept:
        texts = [(p.key, p.text) for p in encoding.passages(held, store.indexable())]
        for start in range(0, len(texts), 4000):
            batch = texts[start : start + 4000]
            kept.put(f"words-{bench.dimensions}", [key for key, _ in batch], bench.embed([text for _, text in batch]))
    return {}


def vectors(bench: Bench) -> Figures:
    """The index of those vectors; nothing is encoded."""
    engine.build_index(bench.settings, replace(bench.models, embed=milvus.never))
    return {}


def reader(bench: Bench) -> Figures:
    """A process that searches: its memory, and what a search by both legs takes of the clock and of the processor."""
    with engine.open_archive(bench.settings, bench.models) as archive:
        first = ready(archive, bench.questions[0])
        for text in bench.questions[:50]:
            archive.search(text)
        resident, took, began = psutil.Process().memory_info().rss, [], time.process_time()
        for text in (bench.questions * SEARCHES)[:SEARCHES]:
            started = time.perf_counter()
            archive.search(text)
            took.append((time.perf_counter() - started) * 1000)
        spent = (time.process_time() - began) * 1000 / SEARCHES
    p50, p95 = np.percentile(took, (50, 95))
    return {
        "reader_bytes": resident, "first_result_s": first, "search_cpu_ms": spent, "search_p50_ms": float(p50),
        "search_p95_ms": float(p95),
    }  # fmt: skip


def users(bench: Bench) -> Figures:
    """Ten people who search without a pause, on one process."""
    took: list[float] = []
    with engine.open_archive(bench.settings, bench.models) as archive:
        ready(archive, bench.questions[0])
        ends = time.monotonic() + USERS_S

        def one(user: int) -> None:
            draw = random.Random(user)
            while time.monotonic() < ends:
                started = time.perf_counter()
                found = archive.search(draw.choice(bench.questions))
                assert not degraded(found), found.notices
                took.append((time.perf_counter() - started) * 1000)

        threads = [threading.Thread(target=one, args=(user,)) for user in range(USERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {"crowd_ms": USERS_S * 1000 / len(took), "crowd_p95_ms": float(np.percentile(took, 95))}


def update(bench: Bench) -> Figures:
    """500 new posts, 100 edited and 50 removed, imported, then published with their vectors."""
    with closing(ArchiveStore(bench.data)) as store:
        import_source(store, stages.news(store), source="news", kind="topics", whole_forum=False)
    started, began = time.perf_counter(), time.process_time()
    engine.build_index(bench.settings, bench.models)
    return {"update_cpu_s": time.process_time() - began, "update_s": time.perf_counter() - started}


def encoder(bench: Bench) -> Figures:
    """The embedded encoder: passages a second, processor time of a question, memory that it takes."""
    with closing(ArchiveStore(bench.data)) as store:
        every = [p.text for p in encoding.passages(engine.build_settings(bench.data), store.indexable())]
    some = sorted(every[:: max(1, len(every) // PASSAGES)][:PASSAGES], key=len)
    before = psutil.Process().memory_info().rss
    embed = e5.load()
    embed(some[:4], "passage")
    held, began, started = psutil.Process().memory_info().rss - before, time.process_time(), time.perf_counter()
    for start in range(0, len(some), 16):
        embed(some[start : start + 16], "passage")
    cpu, took = time.process_time() - began, time.perf_counter() - started
    began = time.process_time()
    for text in bench.questions[:40]:
        embed([text], "query")
    spent = (time.process_time() - began) * 1000 / len(bench.questions[:40])
    return {
        "per_s": len(some) / took, "per_cpu_s": len(some) / cpu, "question_ms": spent, "memory_bytes": held,
        "mean_chars": sum(map(len, some)) / len(some),
    }  # fmt: skip


STAGES: dict[str, Callable[[Bench], Figures]] = {
    "import": import_, "words": words, "place": place, "vectors": vectors, "reader": reader, "users": users, "update": update, "encoder": encoder,
}  # fmt: skip
# The processor seconds and the peak memory of these stages are figures by themselves.
TIMED = {"import": "import_cpu_s", "words": "words_cpu_s", "vectors": "vectors_cpu_s"}
PEAKS = {"import": "import_peak_bytes", "words": "words_peak_bytes", "vectors": "vectors_peak_bytes"}
ASKED = ("import", "encoder")  # that need more than the archive, or give no point
AS_IT_IS = ("reader", "users", "update")


def ready(archive: engine.Archive, text: str) -> float:
    """Seconds until a search by both legs is served."""
    started = time.monotonic()
    while degraded(found := archive.search(text)):
        if time.monotonic() - started > READY_S:
            raise TimeoutError(found.notices)
        time.sleep(1)
    return time.monotonic() - started


def degraded(found: engine.SearchResult) -> bool:
    """Whether a leg was missing."""
    return any(notice.startswith(("engine_", "dense_")) for notice in found.notices)


# --- one after the other ---


def measured(given: argparse.Namespace, data: Path) -> tuple[Figures, here.Here]:
    """The figures of every stage that was asked for, and the archive that they are of: as it was before its update."""
    wanted = given.only or (
        AS_IT_IS if given.as_it_is else [n for n in STAGES if n not in ASKED or (n == "import" and given.dump)]
    )
    found: Figures = {}
    for name in [name for name in wanted if name != "update"]:
        found |= noted(name, run(given, data, name))
    settings = engine.build_settings(data, {"index_url": given.url} if given.url else {})
    held = here.look(settings)
    found |= held.figures
    if given.url and given.url.endswith(".db"):
        found["engine_bytes"] = stages._megabytes(Path(given.url)) * 1e6
    if "update" in wanted and held.posts >= WHOLE:
        found |= noted("update", run(given, data, "update"))
    return found, held


def noted(name: str, told: tuple[Figures, float, int]) -> Figures:
    """What a stage told; of some, what their process took is a figure too."""
    figures, cpu_s, peak = told
    print(f"{name}: {cpu_s:.1f} s of processor, {peak / 1e6:.0f} MB, {figures}", file=sys.stderr, flush=True)
    return figures | ({TIMED[name]: cpu_s, PEAKS[name]: peak} if name in TIMED else {})


def run(given: argparse.Namespace, data: Path, name: str) -> tuple[Figures, float, int]:
    """What a stage printed, the processor seconds of its process and of its children, its peak memory in bytes."""
    command = [sys.executable, "-m", "tests.bench.capacity", str(data), str(given.questions), "--stage", name]
    command += ["--dimensions", str(given.dimensions)]
    command += ["--url", given.url] if given.url else []
    command += ["--dump", str(given.dump)] if given.dump else []
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{name} ended with {process.returncode}")
        out.seek(0)
        return json.loads(out.read()), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def placed(given: argparse.Namespace, folder: Path) -> Path:
    """The copy to work on."""
    if given.as_it_is:
        shutil.copytree(given.data, folder / "data")
        return folder / "data"
    return milvus.copy(given.data, folder / "data")


def questions(path: Path) -> list[str]:
    """Questions spread over the file."""
    asked = [q["question"] for q in map(json.loads, path.read_text("utf-8").splitlines()) if q["expected_post_ids"]]
    return asked[:: max(1, len(asked) // SEARCHES)][:SEARCHES]


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return ", ".join([platform.machine(), *named[:1]])


def software(url: str | None) -> str:
    names = ["chromadb", "whoosh3", "numpy"] if url is None else ["pymilvus", "milvus-lite"]
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--dump", type=Path)
    parser.add_argument("--url")
    parser.add_argument("--as-it-is", action="store_true")
    parser.add_argument("--only", nargs="+", choices=STAGES)
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.stage:
        bench = Bench(given.data, questions(given.questions), given.dimensions, given.url, given.dump)
        print(json.dumps(STAGES[given.stage](bench)))
        return
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=given.data.parent) as folder:
        data = placed(given, Path(folder))
        if given.url and given.url.endswith(".db"):
            given.url = str(Path(folder).absolute() / given.url)
        found, held = measured(given, data)
    engine_name = points.LOCAL if given.url is None else points.LITE if given.url.endswith(".db") else points.MILVUS
    command = "python -m tests.bench.capacity" + (" --as-it-is" if given.as_it_is else "")
    command += f" --only {' '.join(given.only)}" if given.only else ""
    met = points.Conditions(
        processor=processor(), cores=os.cpu_count() or 1, memory_gb=round(psutil.virtual_memory().total / 1e9),
        software=software(given.url), date=time.strftime("%Y-%m-%d"), command=command, load=round(load, 1),
    )  # fmt: skip
    point = points.Point(
        engine=engine_name, posts=held.posts, vectors=held.vectors, dimensions=given.dimensions, chars=held.chars,
        conditions=met, figures={name: round(value, 4) for name, value in sorted(found.items())},
    )  # fmt: skip
    if given.add:
        points.write(POINTS, [*points.read(POINTS), point])
    print(points.dumped([point]))


if __name__ == "__main__":
    main()
