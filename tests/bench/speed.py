"""Speed and memory of import, keyword index, search and start-up. Run with `make bench`.

The forum is made by ../shared/tools/make_forum.py (100,000 posts, about 20 s); each figure is printed with its target.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
MAKE_FORUM = ROOT.parent / "shared" / "tools" / "make_forum.py"
POSTS = int(os.environ.get("BENCH_POSTS", "100000"))


def archiviste(data: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "app", "--data", str(data), *arguments]


def timed(command: list[str]) -> tuple[float, float, str]:
    """Wall seconds, peak MB of the process, what it printed."""
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read()
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return elapsed, usage.ru_maxrss / 1024, printed


def row(what: str, value: str, target: str) -> None:
    print(f"{what:<58} {value:>22}   {target}")


def main() -> None:
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, str(MAKE_FORUM), "--posts", str(POSTS), "--seed", "1", "--format", "dump", "--out", str(folder / "forum")],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        data = folder / "data"
        elapsed, memory, _ = timed(archiviste(data, "import", str(folder / "forum" / "dump.sql.gz")))
        row(
            f"import of {POSTS} posts (dump.sql.gz), whole command",
            f"{POSTS / elapsed:.0f} posts/s",
            "≥ 4000",
        )
        row("  peak memory", f"{memory:.0f} MB", "< 500")
        held = json.loads(timed(archiviste(data, "status", "--json"))[2])["posts"]
        elapsed, memory = _keyword_index(data)
        row(f"keyword index of {held} posts, whole command", f"{held / elapsed:.0f} posts/s", "≥ 1000")
        row("  peak memory", f"{memory:.0f} MB", "")

        demo = folder / "demo"
        elapsed, _, _ = timed(archiviste(demo, "demo"))
        row("demo archive built, imported and indexed", f"{elapsed:.1f} s", "")
        _searches(demo)
        row("first page served after start", f"{_first_page(demo):.2f} s", "< 3 s (median of 5)")


def _keyword_index(data: Path) -> tuple[float, float]:
    code = (
        "from pathlib import Path; import sys, engine;"
        "engine.build_index(engine.build_settings(Path(sys.argv[1])), engine.Models(), vectors=False)"
    )
    elapsed, memory, _ = timed([sys.executable, "-c", code, str(data)])
    return elapsed, memory


def _searches(data: Path) -> None:
    import yaml

    import engine

    settings = engine.build_settings(data)
    questions = [q["question"] for q in yaml.safe_load((ROOT / "assets/demo/questions.yml").read_text())]
    with engine.open_archive(settings, engine.load_models(settings)) as archive:
        archive.search("mise en route")
        for mode in engine.Mode:
            times = sorted(_milliseconds(lambda q=q, m=mode: archive.search(q, mode=m)) for q in questions * 4)
            p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
            row(
                f"search on the demo, {mode} ({len(times)} searches)",
                f"p50 {p50:.1f} p95 {p95:.1f} ms",
                "p50 < 60" if mode == "hybrid" else "",
            )


def _milliseconds(work) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _first_page(data: Path) -> float:
    times = []
    for _ in range(5):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        started = time.perf_counter()
        process = subprocess.Popen(
            archiviste(data, "serve", "--port", str(port)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        try:
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                        assert page.status == 200
                    break
                except OSError:
                    if process.poll() is not None or time.perf_counter() - started > 60:
                        sys.exit("the app did not start")
                    time.sleep(0.02)
            times.append(time.perf_counter() - started)
        finally:
            process.terminate()
            process.wait()
    return statistics.median(times)


if __name__ == "__main__":
    main()
