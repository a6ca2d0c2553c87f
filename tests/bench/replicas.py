"""Three replicas behind nginx at a larger size: `python -m tests.bench.replicas [DATA] [--clients N] [--seconds S]`.

DATA is an indexed data folder, which is copied; a topic whose messages all tell their generation is added to the copy.
Without it an archive of 5,000 such messages is made. Readers search over HTTP and by the websocket of their page while
one replica is killed, comes back, and a new generation is published.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import httpx
from websockets.exceptions import WebSocketException

from app import snapshots
from engine import build_index, load_models, snapshot
from engine.snapshot import folder as places
from tests.app.access.visitor import READER, Visitor, heard
from tests.app.job_sources import until
from tests.app.replica.deployment import Deployment, Server, deployed
from tests.app.replica.readers import SEARCH, Request, marked, reading
from tests.factories import SITE, save, settings

NUMBER = 900_000_000  # of the topic that is added: above those of any forum
PATHS = (SEARCH, f"{SEARCH}&mode=mots", f"{SEARCH}&tri=recent")


class Conversations:
    """Readers who hold the websocket of a search page; one that is cut opens its page again, as a browser does."""

    def __init__(self, url: str, token: str, count: int) -> None:
        self.held, self.cut, self.refused = 0, [], []
        self._url, self._token = url, token
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._hold) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _hold(self) -> None:
        visitor = Visitor(self._url)
        visitor.http.cookies.set("archiviste", self._token)
        while not self._over.is_set():
            began = time.time()
            try:
                status, page = visitor.open(SEARCH)
                if status != 200 or not page:
                    self.refused.append((began, status))
                    continue
                with visitor.socket(page) as line:
                    self.held += 1
                    while not self._over.is_set():
                        for _said in heard(line, within_s=0.5, patience_s=1.0):
                            pass
                        line.ping().wait(5)
            except (httpx.HTTPError, WebSocketException, OSError) as error:
                self.cut.append((time.time(), type(error).__name__))


def report(name: str, requests: Sequence[Request]) -> None:
    """One line of figures."""
    took = sorted(request.took_s * 1000 for request in requests) or [0.0]
    said = Counter(str(request.status) for request in requests if request.failed)
    at = [took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.95)]
    mixed = sum(len(request.generations) > 1 for request in requests)
    late = sum(not request.failed and not request.generations for request in requests)
    print(
        f"{name:34} {len(requests):6} requests  failed {sum(said.values())} {dict(said) or ''}  mixed {mixed}"
        f"  filled in later {late}  p50 {at[0]:.0f} ms  p95 {at[1]:.0f} ms  max {took[-1]:.0f} ms"
        f"  mean {statistics.fmean(took):.0f} ms"
    )


def prepare(data: Path | None, folder: Path) -> Path:
    """The primary's data folder with a snapshot of it."""
    target = folder / "primary"
    if data is not None:
        shutil.copytree(data, target, ignore=shutil.ignore_patterns("*.lock", "app.db*", "queue.db*", "server"))
        items, number, posts = [], NUMBER, 40
    else:
        items, number, posts = [SITE], NUMBER, 5_000
    save(target, [*items, *marked(1, number=number, posts=posts)], whole_forum=False)
    began = time.time()
    index(target, data)
    print(f"indexed in {time.time() - began:.1f} s")
    began = time.time()
    card = snapshot.publish(settings(target), folder / "snapshots")
    assert card is not None
    print(f"first snapshot: {card.posts} posts, {card.size / 1e6:.0f} MB, {time.time() - began:.1f} s")
    return target


def index(target: Path, data: Path | None) -> None:
    models = load_models(settings(target))
    try:
        build_index(settings(target), models, vectors=data is not None)
    finally:
        models.close()


def publish(world: Deployment, data: Path | None) -> tuple[str, float]:
    """Generation 2 as the worker publishes it; its name, and when it was there."""
    choices, began = world.choices(), time.time()
    posts = 40 if data is not None else 5_000
    save(world.primary.data, marked(2, number=NUMBER, posts=posts), whole_forum=False)
    index(world.primary.data, data)
    indexed = time.time()
    card = snapshots.publish(choices.app, choices.engine, world.snapshots)
    assert card is not None
    print(f"update and index {indexed - began:.1f} s, snapshot {time.time() - indexed:.1f} s, {card.size / 1e6:.0f} MB")
    return card.name, time.time()


def serves(server: Server, name: str) -> bool:
    """Whether a replica went over to a snapshot."""
    return places.current_name(server.data / "copies") == name


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.bench.replicas")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="replicas-") as beside:
        folder = Path(beside)
        data = prepare(given.data, folder)
        with deployed(data, folder) as world:
            visitor = Visitor(world.url)
            assert visitor.enter(READER).status_code == 303
            measure(world, visitor.token, given)


def measure(world: Deployment, token: str, given: argparse.Namespace) -> None:
    """The three moments, each under load."""
    with reading(world.url, token, given.clients, PATHS) as readers:
        conversations = Conversations(world.url, token, given.clients // 2)
        until(lambda: len(readers.requests) >= given.clients)
        calm = time.time()
        time.sleep(given.seconds)
        killed_at = time.time()
        world.replicas[1].kill()
        time.sleep(given.seconds)
        world.replicas[1].start()
        until(world.replicas[1].is_ready, within_s=120)
        back_at = time.time()
        time.sleep(given.seconds / 2)
        update_at = time.time()
        name, published = publish(world, given.data)
        reached = []
        for server in world.replicas:
            until(lambda server=server: serves(server, name), within_s=120)
            reached.append(time.time() - published)
        time.sleep(given.seconds / 2)
        conversations.end()
    requests = readers.requests
    between = [(calm, killed_at), (killed_at, back_at), (back_at, update_at), (update_at, float("inf"))]
    names = ("three replicas", "one killed, then started again", "three again", "a new generation")
    for label, (start, end) in zip(names, between, strict=True):
        report(label, [request for request in requests if start <= request.at < end])
    in_flight = [request for request in requests if request.at < killed_at < request.at + request.took_s]
    print(f"in flight when one was killed: {len(in_flight)}, of which failed {sum(r.failed for r in in_flight)}")
    print(f"websockets opened {conversations.held}, cut {conversations.cut}, pages refused {conversations.refused}")
    print("the new snapshot was served after " + ", ".join(f"{seconds:.1f} s" for seconds in reached))


if __name__ == "__main__":
    main()
