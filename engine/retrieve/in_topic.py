"""Searching the posts of one topic for words, straight from the store: no index is needed, and none is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..index.french import Analyser, fold
from ..store.archive import ArchiveStore
from ..values import PostId, PostNumber
from .excerpt import excerpt


@dataclass(frozen=True, slots=True)
class TopicHit:
    """A post that holds all the words, with the piece of it that shows them."""

    number: PostNumber
    author: str
    created_at: datetime
    path: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class TopicSearch:
    """What was found: `total` posts, of which the first `hits`, in the topic's order; `terms` are what is marked."""

    total: int
    hits: tuple[TopicHit, ...]
    terms: frozenset[str]


def search_topic(
    store: ArchiveStore, topic_id: int, text: str, *, analyser: Analyser, limit: int = 100, author: str = ""
) -> TopicSearch:
    """The posts of a topic that hold every word of `text`, in their own text or their code; whole topics are read.

    Words agree as they do in the index. When nothing but function words is typed, the letters themselves are sought.
    """
    words, exact = frozenset(analyser.words(text)), frozenset(analyser.exact(text))
    letters = fold(text).strip() if not words and not exact else ""
    if not (words or exact or letters):
        return TopicSearch(0, (), words)

    def holds(said: str) -> bool:
        if letters:
            return letters in fold(said)
        return words.issubset(analyser.words(said)) and (not exact or exact.issubset(analyser.exact(said)))

    rows = store.rows(
        """SELECT id, text || char(10) || code FROM posts WHERE topic_id = ? AND (? = '' OR username = ?)
           ORDER BY post_number, id""",
        (topic_id, author, author),
    )
    found = [PostId(post_id) for post_id, said in rows if holds(said)]
    posts = store.posts(found[:limit])
    hits = tuple(
        TopicHit(
            post.post_number, post.display_name or post.username, post.created_at, post.path,
            excerpt(f"{post.text}\n{post.code}".strip(), words, analyser.words),
        )
        for post_id in found[:limit]
        if (post := posts.get(post_id)) is not None
    )  # fmt: skip
    return TopicSearch(len(found), hits, words)
