"""The small tables of a Discourse database, gathered from a dump: what posts need to be understood.

The allowlist below is all that is ever read of a dump. E-mail addresses, IP addresses, tokens, keys,
private correspondents and histories are not in it, and `raw` neither: `cooked` is what members read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..sources import Site, SkipReason, Upload
from ..values import Category, CategoryId, PostId, Topic, TopicId
from . import visibility
from .cooked import parse
from .copy_text import NULL, Row, text
from .plain_text import one_line
from .polls import TABLES as POLLS
from .polls import Polls

POSTS = {
    "posts": (
        *("id", "user_id", "topic_id", "post_number", "post_type", "hidden", "user_deleted", "deleted_at"),
        *("created_at", "updated_at", "reply_to_post_number", "like_count", "cooked", "version", "last_version_at"),
    )
}
SMALL_TABLES = {
    "categories": (
        *("id", "name", "slug", "parent_category_id", "read_restricted", "color", "position", "description"),
    ),
    "topics": (
        *("id", "title", "slug", "category_id", "archetype", "visible", "deleted_at", "created_at"),
        *("last_posted_at", "views", "like_count", "closed", "archived", "pinned_at"),
    ),
    "users": ("id", "username", "name"),
    "tags": ("id", "name"),
    "topic_tags": ("topic_id", "tag_id"),
    "tag_group_memberships": ("tag_id", "tag_group_id"),
    "tag_group_permissions": ("tag_group_id", "group_id"),
    "site_settings": ("name", "value"),
    "topic_custom_fields": ("topic_id", "name", "value"),
    "post_custom_fields": ("post_id", "name", "value"),
    "discourse_solved_solved_topics": ("topic_id", "answer_post_id", "id"),
    "discourse_solved_topic_answers": ("solved_topic_id", "answer_post_id"),
    "moved_posts": ("old_topic_id", "old_post_number", "new_post_id"),
    "uploads": ("id", "url", "sha1", "original_filename", "filesize"),
    "optimized_images": ("upload_id", "url"),
    **POLLS,
    "embedding_definitions": ("id", "display_name", "dimensions", "tokenizer_class", "embed_prompt", "search_prompt"),
    "ai_posts_embeddings": ("model_id",),
}
SITE_SETTINGS = (b"title", b"force_hostname")
TOPIC_FIELDS = (b"accepted_answer_post_id",)
POST_FIELDS = (b"is_accepted_answer",)

REQUIRED = {
    "posts": frozenset(POSTS["posts"])
    - {"updated_at", "reply_to_post_number", "like_count", "version", "last_version_at"},
    "topics": frozenset(["id", "title", "category_id", "archetype", "visible", "deleted_at", "created_at"]),
    "categories": frozenset(["id", "name", "parent_category_id", "read_restricted"]),
    "users": frozenset(["id", "username"]),
}
"""Without these nothing of the table can be used; other missing columns are read as null."""

_EVERYONE = 0  # id of Discourse's group of all visitors
_MAX_ID = 2**63 - 1  # of SQLite; PostgreSQL's own bigint


@dataclass(slots=True)
class SmallTables:
    """All of a dump but its posts, raw from `add`; only the pass that fills it changes it."""

    settings: dict[bytes, str] = field(default_factory=dict)
    categories: dict[int, Category] = field(default_factory=dict)
    access: dict[int, visibility.CategoryFacts] = field(default_factory=dict)
    topics: dict[int, tuple[bytes, ...]] = field(default_factory=dict)
    users: dict[int, tuple[str, str]] = field(default_factory=dict)
    tags: dict[int, str] = field(default_factory=dict)
    topic_tags: dict[int, list[int]] = field(default_factory=dict)
    tag_groups: dict[int, list[int]] = field(default_factory=dict)
    group_readers: dict[int, set[int]] = field(default_factory=dict)
    accepted: dict[int, int] = field(default_factory=dict)
    accepted_posts: set[int] = field(default_factory=set)  # marked themselves, by the first versions of the plugin
    solved: dict[int, int] = field(default_factory=dict)  # topic by row of the plugin's table
    answers: dict[int, int] = field(default_factory=dict)  # post by row of that table, in a table of their own
    moved: list[tuple[int, int, int]] = field(default_factory=list)  # (topic, number, post) where posts once stood
    polls: Polls = field(default_factory=Polls)
    votes: dict[int, dict[str, int]] = field(default_factory=dict)  # by post, then by option of its polls
    uploads: dict[int, Upload] = field(default_factory=dict)
    copies: list[tuple[int, str]] = field(default_factory=list)  # (upload, url) of its smaller copies
    vector_models: dict[bytes, tuple[bytes, ...]] = field(default_factory=dict)
    vectors: Counter[bytes] = field(default_factory=Counter)  # by id of model

    def add(self, row: Row) -> None:
        """Take one row in; ValueError when a value is not what its column holds."""
        fields = row.fields
        match row.table:
            case "users":
                name = one_line(text(fields[2]) or "")
                self.users[number(fields[0])] = (one_line(text(fields[1]) or ""), name)
            case "topics":
                self.topics[identifier(fields[0])] = fields
            case "topic_tags":
                self.topic_tags.setdefault(number(fields[0]), []).append(number(fields[1]))
            case "tags":
                self.tags[number(fields[0])] = one_line(text(fields[1]) or "")
            case "categories":
                self._add_category(fields)
            case "tag_group_memberships":
                self.tag_groups.setdefault(number(fields[0]), []).append(number(fields[1]))
            case "tag_group_permissions":
                self.group_readers.setdefault(number(fields[0]), set()).add(number(fields[1]))
            case "site_settings" if fields[0] in SITE_SETTINGS:
                self.settings[fields[0]] = one_line(text(fields[1]) or "")
            case "topic_custom_fields" if fields[1] in TOPIC_FIELDS:
                self.accepted.setdefault(number(fields[0]), number(fields[2]))
            case "post_custom_fields" if fields[1] in POST_FIELDS and fields[2] in (b"true", b"t", b"1"):
                self.accepted_posts.add(number(fields[0]))
            case "discourse_solved_solved_topics":
                if fields[1] != NULL:
                    self.accepted[number(fields[0])] = number(fields[1])
                else:  # 2026: a topic may have several answers, in a table of their own
                    self.solved[number(fields[2])] = number(fields[0])
            case "discourse_solved_topic_answers":
                self.answers.setdefault(number(fields[0]), number(fields[1]))
            case "moved_posts" if NULL not in fields:
                self.moved.append((number(fields[0]), number(fields[1]), number(fields[2])))
            case "uploads":
                self._add_upload(fields)
            case "polls" | "poll_options" | "poll_votes":
                self.polls.add(row)
            case "optimized_images":
                self.copies.append((number(fields[0]), one_line(text(fields[1]) or "")))
            case "embedding_definitions":
                self.vector_models[fields[0]] = fields
            case "ai_posts_embeddings":
                self.vectors[fields[0]] += 1

    def site(self) -> Site:
        """Title and address of the forum, as far as its settings were changed from their defaults."""
        host = self.settings.get(b"force_hostname", "").strip("/ ")
        return Site(self.settings.get(b"title") or None, f"https://{host}" if host else None)

    def public_categories(self) -> Iterator[Category]:
        """The categories that every visitor may read."""
        verdicts = visibility.category_verdicts(self.access)
        return (category for id_, category in self.categories.items() if verdicts[id_] is None)

    def topic_verdicts(self) -> dict[int, SkipReason | None]:
        """Topic id → None when public, else the reason."""
        verdicts = visibility.category_verdicts(self.access)
        return {id_: _topic_reason(fields, verdicts) for id_, fields in self.topics.items()}

    def topic(self, topic_id: int) -> Topic:
        """A topic of the table as a value; ValueError when a value is not what its column holds."""
        row = self.topics[topic_id]
        created_at = moment(row[7])
        last_posted_at = text(row[8])
        accepted = self.accepted.get(topic_id)
        return Topic(
            id=TopicId(topic_id),
            title=one_line(text(row[1]) or ""),
            slug=one_line(text(row[2]) or "") or "topic",  # Discourse's own word for an empty slug
            category_id=CategoryId(number(row[3])),
            created_at=created_at,
            last_posted_at=moment(row[8]) if last_posted_at is not None else created_at,
            tags=self._public_tags(topic_id),
            views=count(row[9]),
            likes=count(row[10]),
            closed=row[11] == b"t",
            archived=row[12] == b"t",
            pinned=text(row[13]) is not None,
            accepted_post_id=PostId(accepted) if accepted is not None else None,
        )

    def settle(self, topic_of: Mapping[int, int]) -> None:
        """What several tables say together, once all are read. Of the ages of accepted answers the newest is right."""
        self.votes = self.polls.by_post()
        for row, post_id in self.answers.items():
            if row in self.solved:
                self.accepted[self.solved[row]] = post_id
        for post_id in sorted(self.accepted_posts):
            if post_id in topic_of:
                self.accepted.setdefault(topic_of[post_id], post_id)

    def known_uploads(self) -> Iterator[Upload]:
        """The files that the forum keeps, then their smaller copies; public or not."""
        yield from self.uploads.values()
        for upload_id, url in self.copies:
            if upload_id in self.uploads and url:
                yield Upload(url, original=self.uploads[upload_id].url)

    def _add_upload(self, fields: tuple[bytes, ...]) -> None:
        url = one_line(text(fields[1]) or "")
        if url:
            sha1, name = one_line(text(fields[2]) or "").lower(), one_line(text(fields[3]) or "")
            self.uploads[number(fields[0])] = Upload(url, sha1, name, count(fields[4]))

    def _add_category(self, fields: tuple[bytes, ...]) -> None:
        id_ = identifier(fields[0])
        parent = identifier(fields[3]) if text(fields[3]) is not None else None
        self.access[id_] = visibility.CategoryFacts(text(fields[4]), parent)
        self.categories[id_] = Category(
            id=CategoryId(id_),
            name=one_line(text(fields[1]) or ""),
            slug=one_line(text(fields[2]) or ""),
            parent_id=CategoryId(parent) if parent is not None else None,
            color=one_line(text(fields[5]) or ""),
            position=count(fields[6]),
            description=parse(text(fields[7]) or "").text,
        )

    def _public_tags(self, topic_id: int) -> tuple[str, ...]:
        """Names of a topic's tags, without those of a tag group that is not open to everyone."""
        names = []
        for tag_id in self.topic_tags.get(topic_id, ()):
            readers = [self.group_readers.get(group) for group in self.tag_groups.get(tag_id, ())]
            if tag_id in self.tags and all(groups is None or _EVERYONE in groups for groups in readers):
                names.append(self.tags[tag_id])
        return tuple(dict.fromkeys(names))


def number(field_: bytes) -> int:
    """An integer of a row, of 64 bits; ValueError when it is null or not one."""
    value = int(field_)
    if abs(value) > _MAX_ID:
        raise ValueError(field_[:20])
    return value


def count(field_: bytes) -> int:
    """An integer of a row that may be null, then 0; it never decides anything."""
    return 0 if field_ == b"\\N" else number(field_)


def identifier(field_: bytes) -> int:
    """The id of something public: above 0 and within 64 bits."""
    value = int(field_)
    if not 0 < value <= _MAX_ID:
        raise ValueError(field_)
    return value


def moment(field_: bytes) -> datetime:
    """A time; Discourse stores them in UTC, without saying so."""
    return datetime.fromisoformat(field_.decode("ascii")).replace(tzinfo=UTC)


def _category_id(field_: str | None) -> int | None:
    try:
        return int(field_) if field_ is not None else None
    except ValueError:
        return None


def _topic_reason(row: tuple[bytes, ...], verdicts: visibility.Verdicts) -> SkipReason | None:
    category = text(row[3])
    return visibility.topic_reason(
        archetype=text(row[4]),
        visible=text(row[5]),
        deleted_at=text(row[6]),
        category_id=_category_id(category),
        verdicts=verdicts,
    )
