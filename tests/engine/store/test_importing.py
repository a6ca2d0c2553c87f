"""Imports: upsert by id, removals, the ledger, other forums, interruptions."""

import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled, DiskFull, OtherForum
from engine.sources import Flaw, Position, Site, Skipped, SkipReason, TopicExtent
from engine.store import ArchiveStore, import_source
from engine.values import PostId, TopicId
from tests.factories import SITE, forum, post, save, topic


def ids(folder):
    store = ArchiveStore(folder)
    try:
        return sorted(store.post_ids())
    finally:
        store.close()


def test_a_first_import_adds_every_post(tmp_path):
    report = save(tmp_path, forum())
    assert (report.read, report.added, report.changed, report.removed, report.complete) == (
        12,
        12,
        0,
        0,
        True,
    )
    assert ids(tmp_path) == [11, 12, 13, 21, 22, 23, 31, 32, 41, 42, 43, 44]


def test_importing_twice_changes_nothing(tmp_path):
    save(tmp_path, forum())
    store = ArchiveStore(tmp_path)
    before = store.state()
    report = save(tmp_path, forum())
    assert (report.added, report.changed, report.unchanged, report.removed) == (0, 0, 12, 0)
    assert store.state() == before
    store.close()


def test_a_newer_edit_replaces_and_an_older_one_does_not(tmp_path):
    save(tmp_path, [topic(1), post(1, "Première version.", edited=1)])
    assert save(tmp_path, [topic(1), post(1, "Vieille version.", edited=0)]).changed == 0
    assert save(tmp_path, [topic(1), post(1, "Nouvelle version.", edited=2)]).changed == 1
    store = ArchiveStore(tmp_path)
    assert store.posts([PostId(1)])[PostId(1)].text == "Nouvelle version."
    store.close()


def test_a_moved_post_keeps_its_id_and_takes_its_new_place(tmp_path):
    save(tmp_path, [topic(1), topic(2), post(1, topic_id=1), post(2, topic_id=1, number=2)])
    save(tmp_path, [topic(1), topic(2), post(1, topic_id=1), post(2, topic_id=2, number=1)])
    store = ArchiveStore(tmp_path)
    assert store.topic_size(1) == 1 and store.post_at(2, 1).id == 2
    store.close()


def test_the_same_post_twice_in_one_source_is_held_once_in_its_newest_state(tmp_path):
    report = save(tmp_path, [topic(1), post(1, "Neuve.", edited=3), post(1, "Ancienne.", edited=1)])
    assert report.added == 1
    store = ArchiveStore(tmp_path)
    assert store.posts([PostId(1)])[PostId(1)].text == "Neuve."
    store.close()


def test_a_post_absent_from_a_complete_backup_is_removed_and_counted(tmp_path):
    save(tmp_path, forum())
    report = save(tmp_path, [item for item in forum() if getattr(item, "id", 0) != 22])
    assert report.removed == 1 and 22 not in ids(tmp_path)
    store = ArchiveStore(tmp_path)
    (deleted,) = store.db.execute("SELECT deleted FROM ledger WHERE topic_id = 2").fetchone()
    assert deleted == 1
    store.close()


def test_an_older_backup_does_not_remove_what_it_could_not_know(tmp_path):
    save(tmp_path, forum())
    older = [item for item in forum() if getattr(item, "id", 0) < 40 and getattr(item, "post_number", 0) >= 0]
    assert save(tmp_path, older).removed == 0
    assert 44 in ids(tmp_path)


def test_a_flaw_anywhere_forbids_removals_of_absent_posts(tmp_path):
    save(tmp_path, forum())
    cut = [item for item in forum() if getattr(item, "id", 0) != 22]
    report = save(tmp_path, [*cut, Flaw("bad_row", "posts:7")])
    assert (report.removed, report.complete) == (0, False) and 22 in ids(tmp_path)


def test_a_source_that_lacks_most_posts_removes_nothing_without_consent(tmp_path):
    many = [topic(1), *(post(n, number=n) for n in range(1, 101))]
    save(tmp_path, many)
    few = [topic(1), post(100, number=100)]
    report = save(tmp_path, few)
    assert (report.removed, report.kept_absent, len(ids(tmp_path))) == (0, 99, 100)
    report = save(tmp_path, few, accept_removals=True)
    assert (report.removed, ids(tmp_path)) == (99, [100])


@pytest.mark.parametrize("reason", sorted(set(SkipReason) - {SkipReason.DUPLICATE, SkipReason.UNREADABLE}))
def test_a_post_that_is_no_longer_public_goes_whatever_the_reason(tmp_path, reason):
    save(tmp_path, forum())
    rest = [item for item in forum() if getattr(item, "id", 0) != 44]
    report = save(tmp_path, [*rest, Skipped(reason, None, PostId(44))], whole_forum=False)
    assert report.removed == 1 and 44 not in ids(tmp_path)
    assert report.skipped == {str(reason): 1}


def test_a_truncated_source_removes_only_what_it_saw_to_be_private(tmp_path):
    save(tmp_path, forum())
    report = save(
        tmp_path,
        [
            Skipped(SkipReason.HIDDEN, None, PostId(44)),
            Skipped(SkipReason.MISSING_TOPIC, None, PostId(43)),
            Flaw("truncated", "posts:9", fatal=True),
        ],
    )
    assert report.removed == 1 and 43 in ids(tmp_path) and 44 not in ids(tmp_path)


def test_a_saved_topic_removes_only_its_own_absent_posts(tmp_path):
    save(tmp_path, forum())
    report = save(
        tmp_path,
        [
            topic(1, "Régler des freins", category=2),
            post(11, topic_id=1, by="bruno"),
            TopicExtent(TopicId(1), frozenset({PostId(11), PostId(12)})),
        ],
        whole_forum=False,
    )
    assert report.removed == 1
    assert ids(tmp_path) == [11, 12, 21, 22, 23, 31, 32, 41, 42, 43, 44]


def test_the_ledger_says_what_a_topic_announced_and_what_is_held(tmp_path):
    report = save(tmp_path, [topic(1, expected=5), post(1), post(2, number=2)], whole_forum=False)
    assert report.missing == 3
    store = ArchiveStore(tmp_path)
    assert store.db.execute("SELECT * FROM ledger").fetchall() == [(1, 5, 2, 3, 0)]
    store.close()


def test_another_forum_is_refused_and_nothing_changes(tmp_path):
    save(tmp_path, forum())
    with pytest.raises(OtherForum) as caught:
        save(tmp_path, [Site("Ailleurs", "https://autre.exemple"), topic(9), post(900, topic_id=9)])
    assert caught.value.details == {"held": "https://forum.exemple", "offered": "https://autre.exemple"}
    assert 900 not in ids(tmp_path)


def test_a_topic_without_posts_is_held(tmp_path):
    save(tmp_path, [SITE, topic(7, "Vide")])
    store = ArchiveStore(tmp_path)
    assert store.topic(7).title == "Vide" and store.counts() == (0, 1, 0)
    store.close()


def test_cancelling_keeps_the_batches_already_saved(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.store.importing.BATCH_POSTS", 2)
    calls = iter([None, None])

    def check():
        if next(calls, "stop") == "stop":
            raise Cancelled

    store = ArchiveStore(tmp_path)
    items = [topic(1)] + [x for n in range(1, 9) for x in (post(n, number=n), Position(n, 8))]
    with pytest.raises(Cancelled):
        import_source(store, items, source="s", kind="dump", whole_forum=True, check=check)
    assert sorted(store.post_ids()) == [1, 2]
    assert store.db.execute("SELECT state FROM imports").fetchall() == [("cancelled",)]
    store.close()


def test_a_full_disk_says_so_and_keeps_what_was_saved(tmp_path):
    save(tmp_path, forum())
    store = ArchiveStore(tmp_path)
    (pages,) = store.db.execute("PRAGMA page_count").fetchone()
    store.db.execute(f"PRAGMA max_page_count = {pages + 20}")
    big = [topic(5), *(post(n, "mot " * 5000, topic_id=5, number=n) for n in range(500, 700))]
    with pytest.raises(DiskFull) as caught:
        import_source(store, big, source="s", kind="dump", whole_forum=False)
    assert caught.value.details["path"].endswith("archive.db")
    store.close()
    assert len(ids(tmp_path)) == 12


def test_private_things_of_a_removed_author_leave_with_the_last_post(tmp_path):
    save(tmp_path, [topic(1), post(1), post(2, number=2, by="zoe")])
    save(tmp_path, [topic(1), post(1), Skipped(SkipReason.DELETED_POST, None, PostId(2))])
    store = ArchiveStore(tmp_path)
    assert store.db.execute("SELECT username FROM users").fetchall() == [("alice",)]
    store.close()


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3), st.text(max_size=20)), max_size=12))
def test_storing_twice_equals_storing_once(tmp_path_factory, versions):
    folder = tmp_path_factory.mktemp("store")
    items = [topic(1)] + [post(i, text, number=i, edited=edited) for i, edited, text in versions]
    save(folder, items)
    store = ArchiveStore(folder)
    once = store.db.execute("SELECT * FROM posts ORDER BY id").fetchall()
    save(folder, items)
    newest = {}
    for i, edited, _ in versions:
        newest[i] = max(newest.get(i, 0), edited)
    assert [row[0] for row in once] == sorted(newest)
    again = store.db.execute("SELECT id, updated_at FROM posts ORDER BY id").fetchall()
    assert again == [(row[0], row[6]) for row in once]
    store.close()


def test_the_store_refuses_a_file_of_a_newer_version(tmp_path):
    from engine.errors import SchemaTooNew

    save(tmp_path, forum())
    with sqlite3.connect(tmp_path / "archive.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(SchemaTooNew):
        ArchiveStore(tmp_path)


def test_the_store_names_a_file_that_is_no_database(tmp_path):
    from engine.errors import StoreDamaged

    (tmp_path / "archive.db").write_bytes(b"ceci n'est pas une base" * 100)
    with pytest.raises(StoreDamaged):
        ArchiveStore(tmp_path)


def test_a_post_whose_topic_is_not_held_is_never_shown(tmp_path):
    save(tmp_path, [topic(1), post(1), post(2, topic_id=99)])
    store = ArchiveStore(tmp_path)
    assert [p.id for p in store.indexable()] == [1]
    assert store.posts([PostId(2)]) == {}
    store.close()


def test_flaws_are_reported_with_their_place(tmp_path):
    flaw = Flaw("bad_json", "t/12.json:3")
    report = save(tmp_path, [topic(1), post(1), flaw], whole_forum=False)
    assert report.flaws == (flaw,) and not report.complete
    assert replace(report, took_s=0.0).flaws == (flaw,)


def test_the_title_of_a_topic_that_became_private_goes_with_its_posts(tmp_path):
    save(tmp_path, [topic(1), post(1), topic(2, "Secret désormais", tags=("tag",)), post(2, topic_id=2)])
    save(tmp_path, [Skipped(SkipReason.RESTRICTED_CATEGORY, None, PostId(2))], whole_forum=False)
    store = ArchiveStore(tmp_path)
    assert store.topic(2) is None and store.topic(1) is not None
    assert store.db.execute("SELECT COUNT(*) FROM topic_tags").fetchone() == (0,)
    store.close()


def test_what_was_left_out_is_that_of_the_last_backup_and_of_what_was_read_since(tmp_path):
    def left_out(*reasons, **options):
        save(tmp_path, [topic(1), post(1), *(Skipped(reason) for reason in reasons)], **options)
        store = ArchiveStore(tmp_path)
        try:
            return store.skipped()
        finally:
            store.close()

    hidden, deleted = SkipReason.HIDDEN, SkipReason.DELETED_POST
    assert left_out(hidden, hidden, source="janvier.tar.gz") == {"hidden": 2}
    assert left_out(hidden, deleted, source="février.tar.gz") == {"hidden": 1, "deleted_post": 1}
    assert left_out(hidden, source="sujets", whole_forum=False) == {"hidden": 2, "deleted_post": 1}
    assert left_out(source="sujets", whole_forum=False) == {"hidden": 1, "deleted_post": 1}


def test_a_text_that_was_damaged_in_the_file_is_made_whole_by_the_next_import(tmp_path):
    save(tmp_path, forum())
    store = ArchiveStore(tmp_path)
    store.db.execute("UPDATE posts SET text = 'abîmé' WHERE id = 12")
    store.db.execute("UPDATE posts SET cooked = '' WHERE id = 13")
    store.close()
    report = save(tmp_path, forum())
    assert (report.changed, report.unchanged) == (2, 10)
    store = ArchiveStore(tmp_path)
    assert store.posts([PostId(12)])[PostId(12)].text.startswith("Il faut poncer")
    store.close()
