"""Verification says what an archive lacks, topic by topic, and what it holds that it should not."""

from contextlib import closing

import pytest

from engine import import_archive, verifying
from engine.store import ArchiveStore
from tests.engine.discourse.conftest import category_json, forum, post_json, save_json, topic_json, write_dump  # noqa: F401
from tests.factories import settings


@pytest.fixture
def archive(forum, write_dump, tmp_path):  # noqa: F811
    """The settings of an archive, and the backup that it was made of."""
    chosen, path = settings(tmp_path / "data"), write_dump(forum.sql(), "tar")
    import_archive(chosen, path)
    return chosen, path


def change(chosen, sql):
    with closing(ArchiveStore(chosen.data)) as store:
        store.db.execute(sql)


def of(found, topic_id):
    (topic,) = [topic for topic in found.topics if topic.topic_id == topic_id]
    return topic


def test_an_archive_just_imported_is_whole(archive):
    found = verifying.verify(*archive)
    assert found.whole and found.kind == "dump" and found.flaws == ()
    assert [(t.topic_id, t.expected, t.held, t.missing) for t in found.topics] == [
        (100, 3, 3, 0), (101, 1, 1, 0), (116, 0, 0, 0),
    ]  # fmt: skip
    assert of(found, 100).title == "Sujet 100"
    assert dict(of(found, 100).skipped) == {
        "deleted_post": 1, "hidden": 1, "small_action": 1, "unknown_type": 1, "user_deleted": 1, "whisper": 1,
    }  # fmt: skip
    assert sum(found.skipped.values()) == 13 and "zzsecret" not in repr(found)


def test_a_post_that_is_not_held_is_missing(archive):
    change(archive[0], "DELETE FROM posts WHERE id = 2")
    found = verifying.verify(*archive)
    assert not found.whole and found.missing == 1
    assert (of(found, 100).missing, of(found, 100).held, of(found, 100).whole) == (1, 2, False)
    assert of(found, 101).whole


def test_an_edited_text_is_told_from_a_newer_and_from_a_damaged_one(archive, forum, write_dump):  # noqa: F811
    forum.tables["posts"][0] |= {"cooked": "<p>Autre chose</p>", "updated_at": "2025-01-01 00:00:00"}
    forum.tables["posts"][1] |= {"cooked": "<p>Plus ancien</p>", "updated_at": "2020-01-01 00:00:00"}
    change(archive[0], "UPDATE posts SET text = 'abîmé' WHERE id = 3")
    topic = of(verifying.verify(archive[0], write_dump(forum.sql(), "gzip")), 100)
    assert (topic.edited, topic.newer, topic.damaged, topic.missing) == (1, 1, 1, 0)


def test_a_held_post_that_became_private_is_told(archive, forum, write_dump):  # noqa: F811
    forum.tables["posts"][1]["hidden"] = True
    found = verifying.verify(archive[0], write_dump(forum.sql(), "gzip"))
    assert found.private == of(found, 100).private == 1 and not found.whole and found.missing == 0


def test_a_held_post_that_the_source_does_not_have_is_extra(archive, forum, write_dump):  # noqa: F811
    forum.tables["posts"] = [row for row in forum.tables["posts"] if row["id"] != 3]
    found = verifying.verify(archive[0], write_dump(forum.sql(), "gzip"))
    assert of(found, 100).extra == 1 and found.whole


def test_what_a_saved_topic_announces_and_does_not_show_is_missing(save_json, tmp_path):  # noqa: F811
    topic = topic_json(100, [post_json(1), post_json(2, 2), post_json(3, 3, hidden=True)])
    topic["post_stream"]["stream"] += [7, 8]
    folder = save_json({"t/100.json": topic, "site.json": {"categories": [category_json(1)]}})
    chosen = settings(tmp_path / "data")
    import_archive(chosen, folder)
    found = verifying.verify(chosen, folder)
    assert [(t.expected, t.held, t.missing, dict(t.skipped)) for t in found.topics] == [(4, 2, 2, {"hidden": 1})]
    ledger = verifying.verify_ledger(chosen)
    assert [(t.expected, t.held, t.missing) for t in ledger.topics] == [(4, 2, 2)] and not ledger.whole


def test_a_post_saved_twice_is_missing_once(save_json, tmp_path):  # noqa: F811
    files = {f"posts/{n}.json": post_json(1, updated_at=f"2024-05-0{n}T00:00:00Z") for n in (7, 8)}
    found = verifying.verify(settings(tmp_path / "data"), save_json(files))
    assert found.missing == 1 and of(found, 100).expected == 1


def test_the_ledger_counts_what_is_held_now(archive):
    assert verifying.verify_ledger(archive[0]).whole
    change(archive[0], "DELETE FROM posts WHERE id = 2")
    found = verifying.verify_ledger(archive[0])
    assert (found.missing, of(found, 100).missing, found.source) == (1, 1, "")
