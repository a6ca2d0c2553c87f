"""The whole sync: beside a backup, of the right forum only, one at a time, told as it goes."""

import json
import shutil
from contextlib import closing

import pytest

from engine import ForumUnavailable, OtherForum, StoreBusy, import_archive
from engine.discourse.api import Key
from engine.locks import SYNC_LOCK, locked, writing
from engine.sources import Site
from engine.store import ArchiveStore
from tests.discourse_server import API_KEY, FORBIDDEN, NOT_LOGGED_IN, FakeForum, Reply, page
from tests.engine.live.conftest import content, post_ids
from tests.factories import post, save, settings, topic


def backup(served, forum, folder, *, without=(), whole=True):
    """The forum's public posts, imported as from its backup."""
    items = [Site("Le petit forum", served.url), topic(100, category=None), topic(101, category=None)]
    for id, held in forum.posts.items():
        if held["topic_id"] in (100, 101) and id not in without:
            items.append(post(id, f"Message {id}", topic_id=held["topic_id"], number=held["post_number"]))
    save(folder, items, whole_forum=whole)


def topics_asked(forum):
    return [asked.path for asked in forum.asked if asked.path.startswith("/t/")]


def reason(call, **options):
    with pytest.raises(ForumUnavailable) as raised:
        call(**options)
    return raised.value.details["reason"]


def test_after_a_backup_only_what_is_new_is_fetched(forum, served, sync):
    backup(served, forum, sync.folder)
    forum.post(500, 100)
    forum.asked.clear()
    report = sync(sync_recheck_requests=0)
    assert topics_asked(forum) == ["/t/100.json", "/t/102.json"]  # 102 is in the overlap, and the backup lacks it
    assert {1, 47, 60, 200, 500} <= set(post_ids(sync.folder))
    assert report.imported.missing == 0


def test_after_a_backup_the_look_goes_round_what_it_brought(forum, served, sync):
    backup(served, forum, sync.folder)
    forum.delete(30)
    forum.edit(31, "corrigé")
    report = sync()
    assert report.imported.removed == 1
    assert 30 not in post_ids(sync.folder)
    assert (sync.folder / "raw" / "t" / "100.json").exists()


def test_after_a_source_with_gaps_every_post_is_looked_at(forum, served, sync):
    backup(served, forum, sync.folder, without=range(2, 40), whole=False)
    sync()
    assert set(post_ids(sync.folder)) == {*range(1, 48), 60, 61, 200, 220}


def test_an_archive_of_nobody_knows_which_forum_is_not_looked_at_again(forum, sync):
    save(sync.folder, [topic(700, category=None), post(7000, topic_id=700)], whole_forum=False)
    sync()
    assert 7000 in post_ids(sync.folder)
    assert "/t/700.json" not in topics_asked(forum)


def test_another_forum_is_refused_before_anything_is_asked(forum, sync):
    save(sync.folder, [Site("Un autre", "https://autre.exemple"), topic(1, category=None), post(11)])
    with pytest.raises(OtherForum):
        sync()
    assert forum.asked == []
    assert not list((sync.folder / "raw").glob("t/*"))


def test_another_forum_than_the_one_whose_raw_files_are_there_is_refused(forum, sync):
    sync()
    (sync.folder / "archive.db").unlink()
    save(sync.folder, [Site("Le même", None)])
    with closing(ArchiveStore(sync.folder)) as store:
        assert store.meta("base_url") == ""
    raw = sync.folder / "raw" / "sync.db"
    raw.write_bytes(raw.read_bytes().replace(b"http://127.0.0.1:", b"http://127.0.0.9:"))
    with pytest.raises(OtherForum):
        sync()


def test_a_lost_archive_is_made_again_from_the_raw_files(forum, sync):
    sync()
    before = content(sync.folder)
    for path in sync.folder.glob("archive.db*"):
        path.unlink()
    forum.asked.clear()
    sync(sync_recheck_requests=0)
    assert content(sync.folder) == before
    assert topics_asked(forum) == []


def test_lost_raw_files_are_fetched_again_by_the_look(forum, sync, tmp_path):
    sync()
    shutil.rmtree(sync.folder / "raw" / "t")
    sync()
    import_archive(settings(tmp_path / "again"), sync.folder / "raw")
    assert content(tmp_path / "again") == content(sync.folder)


def test_a_topic_that_an_old_backup_brings_back_goes_again(forum, served, sync):
    sync()
    forum.delete_topic(101)
    sync()
    save(sync.folder, [topic(101, category=None), post(60, topic_id=101)], whole_forum=False, source="vieux")
    assert 60 in post_ids(sync.folder)
    sync(sync_recheck_requests=0)
    assert 60 not in post_ids(sync.folder)


def test_one_sync_at_a_time_and_no_import_beside_another(forum, sync):
    with locked(settings(sync.folder), SYNC_LOCK, reason="sync"), pytest.raises(StoreBusy):
        sync()
    assert forum.asked == []
    with writing(settings(sync.folder)), pytest.raises(StoreBusy):
        sync()
    forum.asked.clear()
    sync()
    assert topics_asked(forum) == []
    assert 200 in post_ids(sync.folder)


def test_progress_tells_stage_rate_and_time_left(forum, sync):
    told = []
    sync(on_progress=told.append)
    forum.edit(30, "corrigé")
    sync(on_progress=told.append)
    stages = list(dict.fromkeys(progress.stage for progress in told))
    assert stages == ["sync_posts", "sync_topics", "import", "sync_recheck"]
    assert all(0 <= progress.done <= progress.total for progress in told)
    topics = [progress for progress in told if progress.stage == "sync_topics"]
    assert topics[1].rate > 0 and topics[1].left_s > 0
    assert topics[-1].done == topics[-1].total


def test_the_report_tells_what_the_sync_cost(forum, sync):
    forum.fail("/t/100.json", page(429, Retry_After="30"))
    report = sync()
    assert report.requests == len(forum.asked)
    assert report.waited_s == 30
    assert report.took_s > 30
    assert report.topics_read == 3


@pytest.mark.parametrize(
    ("answer", "key", "expected"),
    [
        (NOT_LOGGED_IN, None, "login_required"),
        (Reply(302, b"", {"Location": "/login"}), None, "login_required"),
        (FORBIDDEN, Key(api_key="zzwrong"), "key_refused"),
        (page(403, "Just a moment…"), None, "blocked"),
        (page(404), None, "not_discourse"),
        (page(200), None, "not_discourse"),
        (Reply(200, b'{"version": 1}'), None, "not_discourse"),
        (Reply(301, b"", {"Location": "https://www.forum.exemple/site.json"}), None, "redirected"),
        (page(429, Retry_After="90000"), None, "too_many"),
        (page(503), None, "failing"),
    ],
)
def test_why_a_forum_cannot_be_read_is_told(forum, sync, answer, key, expected):
    forum.fail("/site.json", *[answer] * 9)
    assert reason(sync, key=key) == expected
    assert post_ids(sync.folder) == []


def test_a_forum_for_members_only_needs_a_key(forum, sync):
    forum.login_required = True
    assert reason(sync) == "login_required"
    sync(key=Key(api_key=API_KEY))
    held = content(sync.folder)
    assert {row[0] for row in held["posts"]} == {*range(1, 48), 60, 61, 200, 220}
    assert held["topic_tags"] == []  # nobody can say which tags are not the team's own


class Subfolder(FakeForum):
    def answer(self, asked):
        assert asked.path.startswith("/forum/")
        asked.path = asked.path.removeprefix("/forum")
        return super().answer(asked)


def test_a_forum_in_a_folder_of_its_site_is_read_too(forum, served, sync, monkeypatch):
    forum.__class__ = Subfolder
    monkeypatch.setattr(served, "url", served.url + "/forum/")
    sync()
    with closing(ArchiveStore(sync.folder)) as store:
        assert store.meta("base_url") == served.url.rstrip("/")
    assert 200 in post_ids(sync.folder)


def test_the_lists_say_where_the_forum_is(forum, sync):
    sync()
    site = json.loads((sync.folder / "raw" / "site.json").read_bytes())
    assert site["title"] == "Le petit forum"
    assert {category["id"] for category in site["categories"]} == {1, 4}
