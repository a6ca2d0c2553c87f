"""One post as Discourse's JSON gives it, in /t/ID.json and in /posts.json alike."""

from __future__ import annotations

from datetime import datetime

from ..sources import Post, SkipReason
from ..values import PostId, PostNumber, TopicId
from . import visibility
from .cooked import MAX_HTML_BYTES, clean_html, parse
from .plain_text import one_line
from .polls import votes_in, with_votes
from .saved_json import Record, identifier, integer, moment, records_at, string

_LIKE = 2  # id of the "like" among Discourse's post actions


def reason_of(record: Record) -> SkipReason | None:
    """Why a post of a public topic is private; None when it is public."""
    return visibility.post_reason(
        post_type=record.get("post_type"),
        hidden=record.get("hidden"),
        user_deleted=record.get("user_deleted"),
        deleted_at=record.get("deleted_at"),
        cooked_hidden=record.get("cooked_hidden", False),
    )


def read_post(record: Record, topic_id: TopicId) -> Post | None:
    """A public post of that topic; None when the record lacks what a post needs, or is of another topic.

    `display_name` is "" when the member gave none. The caller has asked `reason_of` first.
    """
    id_ = identifier(record, "id")
    post_number = identifier(record, "post_number")
    created_at = moment(record, "created_at")
    cooked = record.get("cooked")
    if id_ is None or post_number is None or created_at is None or not isinstance(cooked, str) or is_too_long(record):
        return None
    if record.get("topic_id", topic_id) != topic_id:
        return None
    cooked = with_votes(clean_html(cooked), votes_in(record))
    reply_to = identifier(record, "reply_to_post_number")
    return Post(
        id=PostId(id_),
        topic_id=topic_id,
        post_number=PostNumber(post_number),
        username=one_line(string(record, "username")),
        display_name=one_line(string(record, "name")),
        user_id=integer(record, "user_id"),
        created_at=created_at,
        updated_at=moment(record, "updated_at") or created_at,
        cooked=cooked,
        parts=parse(cooked),
        post_type=integer(record, "post_type") or 1,
        reply_to=None if reply_to is None else PostNumber(reply_to),
        likes=_likes(record),
        revised_at=_revised_at(record),
    )


def is_too_long(record: Record) -> bool:
    """Whether the HTML of a post is more than any post holds."""
    return len(string(record, "cooked")) > MAX_HTML_BYTES


def _revised_at(record: Record) -> datetime | None:
    """When it was last edited for all to see: our exports say so, Discourse the last change of an edited post."""
    if (integer(record, "version") or 1) <= 1:
        return None
    return moment(record, "last_version_at") or moment(record, "updated_at")


def _likes(record: Record) -> int:
    for action in records_at(record, "actions_summary"):
        if action.get("id") == _LIKE:
            return max(integer(action, "count") or 0, 0)
    return max(integer(record, "like_count") or 0, 0)
