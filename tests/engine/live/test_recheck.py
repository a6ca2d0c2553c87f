"""Edits, deletions, moves, merges and closed categories are found by looking again; nothing else removes a post."""

import pytest

from engine import ForumUnavailable, import_archive
from engine.discourse.api import Key
from tests.discourse_server import API_KEY, LATER, NOT_FOUND, Reply, page
from tests.engine.live.conftest import bury, content, place_of, post_ids, raw
from tests.factories import settings


def asked_topics(forum):
    return [asked.path for asked in forum.asked if asked.path.startswith("/t/")]


def same_as_fresh(sync, tmp_path):
    """Whether the archive is what a first sync of the forum as it is now would give; so is an import of the raw files."""
    fresh, offline = tmp_path / "fresh", tmp_path / "offline"
    sync(fresh)
    import_archive(settings(offline), sync.folder / "raw")
    held, first, imported = (content(folder) for folder in (sync.folder, fresh, offline))
    for tables in (held, first, imported):
        del tables["ledger"]  # it remembers deletions that a first sync knows nothing of
    return held == first == imported


def test_edits_are_found(forum, sync, tmp_path):
    sync()
    forum.edit(30, "corrigé")
    forum.topics[102] |= {"title": "Nouveau titre", "category_id": 4, "closed": True, "tags": ["taille"]}
    report = sync()
    assert report.imported.changed == 1
    assert same_as_fresh(sync, tmp_path)


def test_deletions_are_found_and_their_text_is_nowhere(forum, sync, tmp_path):
    forum.edit(30, "zzdeleted", at="2024-05-07T00:00:00.000Z")
    sync()
    forum.delete(30, 31, 60)
    report = sync()
    assert report.imported.removed == 3
    assert {30, 31, 60}.isdisjoint(post_ids(sync.folder))
    assert same_as_fresh(sync, tmp_path)
    assert b"zzdeleted" not in b"".join(path.read_bytes() for path in (sync.folder / "raw" / "t").iterdir())


@pytest.mark.parametrize("change", [{"hidden": True}, {"user_deleted": True}, {"post_type": 3}])
def test_what_became_private_goes(forum, sync, tmp_path, change):
    sync()
    forum.posts[30] |= change
    assert sync().imported.removed == 1
    assert 30 not in post_ids(sync.folder)
    assert same_as_fresh(sync, tmp_path)


@pytest.mark.parametrize(
    "change", [{"deleted_at": LATER}, {"visible": False}, {"archetype": "private_message"}, {"category_id": 2}]
)
def test_a_topic_that_is_not_public_any_more_goes_with_its_title(forum, sync, tmp_path, change):
    forum.topics[101]["title"] = "zztitle"
    sync()
    forum.topics[101] |= change
    report = sync()
    assert report.imported.removed == 3
    assert {60, 61, 220}.isdisjoint(post_ids(sync.folder))
    assert "zztitle" not in repr(content(sync.folder)) + repr(raw(sync.folder, 101))
    assert same_as_fresh(sync, tmp_path)


def test_posts_moved_to_a_new_topic_keep_their_ids_and_the_first_gets_another(forum, sync, tmp_path):
    bury(forum)
    sync()
    forum.topic(105)
    forum.move([1, 45, 46, 47], to=105)
    report = sync()
    assert place_of(sync.folder, 46)[0] == 105
    assert place_of(sync.folder, 1) == (100, 1)
    assert report.imported.removed == 0
    assert same_as_fresh(sync, tmp_path)


def test_posts_moved_to_an_old_topic_are_found_in_the_same_sync(forum, sync, tmp_path):
    bury(forum)
    sync()
    forum.move([46, 47], to=102)
    report = sync(sync_recheck_requests=1)  # topic 100 alone, by its turn
    assert (place_of(sync.folder, 46), report.imported.removed) == ((102, 7), 0)
    sync()
    assert same_as_fresh(sync, tmp_path)


def test_the_old_place_of_moved_posts_is_read_again_when_the_new_one_shows_them(forum, sync):
    bury(forum)
    sync()
    forum.move([46, 47], to=102)
    forum.post(1100, 102)
    sync(sync_recheck_requests=0)
    assert place_of(sync.folder, 46)[0] == 102
    assert 46 not in raw(sync.folder, 100)["post_stream"]["stream"]


@pytest.mark.parametrize("stub", ["kept", "deleted", "redirected"])
def test_a_merged_topic_is_found_where_it_went(forum, sync, tmp_path, stub):
    bury(forum)
    sync()
    forum.move([60, 61, 220], to=102)
    if stub == "deleted":
        forum.delete_topic(101)
    if stub == "redirected":
        forum.delete_topic(101)
        forum.permalinks[101] = "/t/sujet-102/102"
    sync(sync_recheck_requests=4)  # topics 100 and 101, by their turn
    assert place_of(sync.folder, 61)[0] == place_of(sync.folder, 220)[0] == 102
    assert (place_of(sync.folder, 60) is None) == (stub != "kept")
    sync()
    assert same_as_fresh(sync, tmp_path)


@pytest.mark.parametrize("redirected", [True, False])
def test_posts_moved_out_of_a_topic_before_it_was_deleted_are_found(forum, sync, redirected):
    bury(forum)
    sync()
    forum.move([61, 220], to=102)
    forum.delete_topic(101)
    if redirected:
        forum.permalinks[101] = "/t/sujet-102/102"
    report = sync(sync_recheck_requests=4)  # topics 100 and 101, by their turn
    assert place_of(sync.folder, 61)[0] == place_of(sync.folder, 220)[0] == 102
    assert (report.departed, report.imported.removed) == (1, 1)


def test_posts_moved_to_where_nobody_sees_them_go(forum, sync, tmp_path):
    bury(forum)
    sync()
    forum.move([46, 47], to=110)
    sync()
    assert {46, 47}.isdisjoint(post_ids(sync.folder))
    assert same_as_fresh(sync, tmp_path)


@pytest.mark.parametrize("key", [None, Key(api_key=API_KEY)])
def test_a_category_that_closes_takes_its_topics_with_it_without_asking_for_them(forum, sync, tmp_path, key):
    forum.topics[101]["title"] = "zztitle"
    sync(key=key)
    forum.categories[4]["read_restricted"] = True
    forum.asked.clear()
    report = sync(key=key, sync_recheck_requests=0)
    assert asked_topics(forum) == []
    assert report.imported.removed == 3
    assert "zztitle" not in repr(content(sync.folder)) + repr(raw(sync.folder, 101))
    forum.categories[4]["read_restricted"] = False
    sync(key=key, sync_recheck_requests=0)
    assert {60, 61, 220} <= set(post_ids(sync.folder))
    assert same_as_fresh(sync, tmp_path)


def test_the_look_goes_round_within_its_budget(forum, sync):
    for id in range(300, 310):
        forum.topic(id)
        forum.post(id, id)
    sync()
    looked = []
    for _ in range(4):
        forum.asked.clear()
        sync(sync_recheck_requests=4)
        looked.append(asked_topics(forum))
    assert looked[0] == ["/t/100.json", "/t/100/posts.json", "/t/100/posts.json", "/t/101.json"]
    assert looked[1:3] == [
        ["/t/102.json", "/t/300.json", "/t/301.json", "/t/302.json"],
        ["/t/303.json", "/t/304.json", "/t/305.json", "/t/306.json"],
    ]
    assert looked[3][:3] == ["/t/307.json", "/t/308.json", "/t/309.json"]


def test_no_budget_looks_at_nothing_again(forum, sync):
    sync()
    forum.asked.clear()
    forum.edit(30, "corrigé")
    sync(sync_recheck_requests=0)
    assert asked_topics(forum) == []


def test_most_of_an_archive_does_not_go_without_consent(forum, sync):
    for id in range(300, 330):
        forum.topic(id)
        forum.post(id, id)
    sync()
    for id in range(300, 330):
        forum.delete_topic(id)
    report = sync()
    assert (report.kept_topics, report.departed, report.imported.removed) == (30, 0, 0)
    assert set(range(300, 330)) <= set(post_ids(sync.folder))
    report = sync(accept_removals=True)
    assert (report.kept_topics, report.departed, report.imported.removed) == (0, 30, 30)
    assert set(range(300, 330)).isdisjoint(post_ids(sync.folder))


def test_categories_that_all_close_at_once_need_consent_too(forum, sync):
    for id in range(300, 330):
        forum.topic(id)
        forum.post(id, id)
    sync()
    forum.categories = {}
    forum.category(7)
    report = sync(sync_recheck_requests=0)
    assert report.kept_topics == 33
    assert 300 in post_ids(sync.folder)
    report = sync(sync_recheck_requests=0, accept_removals=True)
    assert (report.kept_topics, post_ids(sync.folder)) == (0, [])


@pytest.mark.parametrize("trouble", [page(500), Reply(200, b'{"id": 1', {}), Reply(200, b"x" * 50, {}, cut=3)])
def test_what_is_absent_because_the_server_failed_is_kept(forum, sync, trouble):
    sync()
    before = content(sync.folder)
    forum.delete(30)
    for path in ("/t/100.json", "/t/100/posts.json", "/t/101.json", "/t/102.json", "/site.json"):
        forum.fail(path, *([forum.answer(forum.asked[0])] if path == "/site.json" else []), *[trouble] * 60)
    with pytest.raises(ForumUnavailable):
        sync()
    assert content(sync.folder) == before


def test_a_chunk_that_is_refused_means_that_the_topic_is_gone(forum, sync):
    sync()
    forum.fail("/t/100/posts.json", NOT_FOUND)
    report = sync()
    assert (report.departed, report.imported.removed) == (1, 47)
