"""Posts saved one a file: each once, the newest of its copies, their topics derived."""

from datetime import UTC, datetime

import pytest

from engine.discourse import read
from engine.sources import Flaw, Position, Post, Skipped, SkipReason
from engine.values import Topic


def items(root, kind=object):
    source = read(root)
    assert source.kind == "posts"
    return [item for item in source.items if isinstance(item, kind)]


@pytest.fixture
def saved(save_json, make):
    """Save posts under the names that discourse-archive gives."""

    def save(posts, **files):
        named = {
            f"posts/2024-05-May/{index:04}-{post['id']}-alice-sujet.json": {
                "topic_title": "Le sujet", "topic_slug": "le-sujet", "category_id": 1, "raw": "brut", **post,
            }
            for index, post in enumerate(posts)
        }  # fmt: skip
        return save_json(named | files)

    return save


def test_topics_are_derived_from_their_posts(saved, make):
    late = "2024-06-01T00:00:00.000Z"
    root = saved([
        make["post"](2, 2, created_at=late, updated_at=late, topic_title="Nouveau", topic_slug="nouveau"),
        make["post"](1),
    ])  # fmt: skip
    (topic,) = items(root, Topic)
    assert (topic.id, topic.title, topic.slug, topic.category_id) == (100, "Nouveau", "nouveau", None)
    assert topic.created_at == datetime(2024, 5, 6, 7, 8, 9, 500_000, tzinfo=UTC)
    assert topic.last_posted_at == datetime(2024, 6, 1, tzinfo=UTC)
    assert topic.expected_posts is None
    kinds = [type(item) for item in items(root) if isinstance(item, Topic | Post)]
    assert kinds == [Topic, Post, Post]


def test_of_several_copies_the_newest_is_kept_and_the_others_counted(saved, make):
    newest = make["post"](1, updated_at="2024-05-08T00:00:00.000Z", cooked="<p>Corrigé</p>")
    root = saved([make["post"](1), newest, make["post"](1), make["post"](2, 2)])
    assert [(post.id, post.parts.text) for post in items(root, Post)] == [(1, "Corrigé"), (2, "Message 2")]
    assert items(root, Skipped) == [Skipped(SkipReason.DUPLICATE)] * 2


def test_a_post_hidden_since_its_older_copy_is_private(saved, make):
    root = saved([make["post"](1), make["post"](1, updated_at="2024-05-08T00:00:00.000Z", hidden=True)])
    assert items(root, Post) == []
    assert Skipped(SkipReason.HIDDEN, None, 1) in items(root, Skipped)


def test_a_topic_that_only_private_posts_speak_of_does_not_come_out(saved, make):
    root = saved([make["post"](1), make["post"](2, 1, 200, post_type=4)])
    assert [topic.id for topic in items(root, Topic)] == [100]


def test_a_list_of_categories_beside_the_posts_counts(saved, make):
    root = saved(
        [make["post"](1), make["post"](2, 1, 200, category_id=9)],
        **{"site.json": {"categories": [make["category"](1)]}},
    )
    assert [topic.category_id for topic in items(root, Topic)] == [1]
    assert items(root, Skipped) == [Skipped(SkipReason.UNKNOWN_CATEGORY, None, 2)]


def test_bad_files_are_told_and_passed_over(saved, make):
    root = saved([make["post"](1)], **{"posts/a.json": "{\n\n", "posts/b.json": {"id": 4}, "posts/c.json": "3"})
    assert items(root, Flaw) == [
        Flaw("bad_json", "posts/a.json:3"),
        Flaw("not_a_post", "posts/b.json"),
        Flaw("not_an_object", "posts/c.json"),
    ]
    assert [post.id for post in items(root, Post)] == [1]


def test_a_post_without_its_number_is_unreadable(saved, make):
    root = saved([make["post"](1), make["post"](2, "deux")])
    assert [flaw.code for flaw in items(root, Flaw)] == ["bad_post"]
    assert Skipped(SkipReason.UNREADABLE) in items(root, Skipped)


def test_the_last_position_is_the_end(saved, make):
    positions = items(saved([make["post"](1)]), Position)
    assert positions[-1] == Position(2, 2)
