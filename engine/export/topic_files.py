"""The archive as the JSON that a Discourse serves: `site.json`, `categories.json`, `t/ID.json`, and a side file.

Exactly what `discourse/topic_json.py` and `json_lists.py` read, so that importing the folder gives the same archive.
What Discourse's JSON has no place for stands in the side file (`discourse/side_file.py` says what).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path

from ..discourse import side_file
from ..store import ArchiveStore, exporting
from ..store.exporting import StoredPost
from ..values import Category, Topic
from . import carried
from .files import Files
from .walk import Walk

_LIKE = 2  # id of the "like" among Discourse's post actions
Record = dict[str, object]


def write(folder: Path, store: ArchiveStore, walk: Walk, files: Files) -> None:
    """Every file of the export. One post is in memory at a time."""
    categories = store.categories()
    _save(folder / "site.json", {"title": carried.line(store.meta("title")), "base_url": store.meta("base_url")})
    if categories:  # a list without categories would make all topics private
        listed = [_category(one, categories) for one in categories]
        _save(folder / "categories.json", {"category_list": {"categories": listed}})
    announced = exporting.announced(store)
    uncategorised: list[int] = []
    topic_count = 0
    (folder / "t").mkdir()
    for topic in walk.topics():
        topic_count += 1
        if topic.category_id is None and categories:
            uncategorised.append(topic.id)
        with (folder / "t" / f"{topic.id}.json").open("w", encoding="utf-8", newline="\n") as file:
            _write_topic(file, topic, walk.posts(topic))
    _save(
        folder / side_file.NAME,
        {
            side_file.MARK: side_file.VERSION,
            "exported_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "topics": topic_count,
            "posts": walk.done,
            "uncategorised": uncategorised,
            "announced": {str(topic_id): count for topic_id, count in announced.items()},
            "moved": exporting.moved(store),
            "uploads": [side_file.written(upload) for upload in files.write_all(walk.check)],
        },
    )


def _write_topic(file: TextIOWrapper, topic: Topic, posts: Iterator[StoredPost]) -> None:
    """A topic with its posts as they come: the longest one known would take 60 MB at once."""
    stream: list[int] = []
    last = 0
    accepted: int | None = None  # its number, unless another post has the same one
    file.write('{"post_stream":{"posts":[')
    for post in posts:
        is_answer = post.id == topic.accepted_post_id
        if is_answer:
            accepted = post.number if post.number != last else None
        elif post.number == accepted:
            accepted = None
        file.write((",\n" if stream else "\n") + _dump(_post(post, topic, accepted=is_answer)))
        stream.append(post.id)
        last = max(last, post.number)
    file.write(f'\n],"stream":{_dump(stream)}}},\n')
    rest = _dump(_topic(topic, posts=len(stream), last=last, accepted=accepted))
    file.write(rest.removeprefix("{") + "\n")


def _topic(topic: Topic, *, posts: int, last: int, accepted: int | None) -> Record:
    return {
        "id": topic.id, "title": carried.line(topic.title), "slug": carried.line(topic.slug),
        "category_id": topic.category_id, "created_at": _moment(topic.created_at),
        "last_posted_at": _moment(topic.last_posted_at), "tags": [carried.line(tag) for tag in topic.tags],
        "views": topic.views, "like_count": topic.likes, "posts_count": posts, "highest_post_number": last,
        "closed": topic.closed, "archived": topic.archived, "pinned": topic.pinned, "pinned_globally": False,
        "archetype": "regular", "visible": True, "deleted_at": None,
        "accepted_answer": None if accepted is None else {"post_number": accepted},
    }  # fmt: skip


def _post(post: StoredPost, topic: Topic, *, accepted: bool) -> Record:
    return {
        "id": post.id, "topic_id": post.topic_id, "topic_slug": topic.slug, "post_number": post.number,
        "post_type": post.post_type, "name": carried.line(post.display_name), "username": carried.line(post.username),
        "user_id": post.user_id, "created_at": _moment(post.created_at), "updated_at": _moment(post.updated_at),
        "reply_to_post_number": post.reply_to,
        "version": 1 if post.revised_at is None else 2,
        "last_version_at": None if post.revised_at is None else _moment(post.revised_at),
        "cooked": post.cooked, "accepted_answer": accepted,
        "actions_summary": [{"id": _LIKE, "count": post.likes}] if post.likes else [],
        "hidden": False, "user_deleted": False, "deleted_at": None,
    }  # fmt: skip


def _category(category: Category, among: tuple[Category, ...]) -> Record:
    below = [one.id for one in among if one.parent_id == category.id]
    html = carried.description(category.description)
    return {
        "id": category.id, "name": carried.line(category.name), "slug": carried.line(category.slug),
        "color": carried.line(category.color), "position": category.position, "description": html,
        "parent_category_id": category.parent_id, "subcategory_ids": below, "read_restricted": False,
    }  # fmt: skip


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _save(path: Path, record: Record) -> None:
    path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
