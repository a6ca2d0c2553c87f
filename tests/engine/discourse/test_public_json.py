"""What is kept of live JSON: the fields an import reads, of what is public; checked on real JSON too."""

import json

import pytest

from engine.discourse import public_json
from engine.discourse.topic_json import read_topic
from engine.sources import Skipped, SkipReason

PRIVATE = {
    "email": "zz@exemple.invalid", "ip_address": "192.0.2.9", "registration_ip_address": "192.0.2.9", "yours": True,
    "can_edit": True, "can_delete": True, "read": True, "bookmarked": True, "avatar_template": "zz", "raw_email": "zz",
    "reviewable_id": 1, "notice": "zz", "polls": [{"preloaded_voters": ["zz"]}], "locked_at": None, "reads": 3,
}  # fmt: skip


def test_private_fields_of_a_post_are_dropped(make):
    actions = [{"id": 2, "count": 4, "acted": True, "can_undo": True}, {"id": 7, "count": 2, "can_act": True}]
    kept = public_json.post(make["post"](1) | PRIVATE | {"actions_summary": actions})
    assert not set(PRIVATE) & set(kept)
    assert kept["actions_summary"] == [{"id": 2, "count": 4}]
    assert "zz" not in json.dumps(kept)


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        ({"hidden": True}, SkipReason.HIDDEN), ({"cooked_hidden": True}, SkipReason.HIDDEN),
        ({"user_deleted": True}, SkipReason.USER_DELETED), ({"deleted_at": "2024-01-01"}, SkipReason.DELETED_POST),
        ({"post_type": 3}, SkipReason.SMALL_ACTION), ({"post_type": 4}, SkipReason.WHISPER),
        ({"post_type": 9}, SkipReason.UNKNOWN_TYPE), ({"hidden": None}, SkipReason.HIDDEN),
    ],
)  # fmt: skip
def test_of_a_private_post_only_what_makes_it_private_stays(make, flag, reason):
    kept = public_json.post(make["post"](1, cooked="zzsecret", username="zzsecret") | flag)
    assert "zzsecret" not in json.dumps(kept)
    record = make["topic"](100, [kept])
    skipped = [item for item in read_topic(record, where="", verdicts={1: None}) if isinstance(item, Skipped)]
    assert skipped == [Skipped(reason, 100, 1)]


def test_a_topic_keeps_what_an_import_reads(make):
    record = make["topic"](
        100, [make["post"](1)], accepted_answer={"post_number": 2, "username": "zz", "excerpt": "zz"}
    )
    record |= {"details": {"created_by": {"username": "zz"}}, "suggested_topics": ["zz"], "bookmarks": ["zz"]}
    kept = public_json.topic(record, [make["post"](1)], [1, 2], public_tags=None)
    assert kept["accepted_answer"] == {"post_number": 2}
    assert kept["post_stream"]["stream"] == [1, 2]
    assert "zz" not in json.dumps(kept)
    assert list(read_topic(kept, where="", verdicts=None)) == list(
        read_topic(record | {"post_stream": {"posts": [make["post"](1)], "stream": [1, 2]}}, where="", verdicts=None)
    )


def test_tags_that_only_the_team_sees_are_dropped(make):
    record = make["topic"](100, [], tags=["rosier", {"id": 1, "name": "taille"}, {"name": "zzsecret"}, 3])
    kept = public_json.topic(record, [], [], public_tags={"rosier", "taille"})
    assert kept["tags"] == ["rosier", "taille"]
    assert public_json.topic(record, [], [], public_tags=None)["tags"] == ["rosier", "taille", "zzsecret"]


@pytest.mark.parametrize(
    ("kept", "verdicts", "reason"),
    [
        (public_json.private_topic({"id": 5, "archetype": "private_message", "title": "zz"}, [1, 2]), {}, "private_message"),
        (public_json.departed_topic(5, [1, 2], when="2024-01-01T00:00:00+00:00"), {1: None}, "deleted_topic"),
        (public_json.closed_topic(5, 9, [1, 2]), {1: None}, "unknown_category"),
        (public_json.closed_topic(5, 2, [1, 2]), {2: SkipReason.RESTRICTED_CATEGORY}, "restricted_category"),
    ],
)  # fmt: skip
def test_what_stays_of_a_topic_that_is_not_public_tells_an_import_to_remove_it(kept, verdicts, reason):
    assert list(read_topic(kept, where="", verdicts=verdicts)) == [
        Skipped(SkipReason(reason), None, 1),
        Skipped(SkipReason(reason), None, 2),
    ]
    assert "zz" not in json.dumps(kept)


def test_of_a_restricted_category_only_that_it_is_stays(make):
    open_ = make["category"](
        1, subcategory_list=[make["category"](5, name="zz", read_restricted=True)], topic_template="zz"
    )
    kept = public_json.categories([open_, make["category"](2, name="zz", read_restricted=None)])
    assert [one["id"] for one in kept] == [1, 2]
    assert kept[0]["subcategory_list"] == [{"id": 5, "read_restricted": True, "parent_category_id": None}]
    assert "zz" not in json.dumps(kept)


@pytest.mark.shared
def test_real_topics_read_the_same_before_and_after(shared):
    for path in sorted((shared / "data" / "discourse-json" / "t").glob("*.json")):
        record = json.loads(path.read_bytes())
        stream = record["post_stream"]
        kept = public_json.topic(record, stream["posts"], stream["stream"], public_tags=None)
        kept = json.loads(json.dumps(kept))
        assert list(read_topic(kept, where="", verdicts=None)) == list(read_topic(record, where="", verdicts=None))
        assert len(json.dumps(kept)) < len(json.dumps(record))


@pytest.mark.shared
def test_real_posts_of_the_list_of_posts_are_kept_whole(shared):
    from engine.discourse.json_post import read_post, reason_of

    for path in sorted((shared / "data" / "discourse-json" / "posts").rglob("*.json")):
        record = json.loads(path.read_bytes())
        kept = public_json.post(record)
        assert reason_of(kept) == reason_of(record)
        if reason_of(record) is None:
            assert read_post(kept, record["topic_id"]) == read_post(record, record["topic_id"])
