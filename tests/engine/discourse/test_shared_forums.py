"""On the project's own data: the counts that its makers know, and no secret."""

import json
import subprocess
import sys
from collections import Counter

import pytest

from engine.discourse import read
from engine.sources import Flaw, Post, Skipped, SkipReason, TopicExtent
from engine.values import Topic

pytestmark = pytest.mark.shared

# The generator's reasons, in our words.
REASONS = {
    "child_of_restricted": SkipReason.RESTRICTED_CATEGORY,
    "restricted_category": SkipReason.RESTRICTED_CATEGORY,
    "pm_topic": SkipReason.PRIVATE_MESSAGE,
    "pm_whisper": SkipReason.PRIVATE_MESSAGE,
    **{
        reason.value: reason
        for reason in (
            SkipReason.DELETED_POST, SkipReason.DELETED_TOPIC, SkipReason.HIDDEN, SkipReason.SMALL_ACTION,
            SkipReason.UNLISTED_TOPIC, SkipReason.USER_DELETED, SkipReason.WHISPER,
        )
    },
}  # fmt: skip


def generate(shared, folder, *options):
    command = [
        sys.executable,
        str(shared / "tools" / "make_forum.py"),
        "--posts",
        "3000",
        "--out",
        str(folder),
    ]
    subprocess.run([*command, *options], check=True, capture_output=True)
    return json.loads((folder / "truth.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("dialect", ["new", "old"])
def test_a_generated_backup_gives_exactly_its_public_posts(shared, tmp_path, dialect):
    truth = generate(shared, tmp_path, "--dialect", dialect, "--tar")
    found = list(read(next(tmp_path.glob("*.tar.gz"))).items)
    assert sum(isinstance(item, Post) for item in found) == truth["expected_public_posts"]
    assert sum(isinstance(item, Topic) for item in found) == truth["expected_public_topics"]
    expected: Counter[SkipReason] = Counter()
    for reason, count in truth["counts"].items():
        if reason in REASONS:
            expected[REASONS[reason]] += count
    assert Counter(item.reason for item in found if isinstance(item, Skipped)) == expected
    assert not [item for item in found if isinstance(item, Flaw)]
    everything = repr(found)
    assert "zzsecret" not in everything
    assert truth["pii_must_never_be_imported"]["ip_prefix"] not in everything
    accepted = {item.accepted_post_id for item in found if isinstance(item, Topic)}
    assert {solved["post_id"] for solved in truth["solved"]} <= accepted


def test_generated_topics_give_the_same_posts_as_the_backup(shared, tmp_path):
    truth = generate(shared, tmp_path, "--format", "json")
    found = list(read(tmp_path).items)
    assert sum(isinstance(item, Post) for item in found) == truth["expected_public_posts"]
    assert "zzsecret" not in repr(found)


@pytest.mark.parametrize(("name", "topics", "posts"), [("discourse-json", 350, 4607), ("forum-fr", 48, 1327)])
def test_real_topics_are_read_whole(shared, name, topics, posts):
    found = list(read(shared / "data" / name).items)
    assert sum(isinstance(item, Topic) for item in found) == topics
    assert sum(isinstance(item, Post) for item in found) == posts
    assert sum(isinstance(item, TopicExtent) for item in found) == topics
    assert not [item for item in found if isinstance(item, Flaw)]


def test_real_saved_posts_are_read_once_each(shared):
    found = list(read(shared / "data" / "discourse-json" / "posts").items)
    posts = [item.id for item in found if isinstance(item, Post)]
    assert len(posts) == len(set(posts)) == 192  # of 195 distinct ones
    assert Counter(item.reason for item in found if isinstance(item, Skipped)) == {
        SkipReason.DUPLICATE: 5,
        SkipReason.USER_DELETED: 3,
    }
