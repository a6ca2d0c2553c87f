"""Publishing: the archive as its index knows it, nothing twice, nothing of what was erased, whole after any kill."""

import os
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest

from engine import Cancelled, DiskFull, SettingsError, StoreBusy, build_index
from engine.erase import erased as erase_list
from engine.keeping import disk
from engine.locks import locked_at, writing
from engine.snapshot import current, publish, publishing
from engine.snapshot import folder as places
from engine.store import ArchiveStore
from tests.engine.snapshot.whole import contents, whole
from tests.factories import WORD_MODELS, post, save

pytestmark = pytest.mark.several

ROOT = Path(__file__).parents[3]
NEW = post(99, "Un pédalier neuf craque dans la côte.", topic_id=4, number=5)


def update(primary, *items):
    save(primary.data, items, whole_forum=False)
    build_index(primary.settings, WORD_MODELS)


def test_a_snapshot_holds_the_archive_of_the_published_generation(primary):
    card = publish(primary.settings, primary.snapshots, application="1.2", primary="https://forum.example")
    assert card == whole(primary.snapshots) == current(primary.snapshots)
    assert (card.posts, card.topics, card.title, card.erased) == (12, 4, "Forum d’essai", "")
    paths = {file.path for file in card.files}
    assert {"archive.db", "vectors.db", f"indexes/{card.generation}/manifest.json"} < paths
    assert any("/chroma/" in path for path in paths) and any("/whoosh/" in path for path in paths)
    assert not any(path.endswith(("-wal", "-shm", ".lock", ".open")) for path in paths)


def test_what_did_not_change_is_published_once(primary):
    first = publish(primary.settings, primary.snapshots)
    assert publish(primary.settings, primary.snapshots) == first
    update(primary, NEW)
    second = publish(primary.settings, primary.snapshots)
    assert second.serial > first.serial and second.posts == 13
    assert whole(primary.snapshots) == second


def test_files_of_a_generation_are_linked_not_copied(primary):
    card = publish(primary.settings, primary.snapshots)
    linked = [file for file in card.files if "/whoosh/" in file.path]
    assert linked
    for file in linked:
        assert places.contents(primary.snapshots, file.sha256).samefile(primary.data / file.path)


def test_files_that_posts_show_and_what_moderators_taught_are_in_it(primary):
    kept = primary.data / "uploads" / "kept" / "ab"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"une image")
    first = publish(primary.settings, primary.snapshots)
    (primary.data / "gate.toml").write_text("# nos règles\n")
    second = publish(primary.settings, primary.snapshots)
    known = {file.path: file.sha256 for file in second.files}
    assert second.name != first.name and {"uploads/kept/ab", "gate.toml"} < known.keys()
    assert places.contents(primary.snapshots, known["uploads/kept/ab"]).samefile(kept)
    assert not places.contents(primary.snapshots, known["gate.toml"]).samefile(primary.data / "gate.toml")


def test_the_last_two_stay_and_nothing_that_neither_has(primary):
    names = [publish(primary.settings, primary.snapshots).name]
    for n in range(3):
        update(primary, post(200 + n, f"Message {n} sur les rayons voilés.", topic_id=4, number=10 + n))
        names.append(publish(primary.settings, primary.snapshots).name)
    assert sorted(path.stem for path in primary.snapshots.glob("*.json")) == names[-2:]
    used = {file.sha256 for name in names[-2:] for file in places.load(primary.snapshots, name).files}
    assert contents(primary.snapshots) == used


def test_an_archive_ahead_of_its_index_is_not_published(primary):
    first = publish(primary.settings, primary.snapshots)
    save(primary.data, [NEW], whole_forum=False)
    assert publish(primary.settings, primary.snapshots) is None
    assert whole(primary.snapshots) == first


def test_without_an_index_there_is_nothing_to_publish(tmp_path, primary):
    shutil.rmtree(primary.data / "indexes")
    assert publish(primary.settings, primary.snapshots) is None and current(primary.snapshots) is None


def test_after_an_erasure_no_older_snapshot_stays(primary):
    first = publish(primary.settings, primary.snapshots)
    with closing(ArchiveStore(primary.data)) as store:
        assert 12 in store.posts([12])
    erase_list.save(primary.data, erase_list.Erased(posts=frozenset({12})).keyed())
    save(primary.data, [NEW], whole_forum=False)  # the archive is ahead: nothing can be published now
    assert publish(primary.settings, primary.snapshots) is None
    assert current(primary.snapshots) is None and not contents(primary.snapshots)
    build_index(primary.settings, WORD_MODELS)
    second = publish(primary.settings, primary.snapshots)
    assert second.erased and second.serial > first.serial and whole(primary.snapshots) == second


def test_a_snapshot_made_after_the_clock_was_put_back_is_the_newer_one(primary):
    from datetime import UTC, datetime

    first = publish(primary.settings, primary.snapshots, now=datetime(2031, 1, 1, tzinfo=UTC))
    update(primary, NEW)
    assert publish(primary.settings, primary.snapshots, now=datetime(2026, 1, 1, tzinfo=UTC)).serial == first.serial + 1


def test_a_lost_file_is_published_again(primary):
    first = publish(primary.settings, primary.snapshots)
    places.contents(primary.snapshots, first.files[0].sha256).unlink()
    second = publish(primary.settings, primary.snapshots)
    assert second.name != first.name and whole(primary.snapshots) == second


def test_a_damaged_file_is_published_again_where_it_is_looked_for(primary):
    first = publish(primary.settings, primary.snapshots)
    places.contents(primary.snapshots, first.files[0].sha256).write_bytes(bytes(first.files[0].size))
    second = publish(primary.settings, primary.snapshots, verify=True)
    assert second.name != first.name and whole(primary.snapshots) == second


def test_one_publisher_at_a_time_and_none_while_something_writes(primary):
    primary.snapshots.mkdir()
    with locked_at(primary.snapshots / publishing.LOCK, reason="publishing"), pytest.raises(StoreBusy) as refused:
        publish(primary.settings, primary.snapshots)
    assert refused.value.details["reason"] == "publishing"
    with writing(primary.settings), pytest.raises(StoreBusy):
        publish(primary.settings, primary.snapshots)
    assert current(primary.snapshots) is None


def test_the_data_folder_is_no_place_for_it(primary):
    with pytest.raises(SettingsError):
        publish(primary.settings, primary.data / "snapshots")


def test_a_disk_that_is_too_small_leaves_the_snapshot_before(primary, monkeypatch):
    first = publish(primary.settings, primary.snapshots)
    update(primary, NEW)
    usage = namedtuple("Usage", "total used free")
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda path: usage(1, 1, 1000))
    with pytest.raises(DiskFull) as full:
        publish(primary.settings, primary.snapshots)
    assert full.value.details["reason"] == "snapshot_forecast"
    assert whole(primary.snapshots) == first


def test_given_up_half_way_it_leaves_the_snapshot_before(primary):
    first = publish(primary.settings, primary.snapshots)
    update(primary, NEW)
    seen = 0

    def give_up():
        nonlocal seen
        seen += 1
        if seen == 5:
            raise Cancelled()

    with pytest.raises(Cancelled):
        publish(primary.settings, primary.snapshots, check=give_up)
    assert whole(primary.snapshots) == first
    assert contents(primary.snapshots) == {file.sha256 for file in first.files}
    assert not [*primary.snapshots.glob("*.part")]


KILLED = """
import os, signal, sys
from pathlib import Path
from engine.snapshot import folder, publish
from engine.settings import build
data, snapshots, at = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
seen = 0
def die(): os.kill(os.getpid(), signal.SIGKILL)
def check():
    global seen
    seen += 1
    if at.isdigit() and seen == int(at): die()
if at == "card": folder.point = lambda *_: die()
if at == "sweep": folder.sweep = lambda *_, **__: die()
publish(build(data), snapshots, check=check)
"""


@pytest.mark.parametrize("at", ["2", "9", "card", "sweep"])
def test_killed_at_any_moment_it_leaves_a_whole_snapshot(primary, at):
    first = publish(primary.settings, primary.snapshots)
    update(primary, NEW)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, primary.data, primary.snapshots, at], cwd=ROOT, env={**os.environ}, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    left = whole(primary.snapshots)
    assert left == first if at != "sweep" else left.posts == 13
    after = publish(primary.settings, primary.snapshots)
    assert whole(primary.snapshots) == after and after.posts == 13
    known = {path.stem for path in primary.snapshots.glob("*.json")}
    assert contents(primary.snapshots) == {
        file.sha256 for name in known for file in places.load(primary.snapshots, name).files
    }
    assert not [*primary.snapshots.glob("*.part")]
