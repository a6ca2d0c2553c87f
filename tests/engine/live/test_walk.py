"""New posts are found whatever an empty page or `before` means to the server."""

import pytest

from engine import ForumUnavailable
from engine.discourse.api import Key
from engine.live.walk import OVERLAP
from tests.discourse_server import API_KEY, FORBIDDEN, Reply, reply
from tests.engine.live.conftest import content, post_ids

EVERYTHING = {*range(1, 48), 60, 61, 200, 220}


def pages(forum):
    return [asked.query.get("before") for asked in forum.asked if asked.path == "/posts.json"]


@pytest.mark.parametrize("before", ["old", "middle", "new"])
def test_everything_is_found_past_empty_pages(forum, sync, before):
    forum.before = before
    sync()
    assert set(post_ids(sync.folder)) == EVERYTHING


@pytest.mark.parametrize("before", ["old", "middle", "new"])
@pytest.mark.parametrize("lonely", [52, 53, 98, 99, 100, 101, 102, 149, 150, 151])
def test_no_post_falls_between_two_pages(forum, sync, before, lonely):
    forum.before = before
    forum.posts = {id: post for id, post in forum.posts.items() if id in (220, 200)}
    for id in (1, lonely):
        forum.topic(1000 + id)
        forum.post(id, 1000 + id)
    sync()
    assert set(post_ids(sync.folder)) == {1, lonely, 200, 220}


def test_the_oldest_servers_show_an_empty_first_page_below_private_posts(forum, sync):
    forum.before = "old"
    for id in range(300, 400):
        forum.post(id, 112)
    forum.topics[101]["last_posted_at"] = "2024-12-01T00:00:00.000Z"
    sync()
    assert set(post_ids(sync.folder)) == EVERYTHING


def test_an_empty_forum_gives_an_empty_archive(forum, sync):
    forum.topics, forum.posts = {}, {}
    report = sync()
    assert (report.held, report.announced, report.imported.complete) == (0, 0, True)


def test_the_next_sync_walks_above_what_was_seen_only(forum, sync):
    sync()
    forum.asked.clear()
    forum.post(500, 101)
    forum.topic(105)
    forum.post(501, 105)
    sync(sync_recheck_requests=0)
    assert {500, 501} <= set(post_ids(sync.folder))
    asked = [asked.path for asked in forum.asked]
    assert asked[3:] == ["/posts.json", "/t/101.json", "/t/105.json"]
    assert pages(forum)[0] is None


def test_posts_that_become_public_a_moment_late_are_found_in_the_overlap(forum, sync):
    sync()
    forum.post(220 - OVERLAP + 1, 101)
    sync(sync_recheck_requests=0)
    assert 220 - OVERLAP + 1 in post_ids(sync.folder)


def test_a_key_shows_more_but_only_what_is_public_enters(forum, sync):
    sync(key=Key(api_key=API_KEY))
    held = content(sync.folder)
    assert {row[0] for row in held["posts"]} == EVERYTHING
    assert "zzsecret" not in repr(held)
    everything = b"".join(path.read_bytes() for path in (sync.folder / "raw").rglob("*") if path.is_file())
    assert b"zzsecret" not in everything and b"zzapikey" not in everything
    assert not any(asked.path in ("/t/110.json", "/t/111.json", "/t/113.json") for asked in forum.asked)


def test_a_big_forum_that_lists_few_categories_is_asked_about_the_others(forum, sync):
    forum.lists_categories = False
    for id in range(20, 25):
        forum.category(id, 1)
        forum.topic(300 + id, id)
        forum.post(300 + id, 300 + id)
    sync()
    assert {*EVERYTHING, *range(320, 325)} == set(post_ids(sync.folder))
    assert {row[0] for row in content(sync.folder)["categories"]} == {1, 4, *range(20, 25)}


def test_a_forum_set_up_anew_at_the_same_address_is_not_followed(forum, sync):
    forum.post(50_000, 101)
    sync()
    forum.posts = {id: post for id, post in forum.posts.items() if id < 300}
    with pytest.raises(ForumUnavailable) as raised:
        sync()
    assert raised.value.details["reason"] == "younger"
    assert 50_000 in post_ids(sync.folder)


def test_posts_without_a_category_send_to_their_topic(forum, sync):
    bare = [{**forum.posts[id], "topic_title": "Sujet"} for id in (1, 60, 200, 210)]
    forum.fail("/posts.json", reply({"latest_posts": bare}), *[reply({"latest_posts": []})] * 8)
    sync()
    assert set(post_ids(sync.folder)) == EVERYTHING  # 210 is in a restricted category


@pytest.mark.parametrize("answer", [FORBIDDEN, reply({"other": []}), Reply(301, b"", {"Location": "/"})])
def test_a_forum_that_does_not_list_its_posts_is_told(forum, sync, answer):
    forum.fail("/posts.json", answer)
    with pytest.raises(ForumUnavailable) as raised:
        sync()
    assert raised.value.details["reason"] == "blocked"
