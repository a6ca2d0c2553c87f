"""Figures of a large archive, stage by stage, each in a process of its own. Run with `make bench-scale`.

    python -m tests.bench.scale [--posts 425000] [--only STAGE…] [--again] [--folder build/scale]

What a stage found is kept in FOLDER/POSTS/figures.json: a second run goes on with the stages that lack, `--again` runs
those of `--only` anew. The tables show every size that the folder holds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.stages import NEW, STAGES

ROOT = Path(__file__).parent.parent.parent
MAKE_FORUM = ROOT.parent / "shared" / "tools" / "make_forum.py"
Figures = dict[str, float]

# What is said of the largest forum: figure, stage, its key, unit, target of issue C.
ROWS = (
    ("import", "import", "seconds", "s", "≤ 180"),
    ("  peak memory", "import", "peak_mb", "MB", "< 600"),
    ("  posts held", "import", "posts", "", ""),
    ("keyword index, built and published", "words", "seconds", "s", "import + this ≤ 540"),
    ("  peak memory", "words", "peak_mb", "MB", "< 1500"),
    ("  on disk", "words", "disk_mb", "MB", ""),
    ("tokens encoded over tokens padded", "padding", "ratio", "", "≥ 0.9"),
    ("index of all vectors, built and published", "dense", "seconds", "s", "≤ 900"),
    ("  peak memory", "dense", "peak_mb", "MB", ""),
    ("  vectors", "dense", "vectors", "", ""),
    ("  on disk", "dense", "disk_mb", "MB", ""),
    ("reader: process start to first result", "start", "first_result_s", "s", "≤ 20"),
    ("  memory after 50 searches", "start", "reader_mb", "MB", "≤ 3500"),
    ("keyword leg", "keyword", "ours", "ms", "≤ 60 / 250"),
    ("  Whoosh's own query, every term nominates", "keyword", "whoosh_exhaustive", "ms", ""),
    ("  Whoosh's own query, terms of over 2 % only score", "keyword", "whoosh_planned", "ms", ""),
    ("  SQLite FTS5 (no stemming)", "others", "fts5", "ms", ""),
    ("  Tantivy (French stemmer)", "others", "tantivy", "ms", ""),
    ("vector leg", "neighbours", "dense", "ms", "p50 ≤ 10"),
    ("  share of the true ten closest", "neighbours", "recall_at_10", "", ""),
    ("  where a condition leaves 0.1 % of the posts", "neighbours", "dense_0.1%", "ms", ""),
    ("  1 %", "neighbours", "dense_1.0%", "ms", ""),
    ("  5 %", "neighbours", "dense_5.0%", "ms", ""),
    ("  50 %", "neighbours", "dense_50.0%", "ms", ""),
    ("search, both legs", "hybrid", "search", "ms", ""),
    ("gate, search and evidence, as for an answer", "hybrid", "evidence", "ms", "≤ 150 / 400"),
    ("ten users at once, without a pause", "users", "users", "ms", ""),
    ("  searches", "users", "searches", "", ""),
    ("  errors", "users", "errors", "", "0"),
    (f"{NEW} new, 100 edited, 50 removed posts: published", "update", "publish_s", "s", "≤ 60"),
    ("  written", "update", "written_mb", "MB", ""),
)
# What is compared between sizes: figure, stage, its key.
CURVE = (
    ("import s", "import", "seconds"), ("words s", "words", "seconds"), ("words MB", "words", "peak_mb"),
    ("vectors s", "dense", "seconds"), ("vectors MB", "dense", "peak_mb"), ("disk MB", "disk", "mb"),
    ("reader MB", "start", "reader_mb"), ("start s", "start", "first_result_s"),
    ("keyword p50", "keyword", "ours_p50"), ("keyword p95", "keyword", "ours_p95"),
    ("vector p50", "neighbours", "dense_p50"), ("evidence p50", "hybrid", "evidence_p50"),
    ("update s", "update", "publish_s"),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=425_000)
    parser.add_argument("--only", nargs="+", choices=("forum", *STAGES), default=("forum", *STAGES))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path("build/scale"))
    options = parser.parse_args()
    folder = options.folder / str(options.posts)
    folder.mkdir(parents=True, exist_ok=True)
    for stage in ("forum", *STAGES):
        known = _figures(folder)
        if stage in options.only and (options.again or stage not in known):
            print(f"{options.posts} posts, {stage}…", file=sys.stderr, flush=True)
            known[stage] = _made(folder, options.posts) if stage == "forum" else _run(folder, stage)
            (folder / "figures.json").write_text(json.dumps(known, indent=1) + "\n")
    _print(options.folder)


def _made(folder: Path, posts: int) -> Figures:
    """The forum of make_forum.py, kept from one run to the next."""
    started = time.monotonic()
    if not (folder / "forum" / "queries.jsonl").is_file():
        command = [sys.executable, str(MAKE_FORUM), "--posts", str(posts), "--seed", "1", "--topic-scale", "3.5"]
        command += ["--format", "dump", "--out", str(folder / "forum")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return {"seconds": time.monotonic() - started}


def _run(folder: Path, stage: str) -> Figures:
    """What the stage printed, with the seconds and the most memory of its process."""
    command = [sys.executable, "-m", "tests.bench.stages", stage, str(folder.absolute())]
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        if process.returncode:
            sys.exit(f"{stage} ended with {process.returncode}")
        out.seek(0)
        return {"seconds": seconds, "peak_mb": usage.ru_maxrss / 1000, **json.loads(out.read())}


def _figures(folder: Path) -> dict[str, Figures]:
    path = folder / "figures.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def _print(folder: Path) -> None:
    sizes = sorted(int(path.parent.name) for path in folder.glob("*/figures.json"))
    held = {posts: _figures(folder / str(posts)) for posts in sizes}
    for figures in held.values():
        if {"import", "words", "dense"} <= figures.keys():
            figures["disk"] = {
                "mb": sum(figures[stage]["disk_mb"] for stage in ("import", "words", "vectors", "dense"))
            }
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )
    largest = held[sizes[-1]]
    print(f"\n{sizes[-1]} posts of make_forum.py --seed 1 --topic-scale 3.5 (p50 / p95)")
    for name, stage, key, unit, target in ROWS:
        print(f"{name:<52} {_value(largest.get(stage, {}), key):>18} {unit:<3} {target}{_quality(largest, stage, key)}")
    print(f"\n{'cost curve':<14}" + "".join(f"{posts:>12}" for posts in sizes))
    for name, stage, key in CURVE:
        print(f"{name:<14}" + "".join(f"{_value(held[posts].get(stage, {}), key):>12}" for posts in sizes))


def _value(figures: Figures, key: str) -> str:
    if f"{key}_p50" in figures:
        return f"{figures[f'{key}_p50']:.1f} / {figures[f'{key}_p95']:.1f}"
    if key not in figures:
        return "-"
    return f"{figures[key]:.0f}" if figures[key] >= 100 or figures[key] == int(figures[key]) else f"{figures[key]:.2f}"


def _quality(held: dict[str, Figures], stage: str, key: str) -> str:
    """Hit@5 and MRR of a keyword search, and how much slower or faster than ours it is."""
    figures = held.get(stage, {})
    if f"{key}_hit5" not in figures:
        return ""
    ratio = figures[f"{key}_p50"] / held["keyword"]["ours_p50"] if "keyword" in held else float("nan")
    return f"  Hit@5 {figures[f'{key}_hit5']:.3f}  MRR {figures[f'{key}_mrr']:.3f}  {ratio:.1f} × ours"


if __name__ == "__main__":
    main()
