"""People of a network who read the archive at the same time: latency, errors, memory, and whether anything was lost.

`python -m tests.bench.users DATA` serves a copy of a data folder with --lan on loopback; each person comes from an
address of their own (127.0.1.N), gives the readers' passphrase, then starts, searches, reads and asks like people do, with pauses.
`queries.yml` of the data folder, or a file of `--questions`, gives what they ask.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import random
import shutil
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import httpx
import psutil
import yaml
from websockets.exceptions import WebSocketException

from tests.app.access.visitor import READER, Visitor, heard, set_passphrases
from tests.browser.server import running

# What people do, how often, the address, and what the socket says once the page holds what was asked for.
ACTIONS = (
    ("search", 45, "/chercher?q={query}", '"href":"/t/'),
    ("read", 30, "/t/{topic}/{post}", ""),
    ("start", 10, "/", ""),
    ("ask", 15, "/demander?q={query}", '"avant"'),
)
PATIENCE_S = 60.0
TARGETS = {"search": 1.0, "read": 1.0, "start": 1.0, "ask": 5.0}  # p95, seconds


@dataclass(slots=True)
class Told:
    """What every person saw, put together."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name, *_rest in ACTIONS})
    page_s: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


def person(
    visitor: Visitor, questions: list[str], posts: list[tuple[int, int]], until: float, told: Told, think_s: float
) -> None:
    """One person, until the end."""
    chance = random.Random(visitor.source)
    time.sleep(chance.uniform(0, think_s))
    while time.monotonic() < until:
        name, _weight, address, expected = chance.choices(ACTIONS, [weight for _, weight, *_ in ACTIONS])[0]
        topic, post = chance.choice(posts)
        path = address.format(query=quote(chance.choice(questions)), topic=topic, post=post)
        began = time.monotonic()
        problem = ""
        page_s = 0.0
        try:
            status, page = visitor.open(path)
            page_s = time.monotonic() - began
            if status != 200 or not page:
                problem = f"status {status}"
            else:
                with visitor.socket(page) as line:
                    if expected not in visitor.page and not any(
                        expected in said for said in heard(line, within_s=PATIENCE_S, patience_s=PATIENCE_S)
                    ):
                        problem = "nothing came"
                    took_s = time.monotonic() - began
                    # Somebody who reads keeps the page open, and answers its pings.
                    leave = time.monotonic() + min(chance.expovariate(1 / think_s), 6 * think_s)
                    while (left := leave - time.monotonic()) > 0 and not problem:
                        for _said in heard(line, within_s=left):
                            break
        except (httpx.HTTPError, WebSocketException, OSError) as error:
            problem = type(error).__name__
        with told.lock:
            if problem:
                told.errors[f"{name}: {problem}"] += 1
            else:
                told.done[name] += 1
                told.seconds[name].append(took_s)
                told.page_s.append(page_s)


def percentile(values: list[float], share: float) -> float:
    """The value below which this share of them lies."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


def digest_of_posts(data: Path) -> str:
    """A digest of every post that the archive holds, with its words."""
    digest = hashlib.sha256()
    with closing(sqlite3.connect(f"file:{data / 'archive.db'}?mode=ro", uri=True)) as db:
        for row in db.execute("SELECT id, topic_id, post_number, username, text, cooked FROM posts ORDER BY id"):
            digest.update(repr(row).encode("utf-8", "replace"))
    return digest.hexdigest()


class Memory(threading.Thread):
    """The resident memory of a server and of its children, twice a second."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port, self.over = port, threading.Event()
        self.app_mb: list[float] = []
        self.all_mb: list[float] = []
        self.cpu_s = 0.0  # of the server, since this began

    def run(self) -> None:
        wanted = f"--port {self.port}"
        server = next(p for p in psutil.process_iter(["cmdline"]) if wanted in " ".join(p.info["cmdline"] or ()))
        before = sum(server.cpu_times()[:2])
        while not self.over.wait(0.5):
            try:
                family = [server, *server.children(recursive=True)]
                sizes = [one.memory_info().rss / 1e6 for one in family]
            except psutil.NoSuchProcess:
                continue
            self.cpu_s = sum(server.cpu_times()[:2]) - before
            self.app_mb.append(sizes[0])
            self.all_mb.append(sum(sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="data folder of an indexed archive; it is copied")
    parser.add_argument("--users", type=int, default=50, help="people at the same time (50, at most 250)")
    parser.add_argument("--seconds", type=float, default=300, help="how long they stay (300)")
    parser.add_argument("--think", type=float, default=20, help="mean pause between two actions, seconds (20)")
    parser.add_argument("--questions", type=Path, help="questions in YAML (queries.yml of the data folder)")
    given = parser.parse_args()
    asked = yaml.safe_load((given.questions or given.data / "queries.yml").read_text("utf-8"))
    questions = [one["question"] for one in asked]
    with sqlite3.connect(f"file:{given.data / 'archive.db'}?mode=ro", uri=True) as db:
        posts = db.execute("SELECT topic_id, post_number FROM posts ORDER BY random() LIMIT 2000").fetchall()
        (held,) = db.execute("SELECT count(*) FROM posts").fetchone()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()},"
          f" {time.strftime('%Y-%m-%d')}; {held} posts, {given.users} people for {given.seconds:.0f} s,"
          f" a pause of {given.think:.0f} s on average")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(given.data, data)
        set_passphrases(data)
        before = digest_of_posts(data)
        with running(data, "--lan") as server:
            warm = Visitor(server)
            warm.enter(READER)
            _status, page = warm.open(f"/demander?q={quote(questions[0])}")
            with warm.socket(page) as line:  # the encoder loads at the first question
                any('"avant"' in said for said in heard(line, within_s=PATIENCE_S, patience_s=PATIENCE_S))
            memory = Memory(int(server.rpartition(":")[2]))
            memory.start()
            crowd = [Visitor(server, source=f"127.0.1.{n + 1}") for n in range(min(given.users, 250))]
            began = time.monotonic()
            with ThreadPoolExecutor(4) as door:
                entered = [answer.status_code for answer in door.map(lambda one: one.enter(READER), crowd)]
            print(f"{entered.count(303)} of {len(crowd)} entered in {time.monotonic() - began:.1f} s")
            told, until = Told(), time.monotonic() + given.seconds
            with ThreadPoolExecutor(len(crowd)) as people:
                stays = [people.submit(person, one, questions, posts, until, told, given.think) for one in crowd]
            for stay in stays:
                stay.result()
            memory.over.set()
            memory.join()
        with sqlite3.connect(data / "app.db") as db:
            (kept,) = db.execute("SELECT count(*) FROM questions").fetchone()
        unchanged = digest_of_posts(data) == before
        log = (
            (data / "logs" / "archiviste.log").read_text("utf-8") if (data / "logs" / "archiviste.log").exists() else ""
        )
    _report(told, memory, kept - 1, log)
    print(f"posts of the archive: {'the same' if unchanged else 'NOT THE SAME'} before and after ({before[:16]})")


def _report(told: Told, memory: Memory, kept: int, log: str) -> None:
    print(f"{'action':<10} {'times':>6} {'p50':>8} {'p95':>8} {'longest':>8}   target of p95")
    for name, values in told.seconds.items():
        print(f"{name:<10} {len(values):>6} {percentile(values, 0.5):>7.2f}s {percentile(values, 0.95):>7.2f}s"
              f" {max(values, default=float('nan')):>7.2f}s   {TARGETS[name]:.0f} s")  # fmt: skip
    print(
        f"{'pages':<10} {len(told.page_s):>6} {percentile(told.page_s, 0.5):>7.2f}s {percentile(told.page_s, 0.95):>7.2f}s"
    )
    total = sum(told.done.values()) + sum(told.errors.values())
    print(f"errors: {sum(told.errors.values())} of {total} {dict(told.errors) or ''}")
    asked = told.done["ask"]
    print(f"nothing lost: {asked} questions answered on the pages, {kept} in the log of questions")
    print(f"memory of the server: {memory.app_mb[0]:.0f} MB at first, {max(memory.app_mb):.0f} MB at most,"
          f" {memory.app_mb[-1]:.0f} MB at the end; with its children {max(memory.all_mb):.0f} MB at most")  # fmt: skip
    done = sum(told.done.values())
    print(f"processor: {memory.cpu_s:.0f} s for {done} actions, {memory.cpu_s / max(done, 1):.2f} s each")
    print(f"errors in the server's log: {log.count(' ERROR ')}")


if __name__ == "__main__":
    main()
