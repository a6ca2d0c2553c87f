"""The small tables of a Discourse database, gathered from a dump: what posts need to be understood.

The allowlist below is all that is ever read of a dump. E-mail addresses, IP addresses, tokens, keys,
private correspondents and histories are not in it, and `raw` neither: `cooked` is what members read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..sources import Site, SkipReason
from ..values import Category, CategoryId, PostId, Topic, TopicId
from . import visibility
from .cooked import parse
from .copy_text import Row, text
from .plain_text import one_line

POSTS = {
    "posts": (
        *("id", "user_id", "topic_id", "post_number", "post_type", "hidden", "user_deleted", "deleted_at"),
        *("created_at", "updated_at", "reply_to_post_number", "like_count", "cooked"),
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
    "discourse_solved_solved_topics": ("topic_id", "answer_post_id"),
    "embedding_definitions": ("id", "display_name", "dimensions", "tokenizer_class", "embed_prompt", "search_prompt"),
    "ai_posts_embeddings": ("model_id",),
}
SITE_SETTINGS = (b"title", b"force_hostname")
TOPIC_FIELDS = (b"accepted_answer_post_id",)

REQUIRED = {
    "posts": frozenset(POSTS["posts"]) - {"updated_at", "reply_to_post_number", "like_count"},
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
            case "discourse_solved_solved_topics":
                self.accepted[number(fields[0])] = number(fields[1])
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
    """An integer of a row; ValueError when it is null or not one."""
    return int(field_)


def count(field_: bytes) -> int:
    """An integer of a row that may be null, then 0; it never decides anything."""
    return 0 if field_ == b"\\N" else int(field_)


def identifier(field_: bytes) -> int:
    """The id of something public: above 0 and within 64 bits."""
    value = int(field_)
    if not 0 < value <= _MAX_ID:
        raise ValueError(field_)
    return value


def moment(field_: bytes) -> datetime:
    """A time; Discourse stores them in UTC, without saying so."""
    return datetime.fromisoformat(field_.decode("ascii")).replace(tzinfo=UTC)


def _topic_reason(row: tuple[bytes, ...], verdicts: visibility.Verdicts) -> SkipReason | None:
    category = text(row[3])
    return visibility.topic_reason(
        archetype=text(row[4]),
        visible=text(row[5]),
        deleted_at=text(row[6]),
        category_id=int(category) if category is not None and category.isdecimal() else None,
        verdicts=verdicts,
    )
