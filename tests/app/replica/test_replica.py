"""One replica in this process: what it reads, what it says when no newer copy comes, and that it recovers by itself."""

from collections import namedtuple
from contextlib import contextmanager
from datetime import datetime
from types import SimpleNamespace

import pytest

from app import replica as replicas
from app.i18n import date_long
from app.messages import message
from app.replica_words import notice, read_only, waiting
from app.settings import AppSettings
from app.state import State
from app.waiting import Waiting
from engine import DiskFull, SnapshotUnusable, build_index, build_settings, snapshot
from engine.erase import erased as erase_list
from engine.erase.erased import Term, folded
from engine.keeping import disk
from engine.snapshot import folder as places
from tests.app.job_sources import until
from tests.app.looking import arrive, seen
from tests.app.visits import visiting
from tests.factories import WORD_MODELS, forum, post, save, settings

pytestmark = pytest.mark.several

NEW = post(99, "Un pédalier neuf craque dans la côte.", topic_id=4, number=5)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(replicas, "LOOK_S", 0.05)
    monkeypatch.setattr(replicas, "AGAIN_S", 0.1)


@pytest.fixture
def primary(tmp_path):
    data = tmp_path / "primary"
    save(data, forum())
    build_index(settings(data), WORD_MODELS)
    return SimpleNamespace(data=data, settings=settings(data), snapshots=tmp_path / "snapshots")


def publish(primary, *items):
    if items:
        save(primary.data, items, whole_forum=False)
        build_index(primary.settings, WORD_MODELS)
    return snapshot.publish(primary.settings, primary.snapshots)


@contextmanager
def reading(primary, data):
    """The state of a replica that follows its source, as the server has it."""
    state = State(AppSettings(replica_of=str(primary.snapshots)), build_settings(data), models=WORD_MODELS)
    state.follow()
    try:
        yield state
    finally:
        state.close()


@pytest.fixture
def state(primary, tmp_path):
    with reading(primary, tmp_path / "replica") as opened:
        yield opened


def hits(state, words):
    return [hit.post_id for hit in state.archive.search(words).hits]


def trouble(state, reason):
    def found():
        error = state.replica.trouble
        return error if error is not None and error.details.get("reason") == reason else None

    return until(found, within_s=20)


def reads(state, card):
    until(lambda: state.replica.card == card, within_s=20)


def test_it_goes_over_to_each_new_snapshot(primary, state):
    reads(state, publish(primary))
    assert 99 not in hits(state, "pédalier") and state.facts().posts == 12
    reads(state, publish(primary, NEW))
    assert 99 in hits(state, "pédalier") and state.facts().posts == 13
    assert notice(state.replica) == ""
    assert state.archive.store.path.parent.name == state.replica.card.name


def test_a_question_under_way_ends_on_the_copy_that_it_began_with(primary, state, monkeypatch):
    monkeypatch.setattr(replicas, "GRACE_S", 0.0)
    reads(state, publish(primary))
    before = state.archive
    events = before.ask("Quelle huile pour la chaîne ?")
    next(events)
    reads(state, publish(primary, NEW))
    assert state.archive is not before and not before.closed and before.store.path.exists()
    assert [*events]
    until(lambda: before.closed, within_s=20)
    until(lambda: not before.store.path.exists(), within_s=20)
    assert hits(state, "pédalier")


def test_before_the_first_copy_it_waits_and_says_so(primary, state):
    error = trouble(state, "away")
    assert state.replica.waits() and message(error) in waiting(state.replica, why=True)
    assert str(primary.snapshots) not in waiting(state.replica, why=False)
    reads(state, publish(primary))
    assert state.replica.waits() == "" and state.replica.trouble is None


async def test_before_the_first_copy_every_page_is_one_that_comes_again(primary, state):
    trouble(state, "away")
    sent = []

    async def send(message):
        sent.append(message)

    async def pages(scope, receive, send):
        sent.append("pages")

    door = Waiting(pages, state.replica, state.access)
    await door({"type": "http", "path": "/chercher", "method": "GET", "headers": []}, None, send)
    assert sent[0]["status"] == 503 and (b"refresh", b"3") in sent[0]["headers"]
    sent.clear()
    await door({"type": "http", "path": "/entrer", "method": "GET", "headers": []}, None, send)
    reads(state, publish(primary))
    await door({"type": "http", "path": "/chercher", "method": "GET", "headers": []}, None, send)
    assert sent == ["pages", "pages"]


def test_started_without_its_source_it_reads_the_copy_at_hand(primary, tmp_path):
    with reading(primary, tmp_path / "replica") as state:
        reads(state, publish(primary))
    away = primary.snapshots.rename(tmp_path / "away")
    with reading(primary, tmp_path / "replica") as state:
        assert hits(state, "huile")
        trouble(state, "away")
        made = date_long(datetime.fromisoformat(state.replica.card.made_at))
        assert str(primary.snapshots) in notice(state.replica) and made in notice(state.replica)
        away.rename(primary.snapshots)
        until(lambda: state.replica.trouble is None, within_s=20)
        reads(state, publish(primary, NEW))


def test_an_older_snapshot_is_not_read(primary, state, tmp_path):
    first = publish(primary)
    reads(state, first)
    second = publish(primary, NEW)
    reads(state, second)
    places.point(primary.snapshots, first)
    error = trouble(state, "older")
    assert first.made_at in message(error)
    assert 99 in hits(state, "pédalier") and state.replica.card == second


def test_a_damaged_snapshot_is_not_read_and_the_next_one_is(primary, state):
    first = publish(primary)
    reads(state, first)
    save(primary.data, [NEW], whole_forum=False)
    build_index(primary.settings, WORD_MODELS)
    held = primary.snapshots.rename(primary.snapshots.with_name("held"))
    second = snapshot.publish(primary.settings, held)
    places.contents(held, second.files[0].sha256).write_bytes(bytes(second.files[0].size))
    held.rename(primary.snapshots)
    trouble(state, "damaged")
    assert hits(state, "huile") and state.replica.card == first
    reads(state, snapshot.publish(primary.settings, primary.snapshots, verify=True))
    assert 99 in hits(state, "pédalier") and state.replica.trouble is None


def test_a_full_disk_leaves_the_copy_and_the_rest_is_fetched_later(primary, state, monkeypatch):
    first = publish(primary)
    reads(state, first)
    held = primary.snapshots.rename(primary.snapshots.with_name("held"))
    save(primary.data, [NEW], whole_forum=False)
    build_index(primary.settings, WORD_MODELS)
    second = snapshot.publish(primary.settings, held)
    with monkeypatch.context() as patch:
        patch.setattr(disk.shutil, "disk_usage", lambda path: namedtuple("Usage", "total used free")(1, 1, 1000))
        held.rename(primary.snapshots)
        until(lambda: isinstance(state.replica.trouble, DiskFull), within_s=20)
        assert "Mo" in message(state.replica.trouble) or "MB" in message(state.replica.trouble)
        assert hits(state, "huile") and state.replica.card == first
    reads(state, second)


def test_a_copy_that_went_bad_is_fetched_again_at_the_next_start(primary, tmp_path):
    with reading(primary, tmp_path / "replica") as state:
        card = publish(primary)
        reads(state, card)
        copy = state.archive.store.path
    copy.unlink()
    copy.write_bytes(b"no database" * 1000)
    with reading(primary, tmp_path / "replica") as state:
        reads(state, card)
        assert hits(state, "huile")


def test_what_was_erased_leaves_the_questions_asked_here(primary, state):
    reads(state, publish(primary))
    for event in state.archive.ask("Que dit Bruno Bricolo des freins ?"):
        outcome = event
    state.log.record(outcome)
    assert any("Bricolo" in asked.question for asked in state.log.recent())
    erased = erase_list.Erased().keyed()
    term = Term(erased.hash(folded("bricolo")), erased.hash(folded("bricolo")), 1, "membre effacé")
    erase_list.save(primary.data, erase_list.Erased(key=erased.key, terms=(term,)))
    card = publish(primary, NEW)
    reads(state, card)
    until(lambda: not any("Bricolo" in asked.question for asked in state.log.recent()), within_s=20)
    assert [path.name for path in primary.snapshots.glob("*.json")] == [f"{card.name}.json"]


async def test_pages_that_would_change_something_say_where_that_is_done(primary, state):
    reads(state, publish(primary))
    async with visiting(state) as user:
        for path in ("/archive", "/archive/importer", "/mesures", "/reglages", "/reglages/modeles", "/bienvenue"):
            await arrive(user, path)
            assert set(read_only(state.replica)) <= set(seen(user)), path
        await arrive(user, "/chercher?q=huile")
        assert not set(read_only(state.replica)) & set(seen(user))


async def test_moderators_read_on_every_page_that_the_copy_is_old(primary, state):
    reads(state, publish(primary))
    primary.snapshots.rename(primary.snapshots.with_name("away"))
    error = trouble(state, "away")
    assert isinstance(error, SnapshotUnusable)
    async with visiting(state) as user:
        await arrive(user, "/chercher?q=huile")
        assert any(message(error) in said for said in seen(user))


def test_a_replica_starts_no_worker_and_writes_nothing_of_the_archive(primary, state):
    card = publish(primary)
    reads(state, card)
    hits(state, "huile")
    assert not (state.engine.data / "archive.db").exists() and not (state.engine.data / "queue.db").exists()
    (archive,) = [file for file in card.files if file.path == "archive.db"]
    assert places.sha256_of(state.archive.store.path) == archive.sha256
