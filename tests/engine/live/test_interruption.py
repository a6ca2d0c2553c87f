"""A sync that is killed or cancelled anywhere goes on where it stopped, and ends like one that was not."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Cancelled, sync_archive
from tests.discourse_server import FakeClock, Serving, small_forum
from tests.engine.live.conftest import bury, content, fake_clock, post_ids
from tests.factories import settings as engine_settings

ROOT = Path(__file__).resolve().parents[3]


class Killed(BaseException):
    """Nothing in the engine catches this."""


def kill_after(looks):
    """A check that raises at its n-th call: before a request, while waiting, between two files of the import."""
    left = iter(range(looks))

    def check():
        if next(left, None) is None:
            raise Killed

    return check


def change(forum):
    """What happens between two syncs: each kind of change once."""
    forum.edit(30, "corrigé")
    forum.delete(31)
    forum.topic(105)
    forum.move([1, 45, 46], to=105)
    forum.move([47], to=102)
    forum.move([60, 61], to=100)
    forum.delete_topic(101)
    forum.topics[102]["title"] = "Nouveau titre"
    forum.post(2000, 102)


def two_syncs(folder, first=(), second=()):
    """The archive after two syncs of a forum that changes in between, each killed that often before it ends."""
    forum, clock = small_forum(), FakeClock()
    bury(forum)
    with Serving(forum) as served:
        for happens, kills in ((lambda forum: None, first), (change, second)):
            happens(forum)
            clock.now += 86_400
            for looks in kills:
                check = kill_after(looks)
                with suppress(Killed):
                    sync_once(folder, served, clock, check=check, on_progress=lambda progress, check=check: check())
            sync_once(folder, served, clock)
    held = content(folder)
    held["meta"] = [row for row in held["meta"] if row[0] != "base_url"]  # each server has its own port
    return held


def sync_once(folder, served, clock, **options):
    return sync_archive(engine_settings(folder), served.url, clock=fake_clock(clock), **options)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    return two_syncs(tmp_path_factory.mktemp("entier"))


LOOKS = st.lists(st.integers(0, 120), max_size=4)


@given(first=LOOKS, second=LOOKS)
@settings(max_examples=8)
def test_whatever_the_kills_the_archive_is_the_same(tmp_path_factory, uninterrupted, first, second):
    assert two_syncs(tmp_path_factory.mktemp("tué"), first, second) == uninterrupted


def test_what_is_held_is_not_fetched_again(forum, sync):
    for looks in range(1, 60):
        try:
            sync(check=kill_after(looks))
            break
        except Killed:
            pass
    topics = [asked.path for asked in forum.asked if asked.path.startswith("/t/")]
    assert {topics.count(path) for path in set(topics)} == {1}
    assert set(post_ids(sync.folder)) == {*range(1, 48), 60, 61, 200, 220}


def test_a_descent_that_was_interrupted_ends_before_what_came_meanwhile(forum, sync):
    forum.before = "old"
    with pytest.raises(Killed):
        sync(check=kill_after(20))
    stopped = min(int(asked.query["before"][0]) for asked in forum.asked if "before" in asked.query)
    forum.post(400, 102)
    forum.asked.clear()
    sync()
    pages = [asked.query.get("before") for asked in forum.asked if asked.path == "/posts.json"]
    assert int(pages[0][0]) <= stopped
    assert None in pages
    assert set(post_ids(sync.folder)) == {*range(1, 48), 60, 61, 200, 220, 400}


def test_a_cancelled_sync_keeps_what_it_has(forum, sync):
    def cancel():
        if len(forum.asked) > 6:
            raise Cancelled

    with pytest.raises(Cancelled):
        sync(check=cancel)
    assert post_ids(sync.folder) == []
    assert (sync.folder / "raw" / "t" / "100.json").exists()
    forum.asked.clear()
    sync()
    assert "/t/100.json" not in [asked.path for asked in forum.asked]


CHILD = """
import sys
from pathlib import Path
from engine import build_settings, sync_archive
print("ready", flush=True)
sync_archive(build_settings(Path(sys.argv[2]), {"sync_interval_s": "0.3"}), sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_kill_9_in_the_middle_of_a_request(forum, served, sync, tmp_path):
    folder = tmp_path / "archive"
    deadline = time.monotonic() + 60
    for path in ("/posts.json", "/t/101.json"):
        forum.asked.clear()
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, served.url, str(folder)], cwd=ROOT, stdout=subprocess.PIPE
        )
        forum.on_request = lambda asked, path=path: time.sleep(5) if asked == path else None
        while path not in [asked.path for asked in forum.asked]:
            assert time.monotonic() < deadline and child.poll() is None
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
    forum.on_request = lambda path: None
    forum.asked.clear()
    sync(folder)
    assert "/t/100.json" not in [asked.path for asked in forum.asked]
    assert set(post_ids(folder)) == {*range(1, 48), 60, 61, 200, 220}
