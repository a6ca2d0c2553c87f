"""Fuzz the readers with atheris, each for a time, and tell what was done and found.

    python -m tests.fuzz.run [TARGET…] --seconds N [--keep DIR]

Inputs that break something are in DIR (build/fuzz when not given) under TARGET/found, and the status is 1 then; the
corpus stays there for the next run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.targets import LONGEST, OTHERS_LONGEST, TARGETS

ROOT = Path(__file__).resolve().parents[2]
INPUT_S = 10  # of one input; more is a finding
MEMORY_MB = 1500  # of the process; more is a finding
START_S = 600  # to load, to read the corpus and to end, on a busy machine


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of a target did."""

    target: str
    seeds: int
    corpus: int
    executions: int
    slowest_ms: float
    slowest_bytes: int
    peak_mb: int
    found: tuple[str, ...]


def fuzz(target: str, seconds: int, folder: Path, *, only_written: bool = False) -> Outcome:
    """Run one target; `folder` keeps its corpus and what it found. `only_written` leaves out seeds of the shared data."""
    corpus, found = folder / target / "corpus", folder / target / "found"
    for made in (corpus, found):
        made.mkdir(parents=True, exist_ok=True)
    slowest = folder / target / "slowest.json"
    slowest.unlink(missing_ok=True)
    begun = 0
    longest = LONGEST.get(target, OTHERS_LONGEST)
    for begun, seed in enumerate((seeds.written if only_written else seeds.of)(target), 1):
        (corpus / f"seed-{begun:03}").write_bytes(seed[:longest])
    command = [
        sys.executable, "-m", "tests.fuzz.child", target, str(folder / target), str(corpus), f"-artifact_prefix={found}/",
        f"-max_total_time={seconds}", f"-max_len={longest}", f"-timeout={INPUT_S}", f"-rss_limit_mb={MEMORY_MB}",
        "-print_final_stats=1", "-seed=1",
    ]  # fmt: skip
    before = set(found.iterdir())
    child = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=seconds + START_S,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    new = sorted(set(found.iterdir()) - before)
    (folder / target / "log.txt").write_text(child.stdout + child.stderr)
    if child.returncode and not new:
        raise RuntimeError(f"{target} ended with {child.returncode}: {child.stderr[-2000:]}")
    worst = json.loads(slowest.read_text()) if slowest.is_file() else {"seconds": 0.0, "bytes": 0}
    return Outcome(
        target=target, seeds=begun, corpus=sum(1 for _ in corpus.iterdir()),
        executions=_stat(child.stderr, "number_of_executed_units"), slowest_ms=1000 * worst["seconds"],
        slowest_bytes=worst["bytes"], peak_mb=_stat(child.stderr, "peak_rss_mb"),
        found=tuple(f"{path} {_why(child.stdout + child.stderr)}" for path in new),
    )  # fmt: skip


def _stat(said: str, name: str) -> int:
    found = re.search(rf"stat::{name}:\s+(\d+)", said)
    if found:
        return int(found[1])
    executed = re.findall(r"^#(\d+)\s", said, re.MULTILINE)  # a finding ends a run without its statistics
    return int(executed[-1]) if executed and name.startswith("number") else 0


def _why(said: str) -> str:
    errors = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception|Warning)\b.*$|^==\d+== ERROR.*$", said, re.MULTILINE)
    return errors[0][:200] if errors else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "targets", nargs="*", choices=[*TARGETS, []], default=[], metavar="TARGET", help=", ".join(TARGETS)
    )
    parser.add_argument("--seconds", type=int, default=180, help="of each target (180)")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz", metavar="DIR")
    given = parser.parse_args()
    print(
        f"{'target':<10} {'seeds':>5} {'corpus':>6} {'executions':>10} {'slowest':>10} {'of bytes':>8} {'peak':>7}  findings"
    )
    broken = False
    for target in given.targets or TARGETS:
        done = fuzz(target, given.seconds, given.keep)
        broken = broken or bool(done.found)
        print(
            f"{done.target:<10} {done.seeds:>5} {done.corpus:>6} {done.executions:>10} {done.slowest_ms:>7.1f} ms"
            f" {done.slowest_bytes:>8} {done.peak_mb:>4} MB  {'; '.join(done.found) or 'none'}",
            flush=True,
        )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
