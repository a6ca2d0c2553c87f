"""What each hostile source costs and what its importer is told: python -m tests.fuzz.limits [CASE…]

Each is imported by the command that a user types, in a process of limited memory and time, into an archive that holds
something already; then it is indexed, searched, asked and its topic shown. The posts held before must be there after.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.hostile import SOURCES
from tests.fuzz.seeds import DUMP

ROOT = Path(__file__).resolve().parents[2]
ADDRESS_SPACE = 8 << 30  # of a process: what Chroma and numpy reserve is most of it
CPU_S = 60  # of a process; other work on the machine does not count
PATIENCE_S = 600
PEAK_MB = 1000
HONEST = (1, 2)  # posts of the small forum that is there before
READ = """
import sys
from pathlib import Path
from engine import build_settings, load_models, open_archive, Models
from app.components.post import prepare
settings = build_settings(Path(sys.argv[1]))
with open_archive(settings, Models()) as archive:
    assert archive.search("apres le long message").total >= 0
    for event in archive.ask("Que dit-on apres le long message des rosiers ?", answerer="extractive"):
        pass
    for row in archive.store.posts(archive.store.post_ids()).values():
        prepare(row, base_url="https://forum.exemple", data=settings.data, store=archive.store)
"""
TYPED = """
import sys
from pathlib import Path
from engine import build_settings, Models, QuerySyntaxError, open_archive
with open_archive(build_settings(Path(sys.argv[1])), Models()) as archive:
    for text in ("mot " * 2_500_000, "a" * 10_000_000, '"' * 10_000_000, "auteur:" * 1_500_000, "(" * 10_000_000, "e\\u0301\\u0323" * 3_000_000):
        archive.search(text)
        for event in archive.ask(text, answerer="extractive"):
            pass
print("ten million characters: read to the limit of a search")
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one process did."""

    status: int
    seconds: float
    peak_mb: int
    said: str


def run(*command: str) -> Measured:
    """Run a Python command in its limits; a negative status when it had to be ended. Its seconds are the processor's."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, stdout=said, stderr=said, stdin=subprocess.DEVNULL,
            preexec_fn=_limit, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - began > PATIENCE_S:
                child.kill()
            time.sleep(0.02)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    return Measured(child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, text)


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a case did: `wrong` is "" when all is as it must be."""

    case: str
    imported: Measured
    read: Measured
    kept: int
    wrong: str


def archive(folder: Path) -> Path:
    """A data folder that holds a small forum."""
    honest = folder / "honest"
    honest.mkdir()
    (honest / "dump.sql").write_text(DUMP)
    first = archiviste(folder / "data", "import", str(honest))
    assert first.status == 0, first.said
    return folder / "data"


def import_hostile(case: str, data: Path, place: Path) -> tuple[Measured, list[str]]:
    """Write a hostile source and import it: what that did, and what was wrong with it."""
    before = posts(data, HONEST)  # a later whole backup may well have other posts than the hostile one before it
    imported = archiviste(data, "import", str(SOURCES[case](place)))
    lost = ["posts were lost"] if posts(data, HONEST) != before or len(before) != len(HONEST) else []
    return imported, wrong("import", imported, may_refuse=True) + lost


def read_all(data: Path) -> tuple[Measured, list[str]]:
    """Index the archive, search it, ask it, show each post: the longer of both, and what was wrong."""
    indexed = archiviste(data, "index")
    read = run("-c", READ, str(data))
    return max(indexed, read, key=lambda done: done.seconds), wrong("index", indexed) + wrong("reading", read)


def wrong(name: str, done: Measured, *, may_refuse: bool = False) -> list[str]:
    """What a process did that none may do."""
    found = []
    if done.status not in ((0, 1) if may_refuse else (0,)) or "Traceback" in done.said or "inattendu" in done.said:
        found.append(f"{name} ended with {done.status}: {done.said[-300:]}")
    if done.peak_mb > PEAK_MB:
        found.append(f"{name} took {done.peak_mb} MB")
    return found


def try_source(case: str, folder: Path) -> Outcome:
    """Import a hostile source over a small archive, then index and read that archive."""
    data, place = archive(folder), folder / "source"
    place.mkdir()
    imported, found = import_hostile(case, data, place)
    read, more = read_all(data)
    return Outcome(case, imported, read, len(posts(data)), "; ".join(found + more))


def try_queries(folder: Path) -> Outcome:
    """Ten million characters typed as a search and as a question."""
    data = archive(folder)
    indexed = archiviste(data, "index")
    typed = run("-c", TYPED, str(data))
    return Outcome("queries", typed, indexed, len(posts(data)), "; ".join(wrong("queries", typed)))


def archiviste(data: Path, *arguments: str) -> Measured:
    return run("-m", "app", "--data", str(data), *arguments)


def posts(data: Path, among: Collection[int] | None = None) -> set[str]:
    """A digest of each post held."""
    with closing(sqlite3.connect(f"file:{data / 'archive.db'}?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT id, topic_id, post_number, username, text, cooked FROM posts").fetchall()
    kept = (row for row in rows if among is None or row[0] in among)
    return {hashlib.sha256(repr(row).encode("utf-8", "replace")).hexdigest() for row in kept}


def told(measured: Measured) -> str:
    """The lines that matter of what was said."""
    lines = [line.strip() for line in measured.said.splitlines() if line.strip()]
    skip = ("Import", "Pour continuer", "Messages inchangés", "Messages retirés", "Messages modifiés", "archiviste ")
    return " | ".join(line for line in lines if not line.startswith(skip))[:400]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join([*SOURCES, "queries"]))
    given = parser.parse_args()
    print(f"{'case':<19} {'import':>8} {'peak':>7} {'index, read':>12} {'peak':>7} {'held':>5}  what is said")
    status = 0
    for case in given.cases or [*SOURCES, "queries"]:
        with tempfile.TemporaryDirectory() as name:
            done = try_queries(Path(name)) if case == "queries" else try_source(case, Path(name))
        print(
            f"{case:<19} {done.imported.seconds:>6.1f} s {done.imported.peak_mb:>4} MB {done.read.seconds:>10.1f} s"
            f" {done.read.peak_mb:>4} MB {done.kept:>5}  {told(done.imported)}"
        )
        if done.wrong:
            status = 1
            print(f"{'':<19} WRONG: {done.wrong}")
        sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
