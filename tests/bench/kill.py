"""kill -9 at random moments of import and index; the next run must complete and every id agree. `make kill-test`.

    python -m tests.bench.kill [SOURCE] [--kills 10] [--seed 1]

Without a source, a forum of 3,000 posts is made. One line a kill: what was running, when it died, what was held after.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engine

ROOT = Path(__file__).parent.parent.parent
MAKE_FORUM = ROOT.parent / "shared" / "tools" / "make_forum.py"


def run(data: Path, *arguments: str, kill_after_s: float | None = None) -> tuple[int, float]:
    """Exit status and seconds; killed with SIGKILL after so long, if it still runs."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--data", str(data), *arguments],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        process.wait(timeout=kill_after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return process.returncode, time.perf_counter() - started


def agree(data: Path) -> tuple[bool, str]:
    settings = engine.build_settings(data)
    with engine.open_archive(settings, engine.Models()) as archive:
        try:
            found = archive.agreement()
        except engine.IndexMissing:
            return False, "no index"
        status = archive.status()
        sizes = ", ".join(f"{field} {len(getattr(found, field))}" for field in found.__slots__)
        return bool(found), f"{status.posts} posts, words {status.lexical_posts}, vectors {status.dense_posts}; {sizes}"


def _plan(
    n: int, kills: int, source: Path, data: Path, import_s: float, index_s: float
) -> tuple[str, tuple[str, ...], float]:
    """What the n-th kill interrupts: imports, then first indexing, then rebuilding with all vectors at hand."""
    if n <= kills * 3 // 10:
        return "import", ("import", str(source)), import_s
    run(data, "import", str(source))
    if n <= kills * 7 // 10:
        return "first indexing", ("index", "--wait"), index_s
    if n == kills * 7 // 10 + 1:
        run(data, "index", "--wait")  # every vector is there from here on
    shutil.rmtree(data / "indexes", ignore_errors=True)  # a cache: words, vectors and publishing start again
    started = time.perf_counter()
    run(data, "index", "--wait")
    rebuild_s = time.perf_counter() - started
    shutil.rmtree(data / "indexes", ignore_errors=True)
    return "rebuilding without encoding", ("index", "--wait"), rebuild_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder, source = Path(name), options.source
        if source is None:
            source = folder / "forum"
            subprocess.run(
                [sys.executable, str(MAKE_FORUM), "--posts", "3000", "--out", str(source)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        # How long each takes undisturbed gives the moments to draw from.
        reference = folder / "reference"
        _, import_s = run(reference, "import", str(source))
        _, index_s = run(reference, "index", "--wait")
        print(f"undisturbed: import {import_s:.1f} s, index {index_s:.1f} s; {agree(reference)[1]}")
        data, failures = folder / "data", 0
        for n in range(1, options.kills + 1):
            step, arguments, limit = _plan(n, options.kills, source, data, import_s, index_s)
            moment = rng.uniform(0.1, limit)
            status, _ = run(data, *arguments, kill_after_s=moment)
            state = "killed" if status == -signal.SIGKILL else f"had ended with {status}"
            print(f"{n:2}. {step:<28} at {moment:6.2f} s: {state}", flush=True)
        for arguments in (("import", str(source)), ("index", "--wait")):
            status, elapsed = run(data, *arguments)
            print(f"then {arguments[0]}: exit status {status} in {elapsed:.1f} s")
            failures += status != 0
        same, text = agree(data)
        print(f"ids agree: {same}; {text}")
        sys.exit(bool(failures or not same))


if __name__ == "__main__":
    main()
