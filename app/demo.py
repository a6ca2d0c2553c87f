"""Turns the readable sources of the demo forum into a Discourse backup, imported like any other.

Some of its topics are private on purpose: the demo also shows what the import leaves out.
"""

from __future__ import annotations

import gzip
import html
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from .cook import cook
from .resources import resource

FILE = "dump.sql.gz"
FOLDER = "demo-source"  # of the data folder, while the backup is being read
POSTS_A_TOPIC = 1000  # post id = topic id × 1000 + position; questions.yml relies on it

_HEAD = """--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

"""
_FOOT = """--
-- PostgreSQL database dump complete
--

"""
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"})

Value = str | int | bool | datetime | None
Row = Mapping[str, Value]


def build(folder: Path) -> Path:
    """Write the backup of the demo forum into a folder; the same bytes each time."""
    forum = _read_yaml(resource("assets", "demo", "forum.yml"))
    topics = [_topic(path, forum) for path in sorted(resource("assets", "demo", "topics").glob("*.yml"))]
    tables = {
        "categories": _categories(forum),
        "discourse_solved_solved_topics": _solved(topics),
        "posts": (post for topic in topics for post in _posts(topic)),
        "site_settings": _site_settings(forum, topics[0].created_at),
        "tags": ({"id": n, "name": name, "slug": name} for n, name in enumerate(forum["tags"], 1)),
        "topic_tags": _topic_tags(topics, forum["tags"]),
        "topics": (_topic_row(topic) for topic in topics),
        "users": (_user(user, topics[0].created_at) for user in forum["users"]),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    with path.open("wb") as file, gzip.GzipFile("dump.sql", "wb", fileobj=file, mtime=0) as zipped:
        zipped.write(_HEAD.encode())
        for name, rows in tables.items():  # in alphabetical order, like pg_dump
            zipped.write("".join(_copy(name, rows)).encode())
        zipped.write(_FOOT.encode())
    return path


@contextmanager
def backup(data: Path) -> Iterator[Path]:
    """The backup, for the time that it is read: it holds what is private in the forum.

    Always at the same place, so that importing it again is seen as the same source.
    """
    folder = data / FOLDER
    try:
        yield build(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def examples() -> tuple[str, tuple[str, ...]]:
    """Address of the demo forum, and questions that it answers well."""
    forum = _read_yaml(resource("assets", "demo", "forum.yml"))
    questions = _read_yaml(resource("assets", "demo", "examples.yml"))
    return str(forum["base_url"]), tuple(map(str, questions))


@dataclass(frozen=True, slots=True)
class _Topic:
    id: int
    slug: str
    category_id: int
    document: Mapping[str, Any]
    user_ids: Mapping[str, int]

    @property
    def posts(self) -> Sequence[Mapping[str, Any]]:
        return self.document["posts"]  # type: ignore[no-any-return]

    @property
    def created_at(self) -> datetime:
        return _moment(self.posts[0]["at"])


def _topic(path: Path, forum: Mapping[str, Any]) -> _Topic:
    document = _read_yaml(path)
    return _Topic(
        id=document["id"],
        slug=path.stem.partition("-")[2],
        category_id={c["slug"]: c["id"] for c in forum["categories"]}[document["category"]],
        document=document,
        user_ids={user["username"]: user["id"] for user in forum["users"]},
    )


def _categories(forum: Mapping[str, Any]) -> Iterator[Row]:
    for position, category in enumerate(forum["categories"]):
        yield {
            "id": category["id"], "name": category["name"], "color": category["color"],
            "slug": category["slug"], "text_color": "FFFFFF",
            "description": html.escape(category["description"], quote=False),
            "read_restricted": category["read_restricted"], '"position"': position,
            "parent_category_id": category["parent"],
        }  # fmt: skip


def _site_settings(forum: Mapping[str, Any], at: datetime) -> Iterator[Row]:
    facts = {
        "title": forum["title"],
        "force_hostname": forum["base_url"].removeprefix("https://"),
        "force_https": True,
        "default_locale": "fr",
    }
    for n, (name, value) in enumerate(facts.items(), 1):
        kind = 5 if isinstance(value, bool) else 1
        yield {"id": n, "name": name, "data_type": kind, "value": value, "created_at": at, "updated_at": at}


def _user(user: Mapping[str, Any], at: datetime) -> Row:
    name = user["username"]
    return {"id": user["id"], "username": name, "created_at": at, "updated_at": at, "name": user["name"],
            "username_lower": name.lower(), "active": True, "trust_level": 2}  # fmt: skip


def _topic_row(topic: _Topic) -> Row:
    document, posts = topic.document, topic.posts
    last = _moment(posts[-1]["at"])
    return {
        "id": topic.id, "title": document["title"], "last_posted_at": last, "created_at": topic.created_at,
        "updated_at": last, "views": document["views"],
        "posts_count": sum(post.get("type", 1) == 1 for post in posts),
        "user_id": topic.user_ids[posts[0]["by"]], "last_post_user_id": topic.user_ids[posts[-1]["by"]],
        "deleted_at": None, "highest_post_number": len(posts),
        "like_count": sum(post.get("likes", 0) for post in posts), "category_id": topic.category_id,
        "visible": True, "closed": document.get("closed", False), "archived": False, "bumped_at": last,
        "archetype": "regular", "pinned_at": topic.created_at if document.get("pinned") else None,
        "slug": topic.slug, "fancy_title": html.escape(document["title"], quote=False),
    }  # fmt: skip


def _topic_tags(topics: Iterable[_Topic], tags: Sequence[str]) -> Iterator[Row]:
    pairs = ((topic, tag) for topic in topics for tag in topic.document["tags"])
    for n, (topic, tag) in enumerate(pairs, 1):
        at = topic.created_at
        yield {"id": n, "topic_id": topic.id, "tag_id": tags.index(tag) + 1, "created_at": at,
               "updated_at": at}  # fmt: skip


def _solved(topics: Iterable[_Topic]) -> Iterator[Row]:
    solved = (
        (topic, position, post)
        for topic in topics
        for position, post in enumerate(topic.posts, 1)
        if post.get("accepted")
    )
    for n, (topic, position, post) in enumerate(solved, 1):
        at = _moment(post["at"])
        yield {"id": n, "topic_id": topic.id, "answer_post_id": _post_id(topic, position),
               "accepter_user_id": topic.user_ids[topic.posts[0]["by"]], "created_at": at,
               "updated_at": at}  # fmt: skip


def _posts(topic: _Topic) -> Iterator[Row]:
    for position, post in enumerate(topic.posts, 1):
        at, raw, kind = _moment(post["at"]), post["text"].rstrip("\n"), post.get("type", 1)
        yield {
            "id": _post_id(topic, position), "user_id": topic.user_ids[post["by"]], "topic_id": topic.id,
            "post_number": position, "raw": raw, "cooked": cook(raw, topic_id=topic.id), "created_at": at,
            "updated_at": at, "reply_to_post_number": post.get("reply_to"), "deleted_at": None,
            "like_count": post.get("likes", 0), "post_type": kind, "sort_order": position,
            "hidden": post.get("hidden", False), "user_deleted": False,
            "action_code": "closed.enabled" if kind == 3 else None,
        }  # fmt: skip


def _post_id(topic: _Topic, position: int) -> int:
    return topic.id * POSTS_A_TOPIC + position


def _copy(table: str, rows: Iterable[Row]) -> Iterator[str]:
    yield f"--\n-- Data for Name: {table}; Type: TABLE DATA; Schema: public; Owner: -\n--\n\n"
    headed = False
    for row in rows:
        if not headed:
            yield f"COPY public.{table} ({', '.join(row)}) FROM stdin;\n"
            headed = True
        yield "\t".join(map(_field, row.values())) + "\n"
    yield "\\.\n\n\n"


def _field(value: Value) -> str:
    match value:
        case None:
            return "\\N"
        case bool():
            return "t" if value else "f"
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S")
        case _:
            return str(value).translate(_ESCAPES)


def _moment(text: str | datetime) -> datetime:
    return text if isinstance(text, datetime) else datetime.fromisoformat(text)


def _read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))
