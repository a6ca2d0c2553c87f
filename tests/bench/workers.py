"""One worker, then two, then two of which one is killed: how long they encode a forum, and what was encoded twice.

    python -m tests.bench.workers [--posts 5000] [--texts N] [--wait MS] [--only one two kill]

A forum is made by the shared tool and imported once. The processes are the real ones (`archiviste worker`, `archiviste
worker --encode`), with a real redis-server; each is bound to a processor of its own and to one thread. The embedded
encoder is wrapped in each of them so that every text is noted, by a hash, before it is encoded: the count is of the
calls of the encoder, not of what was kept. On a machine that others use as well, `--texts` leaves only so many to
encode, and `--wait` takes an encoder that but waits so long for each text, as one on a server does.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from app import cli, encoders, locks, tasks
from app.job_states import UNFINISHED, Job, Kind, State, Work
from app.jobs import Jobs, worker_lock
from app.settings import AppSettings
from engine import Models, build_index, build_settings, import_archive
from engine.models import e5
from engine.seams import Embed, TextRole, Vectors
from engine.store import VectorStore
from tests.redis_server import Server

ROOT = Path(__file__).parent.parent.parent
MAKE_FORUM = ROOT.parent / "shared" / "tools" / "make_forum.py"
NOTED, WAIT = "BENCH_NOTED", "BENCH_WAIT"  # for the child processes: folder of the notes, milliseconds a text
DEADLINE_S = 3 * 3600.0
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("ARCHIVISTE_")}
BATCH = build_settings(Path("/nowhere")).embed_batch


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one indexing: seconds of encoding, and how often each text was encoded, by process."""

    took_s: float
    noted: dict[str, Counter[str]]
    job: Job

    @property
    def all(self) -> Counter[str]:
        return sum(self.noted.values(), Counter())


def main() -> int:
    """Measure and print; 1 when something was lost, or encoded twice that should not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=5000)
    parser.add_argument("--texts", type=int, metavar="N")
    parser.add_argument("--wait", type=float, default=0.0, metavar="MS")
    parser.add_argument("--only", nargs="+", choices=("one", "two", "kill"), default=("one", "two", "kill"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workers-") as folder:
        source = _imported(Path(folder), given.posts, given.texts)
        texts = _missing(source)
        print(
            f"{given.posts} posts, {texts} texts to encode; load of the machine: {os.getloadavg()[0]:.1f}", flush=True
        )
        runs = {}
        for name in given.only:
            data = Path(folder) / name
            shutil.copytree(source, data)
            helpers = 0 if name == "one" else 1
            runs[name] = run = _indexed(data, helpers=helpers, kill=name == "kill", wait_ms=given.wait)
            twice = sum(count - 1 for count in run.all.values())
            by_process = ", ".join(str(count.total()) for count in run.noted.values())
            print(
                f"{name}: {run.took_s:.0f} s, {texts / run.took_s:.1f} texts/s, {len(run.all)} texts, calls by process"
                f" {by_process}, encoded twice {twice}, without vector {_missing(data)}, job {run.job.state.value}",
                flush=True,
            )
            allowed = BATCH if name == "kill" else 0
            good = twice <= allowed and len(run.all) == texts and not _missing(data) and run.job.state is State.DONE
            if not good:
                print("NOT AS IT SHOULD BE")
                return 1
    if {"one", "two"} <= set(runs):
        print(f"two workers: {runs['one'].took_s / runs['two'].took_s:.2f} times as fast as one")
    return 0


def _imported(folder: Path, posts: int, texts: int | None) -> Path:
    """A data folder with that forum, searchable by word; all but so many texts have a vector, if of nothing."""
    subprocess.run(
        [sys.executable, MAKE_FORUM, "--posts", str(posts), "--seed", "1", "--out", folder / "forum", "--format", "dump"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    data = folder / "imported"
    settings = build_settings(data)
    import_archive(settings, folder / "forum" / "dump.sql.gz")
    nothing = Models(embed=lambda texts, role: (_ for _ in ()).throw(KeyboardInterrupt), embed_name=e5.name())
    with suppress(KeyboardInterrupt):  # at the first text, so that only encoding is left
        build_index(settings, nothing)
    with closing(VectorStore(data)) as store:
        spared = sorted(store.missing(e5.name()))[texts:] if texts else []
        store.put(e5.name(), spared, np.random.default_rng(1).normal(size=(len(spared), e5.DIMENSIONS)))
    return data


def _missing(data: Path) -> int:
    name = e5.name()
    assert name is not None, "this machine has no embedded encoder"
    with closing(VectorStore(data)) as store:
        return len(store.missing(name))


def _indexed(data: Path, *, helpers: int, kill: bool, wait_ms: float) -> Run:
    """Index with one worker and so many encoders; with `kill`, an encoder is killed once a third is done."""
    notes = data.parent / f"{data.name}-notes"
    notes.mkdir()
    total = _missing(data)
    with ExitStack() as stack, closing(Jobs(data)) as jobs:
        server = stack.enter_context(Server.running())
        environ = {"ARCHIVISTE_QUEUE_URL": server.url, NOTED: str(notes), WAIT: str(wait_ms)}
        children = [stack.enter_context(_child(data, environ, cpu=0))]
        children += [stack.enter_context(_child(data, environ, "--encode", cpu=n + 1)) for n in range(helpers)]
        _until(lambda: locks.is_held(worker_lock(data)) and encoders.count(data) == helpers)
        job = tasks.start(jobs, AppSettings(queue_url=server.url), Work(Kind.INDEX))
        _until(lambda: jobs.get(job.id).stage == "encode")
        began = time.monotonic()
        if kill:
            _until(lambda: _missing(data) < 2 * total / 3)
            children[-1].send_signal(signal.SIGKILL)
        _until(lambda: not _missing(data), every_s=0.5)
        took_s = time.monotonic() - began
        _until(lambda: jobs.get(job.id).state not in UNFINISHED)
        noted = {path.name: Counter(path.read_text().split()) for path in sorted(notes.iterdir())}
        return Run(took_s, noted, jobs.get(job.id))


@contextmanager
def _child(data: Path, environ: dict[str, str], *options: str, cpu: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", __spec__.name, "child", "--data", str(data), "worker", *options]
    environ = ENVIRON | {"OMP_NUM_THREADS": "1"} | environ
    log = (data / "child.log").open("ab")
    child = subprocess.Popen(command, cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    log.close()
    processors = sorted(os.sched_getaffinity(0))
    psutil.Process(child.pid).cpu_affinity([processors[cpu % len(processors)]])
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def _until(true, *, every_s: float = 0.1) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < deadline, "too late"
        time.sleep(every_s)


def child(argv: Sequence[str]) -> int:
    """The command line of the application, with an encoder that notes every text it is given."""
    load, notes, wait_s = e5.load, Path(os.environ[NOTED]) / str(os.getpid()), float(os.environ[WAIT]) / 1000

    def waiting(texts: Sequence[str], _role: TextRole) -> Vectors:
        time.sleep(wait_s * len(texts))
        drawn = [np.frombuffer(hashlib.shake_256(text.encode()).digest(e5.DIMENSIONS), np.uint8) for text in texts]
        return np.stack(drawn).astype(np.float32) - 127.5

    def noting() -> Embed:
        embed = waiting if wait_s else load()

        def noted(texts: Sequence[str], role: TextRole) -> Vectors:
            if role == "passage":
                hashes = (hashlib.sha256(text.encode()).hexdigest() for text in texts)
                with notes.open("a") as file:
                    file.write("".join(f"{one}\n" for one in hashes))
            return embed(texts, role)

        return noted

    e5.load = noting
    return cli.run(argv, os.environ)


if __name__ == "__main__":
    sys.exit(child(sys.argv[2:]) if sys.argv[1:2] == ["child"] else main())
