"""What is kept of the JSON of a live forum: the fields that an import reads, of what is public, and nothing else.

By allowlist: e-mail addresses, IP addresses, what the asking member may do or has done, avatars, reads, flags and
reviews are dropped because nobody names them here, and so is whatever a plugin or a newer Discourse may add. Of
something private only its id and the flags that make it private stay, so that an import counts it with its reason.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from ..sources import SkipReason
from . import visibility
from .json_post import reason_of
from .polls import votes_in
from .saved_json import Record, identifier, record_at, records_at, string

_LIKE = 2  # id of the "like" among Discourse's post actions
_POST_FLAGS = ("id", "topic_id", "post_number", "post_type", "hidden", "cooked_hidden", "user_deleted", "deleted_at")
_POST = (
    *_POST_FLAGS, "name", "username", "user_id", "cooked", "created_at", "updated_at", "reply_to_post_number",
    "accepted_answer", "like_count", "version", "last_version_at", "action_code", "wiki",
)  # fmt: skip
_TOPIC_FLAGS = ("id", "archetype", "visible", "deleted_at", "category_id")
_TOPIC = (
    *_TOPIC_FLAGS, "title", "slug", "created_at", "last_posted_at", "posts_count", "views", "like_count", "closed",
    "archived", "pinned", "pinned_globally",
)  # fmt: skip
_CATEGORY = (
    "id", "name", "slug", "color", "position", "description", "description_text", "read_restricted",
    "parent_category_id", "topic_count", "post_count",
)  # fmt: skip

Kept = dict[str, object]


def post(record: Record) -> Kept:
    """A post as it is kept: whole when it is public, its flags alone when it is not."""
    if reason_of(record) is not None:
        return _only(record, _POST_FLAGS)
    kept = _only(record, _POST)
    likes = [_only(action, ("id", "count")) for action in records_at(record, "actions_summary")]
    if votes := votes_in(record):  # not who voted
        kept["polls"] = [{"options": [{"id": option, "votes": count} for option, count in votes.items()]}]
    return kept | {"actions_summary": [action for action in likes if action.get("id") == _LIKE]}


def topic(
    record: Record, posts: Iterable[Record], announced: Iterable[int], *, public_tags: Container[str] | None
) -> Kept:
    """A public topic with these posts of it. `public_tags` None when every tag that was served is public."""
    kept = _only(record, _TOPIC)
    answer = _only(record_at(record, "accepted_answer"), ("post_number",))
    tags = record.get("tags")
    return kept | {
        "accepted_answer": answer or None,
        "tags": _tags(tags if isinstance(tags, list) else [], public_tags),
        "post_stream": {"stream": list(announced), "posts": [post(one) for one in posts]},
    }


def private_topic(record: Record, announced: Iterable[int]) -> Kept:
    """What stays of a topic that the rule of visibility refuses: no title and no text."""
    return _only(record, _TOPIC_FLAGS) | {"post_stream": {"stream": list(announced), "posts": []}}


def departed_topic(topic_id: int, announced: Iterable[int], *, when: str) -> Kept:
    """What stays of a topic that the forum does not show any more; an import removes the posts announced here."""
    flags = {"id": topic_id, "archetype": "regular", "visible": False, "deleted_at": when, "category_id": None}
    return flags | {"post_stream": {"stream": list(announced), "posts": []}}


def closed_topic(topic_id: int, category_id: int, announced: Iterable[int]) -> Kept:
    """What stays of a topic whose category is no longer public; an import counts its posts with that reason."""
    flags = {"id": topic_id, "archetype": "regular", "visible": True, "deleted_at": None, "category_id": category_id}
    return flags | {"post_stream": {"stream": list(announced), "posts": []}}


def topic_reason(record: Record, verdicts: visibility.Verdicts) -> SkipReason | None:
    """Why a topic that was served is private; None when it is public."""
    return visibility.topic_reason(
        archetype=record.get("archetype"),
        visible=record.get("visible"),
        deleted_at=record.get("deleted_at"),
        category_id=identifier(record, "category_id"),
        verdicts=verdicts,
    )


def categories(records: Iterable[Record]) -> list[Kept]:
    """Categories as they are kept, those nested below others too. Of a restricted one only that it is."""
    kept = []
    for record in records:
        open_ = visibility.is_false(record.get("read_restricted"))
        one = _only(record, _CATEGORY if open_ else ("id", "read_restricted", "parent_category_id"))
        below = records_at(record, "subcategory_list")
        kept.append(one | ({"subcategory_list": categories(below)} if below else {}))
    return kept


def _tags(tags: list[object], public: Container[str] | None) -> list[str]:
    """Names of the tags: strings, or objects with a name since Discourse 3.5."""
    names = [tag if isinstance(tag, str) else string(tag, "name") if isinstance(tag, Mapping) else "" for tag in tags]
    return [name for name in names if name and (public is None or name in public)]


def _only(record: Record, names: Iterable[str]) -> Kept:
    return {name: record[name] for name in names if name in record}
