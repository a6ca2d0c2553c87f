"""A small forum on this machine, and a sync of it that never waits."""

import json
import sqlite3
from contextlib import closing

import pytest

from engine.discourse.pacing import Clock
from engine.live.flow import sync_archive
from tests.discourse_server import FakeClock, Serving, small_forum
from tests.factories import settings


@pytest.fixture
def forum():
    return small_forum()


@pytest.fixture
def served(forum):
    with Serving(forum) as serving:
        yield serving


def bury(forum):
    """Newer posts, so that the list of the newest ones does not happen to show those that a test moves."""
    forum.topic(103)
    for id in range(1000, 1060):
        forum.post(id, 103)


def fake_clock(clock=None):
    clock = clock or FakeClock()
    return Clock(clock.monotonic, clock.sleep, clock.time)


@pytest.fixture
def sync(served, tmp_path):
    """Syncs the served forum into a data folder, a day later each time."""
    clock = FakeClock()

    def call(folder=None, *, key=None, accept_removals=False, check=lambda: None, on_progress=lambda p: None, **values):
        clock.now += 86_400
        return sync_archive(
            settings(folder or tmp_path / "archive", **values), served.url, key=key, accept_removals=accept_removals,
            check=check, on_progress=on_progress, clock=fake_clock(clock),
        )  # fmt: skip

    call.clock = clock
    call.folder = tmp_path / "archive"
    return call


def content(folder):
    """Everything the archive of a data folder holds, but for when it was imported."""
    with closing(sqlite3.connect(folder / "archive.db")) as db:
        tables = ("meta", "categories", "topics", "topic_tags", "users", "posts", "uploads", "ledger")
        return {table: sorted(db.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def post_ids(folder):
    return [row[0] for row in content(folder)["posts"]]


def place_of(folder, post_id):
    """(topic, number) of a held post."""
    return next((row[1:3] for row in content(folder)["posts"] if row[0] == post_id), None)


def raw(folder, topic_id):
    return json.loads((folder / "raw" / "t" / f"{topic_id}.json").read_bytes())
