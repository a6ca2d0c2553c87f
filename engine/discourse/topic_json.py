"""Reads topics saved as Discourse's `/t/ID.json`, one file in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..sources import Flaw, Position, Post, Skipped, SkipReason, SourceItem, TopicExtent
from ..values import CategoryId, PostId, Topic, TopicId
from . import side_file, visibility
from .json_lists import read_lists
from .json_post import is_too_long, read_post, reason_of
from .plain_text import one_line
from .saved_json import (
    BadJsonError,
    Record,
    SavedFolder,
    identifier,
    identifiers,
    integer,
    load,
    moment,
    place,
    record_at,
    records_at,
    string,
)

FILES_BETWEEN_POSITIONS = 20


def is_topic(record: Record) -> bool:
    """Whether a JSON object is a topic with its posts."""
    return isinstance(record.get("post_stream"), dict)


def read_folder(folder: SavedFolder, files: Sequence[str], *, check: Callable[[], None]) -> Iterator[SourceItem]:
    """Site and public categories, then for each public topic: the Topic, its posts, its TopicExtent.

    A file that cannot be read is Skipped with a Flaw, and reading goes on. A post saved in two files comes
    out twice: the importer keeps the newest `updated_at`.
    """
    lists = read_lists(folder)
    yield from lists.flaws
    yield lists.site
    yield from lists.categories
    side = side_file.read(folder.root)
    yield from side.uploads
    yield from side.moved
    for done, name in enumerate(files):
        check()
        if done % FILES_BETWEEN_POSITIONS == 0:
            yield Position(done, len(files))
        try:
            record = load(folder.root / name)
        except BadJsonError as bad:
            yield Skipped(SkipReason.UNREADABLE)
            yield Flaw(bad.code, place(name, bad))
            continue
        if is_topic(record):
            loose = record.get("category_id") is None and identifier(record, "id") in side.uncategorised
            for item in read_topic(record, where=name, verdicts=None if loose else lists.verdicts):
                if isinstance(item, Topic) and item.expected_posts is not None:
                    item = replace(item, expected_posts=side.expected(item.id, item.expected_posts))
                yield item
        else:
            yield Skipped(SkipReason.UNREADABLE)
            yield Flaw("not_a_topic", name)
    yield Position(len(files), len(files))


def read_topic(record: Record, *, where: str, verdicts: visibility.Verdicts | None) -> Iterator[SourceItem]:
    """The Topic, its posts (public or Skipped) and its TopicExtent; of a private topic only Skipped.

    `verdicts` None when no list of categories is known: the topic then stands in no category.
    """
    id_ = identifier(record, "id")
    stream = record_at(record, "post_stream")
    posts = records_at(stream, "posts")
    announced = set(identifiers(stream, "stream")) | {post_id for post in posts if (post_id := identifier(post, "id"))}
    category_id = identifier(record, "category_id")
    reason = visibility.topic_reason(
        archetype=record.get("archetype"),
        visible=record.get("visible"),
        deleted_at=record.get("deleted_at"),
        category_id=category_id,
        verdicts=verdicts,
    )
    if reason is not None:
        yield from (Skipped(reason, None, PostId(post_id)) for post_id in sorted(announced))
        return
    created_at = moment(record, "created_at")
    if id_ is None or created_at is None:
        yield from (Skipped(SkipReason.UNREADABLE) for _ in announced)
        yield Flaw("bad_topic", where)
        return
    topic_id = TopicId(id_)
    items = list(_read_posts(posts, topic_id, where))
    skipped = sum(isinstance(item, Skipped) for item in items)
    yield Topic(
        id=topic_id,
        title=one_line(string(record, "title")),
        slug=one_line(string(record, "slug")) or "topic",  # Discourse's own word for an empty slug
        category_id=CategoryId(category_id) if category_id is not None and verdicts is not None else None,
        created_at=created_at,
        last_posted_at=moment(record, "last_posted_at") or created_at,
        tags=_tags(record),
        views=integer(record, "views") or 0,
        likes=integer(record, "like_count") or 0,
        closed=record.get("closed") is True,
        archived=record.get("archived") is True,
        pinned=record.get("pinned") is True or record.get("pinned_globally") is True,
        accepted_post_id=_accepted(record, posts),
        expected_posts=max(len(announced) - skipped, 0),
    )
    yield from items
    yield TopicExtent(topic_id, frozenset(map(PostId, announced)))


def _read_posts(posts: list[Record], topic_id: TopicId, where: str) -> Iterator[Post | Skipped | Flaw]:
    for index, record in enumerate(posts):
        post_id = identifier(record, "id")
        reason = reason_of(record)
        if reason is not None:
            yield Skipped(reason, topic_id, None if post_id is None else PostId(post_id))
            continue
        post = read_post(record, topic_id)
        if post is not None:
            yield post
        else:
            yield Skipped(SkipReason.UNREADABLE, topic_id)
            yield Flaw("post_too_long" if is_too_long(record) else "bad_post", f"{where}, post {post_id or index + 1}")


def _accepted(record: Record, posts: list[Record]) -> PostId | None:
    """The post marked as the solution, by its own flag or by the number that the topic gives."""
    number = integer(record_at(record, "accepted_answer"), "post_number")
    for post in posts:
        if post.get("accepted_answer") is True or (number is not None and post.get("post_number") == number):
            post_id = identifier(post, "id")
            return None if post_id is None else PostId(post_id)
    return None


def _tags(record: Record) -> tuple[str, ...]:
    """Names of the tags: strings, or objects with a name since Discourse 3.5."""
    tags = record.get("tags")
    if not isinstance(tags, list):
        return ()
    names = (tag if isinstance(tag, str) else string(tag, "name") if isinstance(tag, dict) else "" for tag in tags)
    return tuple(dict.fromkeys(filter(None, map(one_line, names))))
