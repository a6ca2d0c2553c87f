"""Fetching: verified before use, by the file, never back, and nothing of what serves is touched when it fails."""

import os
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine import Cancelled, DiskFull, SnapshotUnusable, build_index, open_archive
from engine.keeping import disk
from engine.snapshot import assemble, copy_of, fetch, forget_copies, mend, open_source, publish, sweep
from engine.snapshot import card as cards
from engine.snapshot import folder as places
from engine.store.archive import FILE as ARCHIVE
from tests.engine.snapshot.conftest import SCHEMAS
from tests.engine.snapshot.snapshot_server import TOKEN, serving
from tests.engine.snapshot.whole import contents, whole
from tests.factories import WORD_MODELS, post, save, settings

pytestmark = pytest.mark.several

ROOT = Path(__file__).parents[3]
NEW = post(99, "Un pédalier neuf craque dans la côte.", topic_id=4, number=5)


def update(primary, *items):
    save(primary.data, items or [NEW], whole_forum=False)
    build_index(primary.settings, WORD_MODELS)
    return publish(primary.settings, primary.snapshots)


def take(primary, source, held=None, **more):
    """Fetch, and make it the newest one of the copies, as a replica does."""
    card = fetch(source, primary.folder, primary.settings, held=held, schemas=SCHEMAS, **more)
    if card is not None:
        places.point(primary.folder, card)
    return card


def refused(primary, source, held=None):
    with pytest.raises(SnapshotUnusable) as error:
        take(primary, source, held)
    return error.value.details["reason"]


@pytest.fixture
def folder_source(primary):
    publish(primary.settings, primary.snapshots)
    with closing(open_source(str(primary.snapshots))) as source:
        yield source


@pytest.fixture
def server(primary):
    publish(primary.settings, primary.snapshots)
    with serving(primary.snapshots) as served:
        yield served


@pytest.fixture
def url_source(server):
    with closing(open_source(server.url, token=TOKEN)) as source:
        yield source


@pytest.fixture(params=["folder_source", "url_source"])
def source(request):
    return request.getfixturevalue(request.param)


def test_what_is_fetched_is_searched_like_the_archive_itself(primary, source):
    card = take(primary, source)
    assert whole(primary.folder) == card
    data = assemble(primary.folder, card, schemas=SCHEMAS)
    with open_archive(replace(primary.settings, data=data), WORD_MODELS) as copy:
        found = [hit.post_id for hit in copy.search("huile pour la chaîne").hits]
        assert copy.status().generation == card.generation and copy.agreement()
    with open_archive(primary.settings, WORD_MODELS) as archive:
        assert found == [hit.post_id for hit in archive.search("huile pour la chaîne").hits]
    assert whole(primary.folder) == card  # reading changed none of the contents


def test_only_what_is_new_is_fetched(primary, server, url_source):
    first = take(primary, url_source)
    server.asked.clear()
    assert take(primary, url_source, first) is None
    assert server.asked == [(304, "/instantane/CURRENT")]
    server.asked.clear()
    second = update(primary)
    assert take(primary, url_source, first) == second == whole(primary.folder)
    known = {file.sha256 for file in first.files}
    asked = {path.rpartition("/")[2] for _, path in server.asked if "/files/" in path}
    assert asked == {file.sha256 for file in second.files} - known


def test_a_copy_of_the_same_base_shares_what_is_not_written_to(primary, source):
    first = take(primary, source)
    assemble(primary.folder, first, schemas=SCHEMAS)
    data = copy_of(primary.folder, first)
    shared = [file for file in first.files if not file.path.endswith(".sqlite3")]
    assert all((data / f.path).samefile(places.contents(primary.folder, f.sha256)) for f in shared)
    assert not any(
        (data / f.path).samefile(places.contents(primary.folder, f.sha256)) for f in first.files if f not in shared
    )


def test_a_database_of_an_older_schema_is_a_copy_of_its_own(primary, source):
    card = take(primary, source)
    newer = {name: number + 1 for name, number in SCHEMAS.items()}
    data = assemble(primary.folder, card, schemas=newer)
    (archive,) = [file for file in card.files if file.path == ARCHIVE]
    assert not (data / ARCHIVE).samefile(places.contents(primary.folder, archive.sha256))


def test_an_older_snapshot_is_not_taken(primary, source):
    first = take(primary, source)
    second = update(primary)
    take(primary, source, first)
    places.point(primary.snapshots, first)  # a folder that was restored, a second primary
    assert refused(primary, source, second) == "older"
    assert whole(primary.folder) == second


@pytest.mark.parametrize("fault,reason", [
    ("more", "damaged"), ("other", "damaged"), ("cut", "away"), ("failing", "away"), ("redirect", "away"),
])  # fmt: skip
def test_a_file_that_is_not_what_its_card_says_is_not_used(primary, server, url_source, fault, reason):
    first = take(primary, url_source)
    second = update(primary)
    server.fault = fault
    assert refused(primary, url_source, first) == reason
    assert whole(primary.folder) == first and not [*primary.folder.glob("*.part")]
    server.fault = ""
    assert take(primary, url_source, first) == second == whole(primary.folder)


def test_a_damaged_file_in_a_folder_is_not_used(primary, folder_source):
    first = take(primary, folder_source)
    second = update(primary)
    (fresh,) = [file for file in second.files if file.path == ARCHIVE]
    path = places.contents(primary.snapshots, fresh.sha256)
    held = path.read_bytes()
    path.write_bytes(held[:-1] + bytes([held[-1] ^ 1]))
    assert refused(primary, folder_source, first) == "damaged"
    path.write_bytes(held[:-1])
    assert refused(primary, folder_source, first) == "damaged"
    assert whole(primary.folder) == first


def test_a_source_that_is_away_leaves_what_is_held(primary, source, server=None):
    first = take(primary, source)
    shutil.move(primary.snapshots, primary.snapshots.with_name("elsewhere"))
    assert refused(primary, source, first) in ("away", "refused")
    assert whole(primary.folder) == first


def test_a_server_that_is_away(primary):
    with closing(open_source("http://127.0.0.1:9", token=TOKEN)) as source:
        assert refused(primary, source) == "away"


def test_without_the_secret_nothing_is_told(primary, server):
    with closing(open_source(server.url, token="autre")) as source:
        assert refused(primary, source) == "refused"


def test_before_the_first_snapshot(primary):
    primary.snapshots.mkdir()
    with closing(open_source(str(primary.snapshots))) as source:
        assert refused(primary, source) == "nothing"


def test_other_settings_of_the_index_are_told(primary, source):
    with pytest.raises(SnapshotUnusable) as error:
        fetch(source, primary.folder, settings(primary.data, window_chars=900), held=None, schemas=SCHEMAS)
    assert error.value.details["reason"] == "settings"


def test_what_a_newer_version_published_is_told(primary, source):
    with pytest.raises(SnapshotUnusable) as error:
        fetch(source, primary.folder, primary.settings, held=None, schemas={ARCHIVE: SCHEMAS[ARCHIVE] - 1})
    assert error.value.details["reason"] == "newer"


def test_a_card_under_the_name_of_another_is_damaged(primary, source):
    first = take(primary, source)
    second = update(primary)
    (primary.snapshots / f"{second.name}.json").write_bytes(cards.written(first))
    assert refused(primary, source, first) == "damaged"


def test_a_disk_that_is_too_small_leaves_what_is_held(primary, source, monkeypatch):
    first = take(primary, source)
    second = update(primary)
    usage = namedtuple("Usage", "total used free")
    with monkeypatch.context() as patch:
        patch.setattr(disk.shutil, "disk_usage", lambda path: usage(1, 1, 1000))
        with pytest.raises(DiskFull) as full:
            take(primary, source, first)
    assert full.value.details["reason"] == "fetch_forecast"
    assert whole(primary.folder) == first
    assert take(primary, source, first) == second == whole(primary.folder)


def test_what_was_fetched_before_a_stop_is_not_fetched_again(primary, server, url_source):
    seen = 0

    def stop():
        nonlocal seen
        seen += 1
        if seen == 12:
            raise Cancelled()

    with pytest.raises(Cancelled):
        take(primary, url_source, check=stop)
    held = contents(primary.folder)
    assert held and places.current(primary.folder) is None
    server.asked.clear()
    take(primary, url_source)
    whole(primary.folder)
    assert not [path for _, path in server.asked if path.rpartition("/")[2] in held]


KILLED = """
import os, signal, sys
from pathlib import Path
from engine.snapshot import assemble, fetch, folder, open_source
from engine.settings import build
from tests.engine.snapshot.conftest import SCHEMAS
source, copies, data, at = open_source(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
seen = 0
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
def check():
    global seen
    seen += 1
    if at.isdigit() and seen == int(at): die()
if at == "card": folder.add = die
if at == "rename": Path.rename = die
card = fetch(source, copies, build(data), held=folder.current(copies), schemas=SCHEMAS, check=check)
assemble(copies, card, schemas=SCHEMAS)
"""


@pytest.mark.parametrize("at", ["3", "card", "rename"])
def test_killed_while_it_fetches_it_goes_on_from_there(primary, folder_source, at):
    first = take(primary, folder_source)
    assemble(primary.folder, first, schemas=SCHEMAS)
    second = update(primary)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, primary.snapshots, primary.folder, primary.data, at], cwd=ROOT,
        env={**os.environ}, check=False,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL
    assert whole(primary.folder) == first and copy_of(primary.folder, second) is None
    assert take(primary, folder_source, first) == second
    assemble(primary.folder, second, schemas=SCHEMAS)
    sweep(primary.folder, keep=1)
    forget_copies(primary.folder, but=frozenset({second.name}))
    assert sorted(path.name for path in primary.folder.iterdir()) == sorted(
        [second.name, f"{second.name}.json", "CURRENT", "files"]
    )


def test_a_copy_that_went_bad_is_fetched_again(primary, server, url_source):
    card = take(primary, url_source)
    assemble(primary.folder, card, schemas=SCHEMAS)
    (archive,) = [file for file in card.files if file.path == ARCHIVE]
    with places.contents(primary.folder, archive.sha256).open("r+b") as file:
        file.seek(4096)
        file.write(b"\0" * 4096)
    mend(primary.folder, card)
    assert copy_of(primary.folder, card) is None
    server.asked.clear()
    assert take(primary, url_source) == card == whole(primary.folder)
    assert [path.rpartition("/")[2] for _, path in server.asked if "/files/" in path] == [archive.sha256]
