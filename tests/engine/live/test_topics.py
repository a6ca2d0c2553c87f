"""Topics are read by chunks, kept without anything private, and believed gone only while the forum shows itself."""

import json

import pytest

from engine import ForumUnavailable, import_archive
from engine.discourse.api import Key
from engine.live.topics import CHUNK
from tests.discourse_server import FORBIDDEN, NOT_FOUND, NOT_LOGGED_IN, USER_KEY, Reply, page, refusal, reply
from tests.engine.live.conftest import content, post_ids, raw
from tests.factories import settings


def asked_paths(forum):
    return [asked.path for asked in forum.asked]


def test_a_long_topic_is_read_by_chunks_of_twenty(forum, sync):
    forum.fail("/posts.json", reply({"latest_posts": [forum.posts[1] | {"category_id": 1}]}))
    sync()
    chunks = [asked.query["post_ids[]"] for asked in forum.asked if asked.path == "/t/100/posts.json"]
    assert [len(chunk) for chunk in chunks] == [CHUNK, 7]
    assert "/t/100.json" in asked_paths(forum)
    assert not any("print" in asked.query for asked in forum.asked)


def test_what_the_walk_found_is_not_asked_for_again(forum, sync):
    sync()
    assert "/t/100/posts.json" not in asked_paths(forum)


def test_a_new_post_in_a_long_topic_costs_one_request(forum, sync):
    sync()
    forum.asked.clear()
    forum.post(500, 100)
    sync(sync_recheck_requests=0)
    assert [path for path in asked_paths(forum) if path.startswith("/t/")] == ["/t/100.json"]
    assert len(raw(sync.folder, 100)["post_stream"]["posts"]) == 48


def test_the_raw_folder_gives_the_same_archive_offline(forum, sync, tmp_path):
    report = sync()
    again = import_archive(settings(tmp_path / "again"), sync.folder / "raw")
    assert again.skipped == report.imported.skipped
    assert content(tmp_path / "again") == content(sync.folder)


def test_nothing_private_is_written_anywhere(forum, sync):
    sync()
    files = [path for path in sync.folder.rglob("*") if path.is_file()]
    everything = b"".join(path.read_bytes() for path in files)
    for secret in (b"zzsecret", b"192.0.2.9", b"can_edit", b"ip_address", b"avatar_template", b"current_user_email"):
        assert secret not in everything
    assert not list(sync.folder.rglob("*.part"))


def test_counts_add_up(forum, sync):
    report = sync()
    assert report.imported.skipped == {"hidden": 1, "small_action": 1, "user_deleted": 1}
    assert report.announced == report.held + sum(report.imported.skipped.values()) + report.holes
    assert (report.topics, report.holes) == (3, 0)


def test_a_post_that_is_announced_and_never_served_is_a_hole(forum, sync):
    forum.fail("/posts.json", reply({"latest_posts": [forum.posts[1] | {"category_id": 1}]}))
    posts = [forum.posts[id] for id in range(21, 40)]  # number 40 is missing
    forum.fail("/t/100/posts.json", reply({"id": 100, "post_stream": {"posts": posts}}))
    report = sync()
    assert (report.holes, report.imported.missing) == (1, 1)
    assert report.announced == report.held + sum(report.imported.skipped.values()) + report.holes
    sync()  # the next look finds it
    assert 40 in post_ids(sync.folder)


@pytest.mark.parametrize("answer", [NOT_FOUND, FORBIDDEN, refusal(410, "gone"), page(404), page(403), Reply(410)])
def test_a_topic_that_is_refused_is_recorded_and_never_asked_for_again(forum, sync, answer):
    forum.fail("/t/101.json", *[answer] * 9)
    sync()
    assert set(post_ids(sync.folder)) == {*range(1, 48), 200}
    sync()
    assert asked_paths(forum).count("/t/101.json") == 1


def test_a_refused_topic_where_somebody_writes_again_is_asked_for_again(forum, sync):
    forum.fail("/t/101.json", NOT_FOUND)
    sync()
    forum.post(500, 101)
    sync()
    assert {60, 61, 220, 500} <= set(post_ids(sync.folder))


@pytest.mark.parametrize("wall", [NOT_LOGGED_IN, page(403, "Just a moment…"), FORBIDDEN])
def test_a_wall_that_refuses_everything_removes_nothing(forum, sync, wall):
    sync()
    before = content(sync.folder)
    forum.fail("/t/100.json", *[wall] * 5)
    forum.fail("/t/101.json", *[wall] * 5)
    forum.fail("/t/102.json", *[wall] * 5)
    forum.fail("/site.json", *[forum.answer(asked) for asked in forum.asked[:1]], *[wall] * 5)
    with pytest.raises(ForumUnavailable):
        sync()
    assert content(sync.folder) == before
    forum.faults.clear()
    report = sync()
    assert (report.departed, content(sync.folder) == before) == (0, True)


def test_a_key_that_is_revoked_on_the_way_removes_nothing(forum, sync):
    sync(key=Key(user_api_key=USER_KEY))
    before = content(sync.folder)
    forum.fail("/posts.json", reply({"latest_posts": []}))
    forum.on_request = lambda path: path == "/t/100.json" and forum.fail("*", *[FORBIDDEN] * 20)
    with pytest.raises(ForumUnavailable) as raised:
        sync(key=Key(user_api_key=USER_KEY))
    assert raised.value.details["reason"] == "key_refused"
    assert content(sync.folder) == before


def test_one_topic_that_makes_the_server_fail_does_not_stop_the_others(forum, sync):
    forum.fail("/t/101.json", *[page(500)] * 7)
    report = sync()
    assert (report.troubled, set(post_ids(sync.folder))) == (1, {*range(1, 48), 200})
    assert sync().troubled == 0
    assert {60, 61, 220} <= set(post_ids(sync.folder))


def test_a_server_that_fails_everywhere_ends_in_an_error_that_keeps_what_was_fetched(forum, sync):
    forum.on_request = lambda path: path == "/t/101.json" and forum.fail("*", *[page(502)] * 500)
    with pytest.raises(ForumUnavailable) as raised:
        sync()
    assert raised.value.details["reason"] == "failing"
    forum.on_request = lambda path: None
    forum.faults.clear()
    forum.asked.clear()
    sync()
    assert set(post_ids(sync.folder)) == {*range(1, 48), 60, 61, 200, 220}
    assert "/t/100.json" not in asked_paths(forum)


def test_bad_json_is_asked_for_again(forum, sync):
    whole = b'{"id": 101, "post_stream": {"posts": []}}'
    forum.fail("/t/101.json", Reply(200, whole[:20]), page(200), Reply(200, whole, {}, cut=20))
    assert sync().troubled == 0
    assert {60, 61, 220} <= set(post_ids(sync.folder))


def test_json_that_is_no_topic_leaves_the_topic_for_later(forum, sync):
    forum.fail("/t/101.json", reply({"id": 101}))
    assert sync().troubled == 1
    assert {60, 61, 220}.isdisjoint(post_ids(sync.folder))
    sync()
    assert {60, 61, 220} <= set(post_ids(sync.folder))


def test_a_topic_that_became_private_before_it_was_read_leaves_nothing(forum, sync):
    forum.on_request = lambda path: path == "/t/101.json" and forum.topics[101].update(visible=False, title="zzsecret")
    report = sync()
    assert report.imported.skipped["unlisted_topic"] == 3
    assert set(post_ids(sync.folder)) == {*range(1, 48), 200}
    assert "zzsecret" not in json.dumps(raw(sync.folder, 101))
