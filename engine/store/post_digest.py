"""What tells that a post of a source is not the one that is held: everything of it that the archive shows."""

from __future__ import annotations

import hashlib

from ..sources import Post


def digest(post: Post) -> bytes:
    """Sixteen bytes that change with anything that the archive shows of the post."""
    facts: tuple[object, ...] = (
        post.topic_id, post.post_number, post.username, post.display_name, post.post_type, post.reply_to, post.likes,
        post.cooked, post.parts.text,
    )  # fmt: skip
    if post.revised_at is not None:  # else the posts of older archives would all pass for changed
        facts += (int(post.revised_at.timestamp()),)
    return hashlib.blake2b(repr(facts).encode("utf-8", "replace"), digest_size=16).digest()
