"""kill -9 of the worker or of the application at random moments; each restart must end the job. `make kill-test`.

    python -m tests.bench.kill [--kills 20] [--seed 1] [--posts 300]

A forum is made by the shared tool; what is killed is the real application with its worker, while a job imports, builds
the keyword index, encodes, builds the vector index, publishes, or updates. One line a kill: what died and when, how long
the rest took, whether the ids of store and indexes agree, how often each vector was written (counted by SQLite), and
whether a job or a process is left. A batch that is encoded but not yet written when the kill comes is encoded again:
the count is of what was kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

import engine
from app import locks, process, tasks
from app.job_states import UNFINISHED, Job, Kind, State, Work
from app.jobs import Jobs, worker_lock
from app.settings import AppSettings
from tests import counting
from tests.browser.server import free_port

ROOT = Path(__file__).parent.parent.parent
MAKE_FORUM = ROOT.parent / "shared" / "tools" / "make_forum.py"
STEPS = ("import", "lexical", "encode", "dense", "publish", "update")
TO_ENCODE = 60  # vectors taken away before an encoding is killed
DEADLINE_S = 180.0
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith(("ARCHIVISTE_", "NICEGUI_"))}


@dataclass(frozen=True, slots=True)
class Sources:
    """The forum as it was, some of its topics, and these topics later: edited, shortened, with new ones."""

    whole: Path
    part: Path
    later: Path


@dataclass(frozen=True, slots=True)
class Reference:
    """A job that nothing disturbs: how long it runs, and what it leaves."""

    lasts_s: float
    posts: int
    written: int


class App:
    """The running application; `workers` are the processes that its supervisor keeps alive: one."""

    def __init__(self, data: Path) -> None:
        self.data, self.port = data, free_port()
        command = process.command(data, "serve", "--port", str(self.port))
        log = (data / "app.log").open("ab")
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=ENVIRON | {"ARCHIVISTE_EMBED_BATCH": "8"}, stdin=subprocess.DEVNULL, stdout=log,
            stderr=log,
        )  # fmt: skip
        log.close()
        _until(self._answers)
        _until(lambda: locks.is_held(worker_lock(data)))

    def _answers(self) -> bool:
        assert self.process.poll() is None, "the application ended at once"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    @property
    def workers(self) -> list[psutil.Process]:
        living = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.ZombieProcess, psutil.NoSuchProcess):
                living += [child] if "worker" in child.cmdline() else []
        return living

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def _until(true: Callable[[], object], within_s: float = DEADLINE_S) -> None:
    deadline = time.monotonic() + within_s
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)


# --- sources and starting points --------------------------------------------------------------


def _sources(folder: Path, posts: int) -> Sources:
    whole, part, later = folder / "whole", folder / "part", folder / "later"
    command = [sys.executable, str(MAKE_FORUM), "--posts", "3000", "--format", "json", "--out", str(whole)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    topics = sorted((whole / "t").glob("*.json"), key=lambda path: int(path.stem))
    for target in (part, later):
        shutil.copytree(whole, target, ignore=shutil.ignore_patterns("t", "uploads", "truth.json", "queries.*"))
        (target / "t").mkdir()
    held, kept = 0, []
    while held < posts:
        kept.append(topics[len(kept)])
        held += len(json.loads(kept[-1].read_text())["post_stream"]["posts"])
        for target in (part, later):
            shutil.copy(kept[-1], target / "t")
    for path in topics[len(kept) : len(kept) + 3]:  # new topics
        shutil.copy(path, later / "t")
    for n, path in enumerate(kept[::4]):
        document = json.loads(path.read_text())
        stream = document["post_stream"]
        stream["posts"][0]["cooked"] += f"<p>Ajouté plus tard, au numéro {n}.</p>"
        stream["posts"][0]["updated_at"] = "2030-01-01T00:00:00.000Z"
        if len(stream["posts"]) > 2:
            gone = stream["posts"].pop()
            stream["stream"].remove(gone["id"])
        (later / "t" / path.name).write_text(json.dumps(document))
    return Sources(whole, part, later)


def _work(step: str, sources: Sources) -> Work:
    if step == "import":
        return Work(Kind.IMPORT, (str(sources.whole),))
    return Work(Kind.UPDATE, (str(sources.later),)) if step == "update" else Work(Kind.INDEX)


def _prepare(step: str, data: Path, base: Path) -> None:
    """The archive on which this step has everything left to do."""
    data.mkdir()
    if step == "import":
        return
    for name in ("archive.db", "vectors.db"):
        shutil.copy(base / name, data)
    if step == "update":
        shutil.copytree(base / "indexes", data / "indexes")
    if step == "encode":
        with closing(sqlite3.connect(data / "vectors.db")) as db, db:
            db.execute("DELETE FROM vectors WHERE key IN (SELECT key FROM vectors ORDER BY key LIMIT ?)", (TO_ENCODE,))


# --- one job ----------------------------------------------------------------------------------


def _moment(step: str, data: Path, jobs: Jobs, job: Job, lasts_s: float, rng: random.Random) -> None:
    """Return at a random moment of the step, or when the job has ended."""

    def over() -> bool:
        return jobs.get(job.id).state not in UNFINISHED

    _until(lambda: jobs.get(job.id).state is not State.WAITING)
    if step == "publish":
        wanted = rng.choice((1, 2))  # the keyword index, or both

        def published() -> bool:
            return len(list((data / "indexes").glob("*/manifest.json"))) >= wanted or over()

        _until(published)
        time.sleep(rng.uniform(0, 0.02))
    elif step == "encode":
        share = rng.uniform(0, 0.9)
        _until(lambda: ((now := jobs.get(job.id)).stage == step and now.done >= share * now.total) or over())
        time.sleep(rng.uniform(0, 0.5))
    else:  # an index job of known vectors builds words first
        low, high = {"lexical": (0.0, 0.5), "dense": (0.5, 1.0)}.get(step, (0.0, 0.9))
        time.sleep(lasts_s * rng.uniform(low, high))


def _reference(step: str, data: Path, base: Path, sources: Sources) -> Reference:
    _prepare(step, data, base)
    counting.watch(data)
    app = App(data)
    try:
        with closing(Jobs(data)) as jobs:
            job = tasks.start(jobs, AppSettings(), _work(step, sources))
            _until(lambda: jobs.get(job.id).state not in UNFINISHED)
            ended = jobs.get(job.id)
    finally:
        app.stop()
    same, posts = _agreement(data, indexed=step != "import")
    assert ended.state is State.DONE and same, ended
    assert ended.started_at is not None and ended.ended_at is not None
    return Reference((ended.ended_at - ended.started_at).total_seconds(), posts, counting.writes(data)[0])


def _kill(
    n: int, step: str, data: Path, base: Path, sources: Sources, reference: Reference, rng: random.Random
) -> bool | None:
    """Kill once in this step, let the work end, and print what is left; whether all is well, None if it came late."""
    _prepare(step, data, base)
    counting.watch(data)
    victim = rng.choice(("worker", "app"))
    app = App(data)
    with closing(Jobs(data)) as jobs, ExitStack() as at_the_end:
        at_the_end.callback(lambda: app.stop())  # the one that runs by then
        job = tasks.start(jobs, AppSettings(), _work(step, sources))
        began = time.monotonic()
        _moment(step, data, jobs, job, reference.lasts_s, rng)
        at, seen, (worker,) = time.monotonic() - began, jobs.get(job.id), app.workers
        if seen.state not in UNFINISHED:
            return None
        (worker if victim == "worker" else app.process).send_signal(signal.SIGKILL)
        killed = time.monotonic()
        if victim == "app":
            app.process.wait()
            worker.wait(20)  # it ends by itself
            app = App(data)
        with suppress(TimeoutError):  # the line says what state it was left in
            _until(lambda: jobs.get(job.id).state not in UNFINISHED)
        took = time.monotonic() - killed
        ended, stuck = jobs.get(job.id), sum(j.state in UNFINISHED for j in jobs.recent())
        with suppress(TimeoutError):  # the supervisor starts another one after a moment
            _until(lambda: len(app.workers) == 1, within_s=20)
        workers = len(app.workers)
    same, posts = _agreement(data, indexed=step != "import")
    written, most = counting.writes(data)
    whole = (posts, written) == (reference.posts, reference.written)
    well = ended.state is State.DONE and same and whole and most <= 1 and not stuck and workers == 1
    where = f"{seen.state}, {seen.stage or '-'} {seen.done}/{seen.total}"
    print(
        f"{n:2}. {step:<8} {victim:<6} killed at {at:5.2f} s ({where}); {ended.state} {took:.1f} s later;"
        f" {posts} of {reference.posts} posts, ids {'agree' if same else 'DIFFER'}; {written} of {reference.written}"
        f" vectors written, {most} time(s) at most;"
        f" {stuck} stuck job(s), {workers} worker: {'ok' if well else 'FAILED'}",
        flush=True,
    )
    return well


def _agreement(data: Path, *, indexed: bool) -> tuple[bool, int]:
    settings = engine.build_settings(data)
    with engine.open_archive(settings, engine.Models()) as archive:
        posts = archive.status().posts
        try:
            return (bool(archive.agreement()) if indexed else True), posts
        except engine.IndexUnavailable:
            return False, posts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--posts", type=int, default=300, help="posts that are indexed; 3,000 are imported")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources, base = _sources(folder, options.posts), folder / "base"
        settings = engine.build_settings(base)
        engine.import_archive(settings, sources.part)
        engine.build_index(settings, engine.load_models(settings))
        references = {
            step: _reference(step, folder / f"reference-{step}", base, sources)
            for step in ("import", "lexical", "encode", "update")
        }
        references |= dict.fromkeys(("dense", "publish"), references["lexical"])  # the same job; the moment is another
        print(
            "undisturbed:", ", ".join(f"{step} {found.lasts_s:.1f} s" for step, found in references.items()), flush=True
        )
        well: list[bool] = []
        tries = 0
        while len(well) < options.kills:
            step, tries = STEPS[len(well) % len(STEPS)], tries + 1
            data = folder / f"archive-{tries}"
            survived = _kill(len(well) + 1, step, data, base, sources, references[step], rng)
            well += [] if survived is None else [survived]
            shutil.rmtree(data)
    print(f"{sum(well)} of {len(well)} kills were survived without loss, repetition or stuck job")
    sys.exit(not all(well))


if __name__ == "__main__":
    main()
