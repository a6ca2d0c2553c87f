"""Reads posts saved one a file, as the tool discourse-archive does (the schema of /posts.json)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..sources import Flaw, Position, Skipped, SkipReason, SourceItem
from ..values import CategoryId, PostId, Topic, TopicId
from . import visibility
from .json_lists import read_lists
from .json_post import is_too_long, read_post, reason_of
from .plain_text import one_line
from .saved_json import BadJsonError, Record, SavedFolder, identifier, load, moment, place, string

FILES_BETWEEN_POSITIONS = 200


@dataclass(slots=True)
class _TopicSeen:
    """What the posts of one topic say of it; the newest post is right about its title."""

    created_at: datetime
    last_posted_at: datetime
    told_at: datetime
    title: str
    slug: str
    category_id: int | None


def is_post(record: Record) -> bool:
    """Whether a JSON object is a single post that names its topic."""
    return "cooked" in record and "topic_id" in record and "post_number" in record


def read_folder(folder: SavedFolder, files: Sequence[str], *, check: Callable[[], None]) -> Iterator[SourceItem]:
    """Site, public categories, the topics that public posts speak of, then each post once.

    Of several files of one post (copies that a synchroniser made) the newest `updated_at` counts; the
    others are Skipped as DUPLICATE without the post's id, which is not itself left out. The files say
    nothing of a topic but its category: /posts.json lists posts of regular, visible topics only.
    """
    lists = read_lists(folder)
    total = 2 * len(files)
    # 1. Which file tells the newest of each post, and what the posts say of their topics.
    newest: dict[int, tuple[datetime, int]] = {}
    topics: dict[int, _TopicSeen] = {}
    unreadable: set[int] = set()
    for index, name in enumerate(files):
        check()
        if index % FILES_BETWEEN_POSITIONS == 0:
            yield Position(index, total)
        try:
            record = load(folder.root / name)
        except BadJsonError as bad:
            unreadable.add(index)
            yield Skipped(SkipReason.UNREADABLE)
            yield Flaw(bad.code, place(name, bad))
            continue
        updated_at = moment(record, "updated_at") or moment(record, "created_at")
        id_ = identifier(record, "id")
        if not is_post(record) or id_ is None or updated_at is None:
            unreadable.add(index)
            yield Skipped(SkipReason.UNREADABLE)
            yield Flaw("not_a_post", name)
            continue
        if id_ not in newest or updated_at > newest[id_][0]:
            newest[id_] = (updated_at, index)
        if _reason(record, lists.verdicts) is None:
            _note_topic(topics, record, updated_at)
    # 2. What is public of it.
    yield from lists.flaws
    yield lists.site
    yield from lists.categories
    for topic_id, seen in topics.items():
        yield _topic(topic_id, seen, listed=lists.verdicts is not None)
    # 3. The posts.
    for index, name in enumerate(files):
        check()
        if index % FILES_BETWEEN_POSITIONS == 0:
            yield Position(len(files) + index, total)
        if index not in unreadable:
            yield from _read_file(folder, name, index, newest, lists.verdicts)
    yield Position(total, total)


def _read_file(
    folder: SavedFolder,
    name: str,
    index: int,
    newest: dict[int, tuple[datetime, int]],
    verdicts: visibility.Verdicts | None,
) -> Iterator[SourceItem]:
    try:
        record = load(folder.root / name)
    except BadJsonError as bad:  # changed since the first pass
        yield Skipped(SkipReason.UNREADABLE)
        yield Flaw(bad.code, place(name, bad))
        return
    id_, topic_id = identifier(record, "id"), identifier(record, "topic_id")
    if id_ is None or newest.get(id_, (None, index))[1] != index:
        yield Skipped(SkipReason.DUPLICATE)
        return
    reason = _reason(record, verdicts)
    if reason is not None:
        yield Skipped(reason, None, PostId(id_))
        return
    post = read_post(record, TopicId(topic_id)) if topic_id is not None else None
    if post is not None:
        yield post
    else:
        yield Skipped(SkipReason.UNREADABLE)
        yield Flaw("post_too_long" if is_too_long(record) else "bad_post", name)


def _reason(record: Record, verdicts: visibility.Verdicts | None) -> SkipReason | None:
    if verdicts is not None:
        reason = visibility.category_reason(identifier(record, "category_id"), verdicts)
        if reason is not None:
            return reason
    return reason_of(record)


def _note_topic(topics: dict[int, _TopicSeen], record: Record, updated_at: datetime) -> None:
    topic_id = identifier(record, "topic_id")
    if topic_id is None:
        return
    created_at = moment(record, "created_at") or updated_at
    seen = topics.get(topic_id)
    if seen is None:
        topics[topic_id] = seen = _TopicSeen(created_at, created_at, updated_at, "", "", None)
    seen.created_at = min(seen.created_at, created_at)
    seen.last_posted_at = max(seen.last_posted_at, created_at)
    if updated_at >= seen.told_at:
        seen.told_at = updated_at
        seen.title = one_line(string(record, "topic_title")) or seen.title
        seen.slug = one_line(string(record, "topic_slug")) or seen.slug
        seen.category_id = identifier(record, "category_id") or seen.category_id


def _topic(topic_id: int, seen: _TopicSeen, *, listed: bool) -> Topic:
    return Topic(
        id=TopicId(topic_id),
        title=seen.title,
        slug=seen.slug or "topic",  # Discourse's own word for an empty slug
        category_id=CategoryId(seen.category_id) if listed and seen.category_id is not None else None,
        created_at=seen.created_at,
        last_posted_at=seen.last_posted_at,
    )
