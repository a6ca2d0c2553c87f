"""Saved topics: what is public of them, and what a bad file costs."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from engine.discourse import read
from engine.sources import Flaw, Position, Post, Site, Skipped, SkipReason, TopicExtent
from engine.values import Category, Topic


def items(root, kind=object):
    source = read(root)
    assert source.kind == "topics"
    return [item for item in source.items if isinstance(item, kind)]


@pytest.fixture
def saved(save_json, make):
    """Save topics, with the two lists that an anonymous reader sees."""

    def save(*topics, categories=None, **files):
        lists = [make["category"](1), make["category"](4, 1)] if categories is None else categories
        names = {f"t/{topic['id']}.json": topic for topic in topics}
        return save_json(names | {"categories.json": {"category_list": {"categories": lists}}} | files)

    return save


def test_a_topic_its_posts_and_its_extent_come_in_that_order(saved, make):
    first = make["post"](1, name=None)
    second = make["post"](2, 2, reply_to_post_number=1, post_type=2)
    root = saved(make["topic"](100, [first, second], pinned=True))
    found = items(root)
    assert [type(item) for item in found] == [
        Site, Category, Category, Position, Topic, Post, Post, TopicExtent, Position,
    ]  # fmt: skip
    topic, one, two, extent = found[4:8]
    assert (topic.title, topic.tags, topic.views, topic.pinned, topic.expected_posts) == (
        "Sujet 100", ("rosier",), 7, True, 2,
    )  # fmt: skip
    assert topic.created_at == datetime(2024, 5, 6, 7, 8, 9, 500_000, tzinfo=UTC)
    assert (one.likes, one.display_name, one.username, one.parts.text) == (4, "", "alice", "Message 1")
    assert (two.reply_to, two.post_type) == (1, 2)
    assert extent == TopicExtent(100, frozenset([1, 2]))


def test_private_posts_are_counted_and_not_expected(saved, make):
    odd = {
        SkipReason.HIDDEN: {"hidden": True},
        SkipReason.USER_DELETED: {"user_deleted": True},
        SkipReason.DELETED_POST: {"deleted_at": "2024-01-01T00:00:00Z"},
        SkipReason.SMALL_ACTION: {"post_type": 3},
        SkipReason.WHISPER: {"post_type": 4},
        SkipReason.UNKNOWN_TYPE: {"post_type": None},
    }
    posts = [make["post"](n, n, **values) for n, values in enumerate(odd.values(), start=2)]
    posts.append(make["post"](20, 20, hidden=True, cooked_hidden=True))
    root = saved(make["topic"](100, [make["post"](1), *posts]))
    counts = Counter(item.reason for item in items(root, Skipped))
    assert counts == dict.fromkeys(odd, 1) | {SkipReason.HIDDEN: 2}
    assert [topic.expected_posts for topic in items(root, Topic)] == [1]
    assert items(root, TopicExtent)[0].post_ids == frozenset([1, *range(2, 8), 20])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"archetype": "private_message"}, SkipReason.PRIVATE_MESSAGE),
        ({"visible": False}, SkipReason.UNLISTED_TOPIC),
        ({"visible": None}, SkipReason.UNLISTED_TOPIC),
        ({"deleted_at": "2024-01-01T00:00:00Z"}, SkipReason.DELETED_TOPIC),
        ({"category_id": 9}, SkipReason.UNKNOWN_CATEGORY),
        ({"category_id": None}, SkipReason.UNKNOWN_CATEGORY),
    ],
)
def test_of_a_private_topic_only_skipped_posts_come_out(saved, make, values, reason):
    topic = make["topic"](100, [make["post"](1)], **values)
    topic["post_stream"]["stream"].append(2)
    found = items(saved(topic))
    assert [item for item in found if isinstance(item, Skipped)] == [
        Skipped(reason, None, 1),
        Skipped(reason, None, 2),
    ]
    assert not [item for item in found if isinstance(item, Topic | Post | TopicExtent)]


def test_without_any_list_a_topic_is_kept_outside_categories(save_json, make):
    root = save_json({"t/100.json": make["topic"](100, [make["post"](1)], category_id=9)})
    assert [topic.category_id for topic in items(root, Topic)] == [None]
    assert len(items(root, Post)) == 1


def test_the_lists_of_the_outer_folder_count_when_the_inner_one_is_chosen(saved, make):
    root = saved(make["topic"](100, [make["post"](1)], category_id=9))
    assert items(root / "t", Topic) == []


def test_categories_are_read_nested_or_flat_and_restricted_ones_hide_those_below(saved, make):
    nested = make["category"](1, subcategory_list=[make["category"](5), make["category"](6, read_restricted=True)])
    flat = [
        make["category"](7, 6),
        make["category"](8, 5),
        make["category"](9, 77),
        make["category"](10, "x"),
    ]
    shut = [
        make["category"](11),
        make["category"](11, read_restricted=True),
        make["category"](12, read_restricted=None),
    ]
    root = saved(
        *(make["topic"](100 + id, [make["post"](id, topic_id=100 + id)], category_id=id) for id in range(5, 13)),
        categories=[nested],
        **{"site.json": {"categories": flat + shut, "title": "Forum", "base_url": "https://forum.exemple/"}},
    )
    assert [(c.id, c.parent_id) for c in items(root, Category)] == [(1, None), (5, 1), (8, 5)]
    assert [topic.category_id for topic in items(root, Topic)] == [5, 8]
    assert items(root, Site) == [Site("Forum", "https://forum.exemple")]


def test_a_list_that_cannot_be_read_hides_everything(save_json, make):
    root = save_json({"t/100.json": make["topic"](100, [make["post"](1)]), "categories.json": "{"})
    assert items(root, Flaw) == [Flaw("bad_json", "categories.json:1")]
    assert items(root, Post) == []


def test_a_site_file_without_categories_is_no_list(save_json, make):
    root = save_json({"t/100.json": make["topic"](100, [make["post"](1)]), "site.json": {"title": "Forum"}})
    assert len(items(root, Post)) == 1


@pytest.mark.parametrize(
    ("content", "flaw"),
    [
        ('{"id": 1,\n\n"post_stream" }', Flaw("bad_json", "t/2.json:3")),
        ("", Flaw("bad_json", "t/2.json:1")),
        ("[" * 100_000, Flaw("bad_json", "t/2.json")),
        ("[1, 2]", Flaw("not_an_object", "t/2.json")),
        ('{"errors": ["introuvable"]}', Flaw("not_a_topic", "t/2.json")),
        ('{"id": ' + "9" * 5000 + "}", Flaw("bad_json", "t/2.json")),
        ('{"id": [' + "[]," * 5_100_000 + "[]]}", Flaw("file_too_large", "t/2.json")),
    ],
)
def test_a_bad_file_among_good_ones_is_told_and_passed_over(saved, make, content, flaw):
    good = [make["topic"](id, [make["post"](id, topic_id=id)]) for id in (1, 3)]
    root = saved(*good, **{"t/2.json": content})
    assert items(root, Flaw) == [flaw]
    assert [post.id for post in items(root, Post)] == [1, 3]
    assert items(root, Skipped) == [Skipped(SkipReason.UNREADABLE)]


@pytest.mark.parametrize(
    "values",
    [
        {"id": None}, {"id": "7"}, {"id": True}, {"id": 2**70}, {"post_number": 0}, {"created_at": "hier"},
        {"cooked": None}, {"topic_id": 999},
    ],
)  # fmt: skip
def test_a_post_that_lacks_what_it_needs_is_unreadable(saved, make, values):
    root = saved(make["topic"](100, [make["post"](1), make["post"](2, 2) | values]))
    assert [post.id for post in items(root, Post)] == [1]
    assert Skipped(SkipReason.UNREADABLE, 100) in items(root, Skipped)
    assert [flaw.code for flaw in items(root, Flaw)] == ["bad_post"]


def test_a_topic_without_a_date_is_unreadable(saved, make):
    root = saved(make["topic"](100, [make["post"](1)], created_at=None), make["topic"](101, []))
    assert items(root, Flaw) == [Flaw("bad_topic", "t/100.json")]
    assert [(topic.id, topic.expected_posts) for topic in items(root, Topic)] == [(101, 0)]


def test_posts_that_the_stream_announces_are_expected_though_not_saved(saved, make):
    topic = make["topic"](100, [make["post"](1)])
    topic["post_stream"]["stream"] = [1, 2, 3, "x"]
    root = saved(topic)
    assert items(root, Topic)[0].expected_posts == 3
    assert items(root, TopicExtent) == [TopicExtent(100, frozenset([1, 2, 3]))]


def test_the_accepted_answer_is_found_by_its_flag_or_its_number(saved, make):
    posts = [make["post"](1), make["post"](2, 2)]
    flagged = [make["post"](3, topic_id=101), make["post"](4, 2, 101, accepted_answer=True)]
    root = saved(make["topic"](100, posts, accepted_answer={"post_number": 2}), make["topic"](101, flagged))
    assert [topic.accepted_post_id for topic in items(root, Topic)] == [2, 4]


def test_tags_are_words_or_objects_with_a_name(saved, make):
    tags = ["rosier", {"id": 1, "name": "taille"}, {"id": 2}, 3, "rosier"]
    assert items(saved(make["topic"](100, [], tags=tags)), Topic)[0].tags == ("rosier", "taille")


def test_topics_come_in_the_order_of_their_numbers(saved, make):
    root = saved(*(make["topic"](id, []) for id in (100, 9, 20)))
    assert [topic.id for topic in items(root, Topic)] == [9, 20, 100]


def test_the_last_revision_is_told_when_there_was_one(saved, make):
    when = "2024-06-01T10:00:00.000Z"
    posts = [
        make["post"](1), make["post"](2, 2, version=2, updated_at=when), make["post"](3, 3, version=1, updated_at=when),
        make["post"](4, 4, version=2, updated_at="2025-01-01T00:00:00Z", last_version_at=when),
    ]  # fmt: skip
    found = items(saved(make["topic"](100, posts)), Post)
    assert [str(post.revised_at)[:10] for post in found] == ["None", "2024-06-01", "None", "2024-06-01"]
