"""Encodes the passages that have no vector yet, the most useful posts first. What is encoded is kept at once.

A text that stands in several posts is encoded once. Passages of close lengths go together: a batch is padded to its
longest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..settings import Settings
from . import room
from .encoder import encoder_of
from .passages import IndexablePost, Passage, split
from .work import POSTS_AT_A_TIME, Work, indexable

WINDOW_BATCHES = 32  # batches sorted by length together
_PIECE = re.compile(r"\w+|[^\w\s]")


def encode_missing(work: Work, model: str, *, on_window: Callable[[int], None]) -> int:
    """Give every passage a vector of this model or, beside it, of the forum; the number that was encoded.

    `on_window` hears how many are encoded from time to time, while more are to come.
    """
    models, size = work.models, work.settings.embed_batch
    assert models.embed is not None and models.embed_name is not None
    missing = set(work.vectors.missing(model))
    if not missing:
        return 0
    embed = encoder_of(work.settings, models, work.vectors, work.check)
    meter = work.meter("encode", len(missing))
    done, gone = 0, 0.0
    for window, share in _windows(work, model, missing):
        texts = sorted(window.items(), key=lambda item: _size(item[1]))
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            rows = embed([text for _, text in batch], "passage")
            if not done:
                room.check_vectors(work, dimensions=rows.shape[1], missing=len(missing) + len(window))
            work.vectors.put(models.embed_name, [key for key, _ in batch], rows)
            done += len(batch)
            meter.at(done, share=gone + (share - gone) * min(1.0, (start + size) / len(texts)))
            work.check()
        gone = share
        if missing:
            on_window(done)
    return done


def _windows(work: Work, model: str, missing: set[bytes]) -> Iterator[tuple[dict[bytes, str], float]]:
    """Texts by their keys, which leave `missing`; with the share of all characters that has gone by, 0 to 1."""
    window: dict[bytes, str] = {}
    for passage, share in _by_usefulness(work, model):
        if passage.key in missing:
            missing.discard(passage.key)
            window[passage.key] = passage.text
            if len(window) == work.settings.embed_batch * WINDOW_BATCHES:
                yield window, share
                window = {}
    if window:
        yield window, 1.0


def _by_usefulness(work: Work, model: str) -> Iterator[tuple[Passage, float]]:
    """The passages of posts that lack a vector, with the share of those posts' characters that has gone by."""
    lacking = work.vectors.posts_missing(model)
    order = [(post_id, chars) for post_id, chars in work.store.by_usefulness() if post_id in lacking]
    total, gone = max(1, sum(chars for _, chars in order)), 0
    for start in range(0, len(order), POSTS_AT_A_TIME):
        part = order[start : start + POSTS_AT_A_TIME]
        posts = {post.id: post for post in indexable(work, [post_id for post_id, _ in part])}
        for post_id, chars in part:
            gone += chars
            for passage in passages(work.settings, [posts[post_id]]):
                yield passage, gone / total


def _size(text: str) -> int:
    """Grows with a text's tokens: an encoder of many languages makes 0.087 of them a character, 0.78 a word or sign.

    Batches of 12 sorted by it hold 0.91 of the tokens they are padded to; by characters alone 0.89.
    """
    return len(text) + 9 * len(_PIECE.findall(text))


def passages(settings: Settings, posts: Iterable[IndexablePost]) -> Iterator[Passage]:
    """The passages of those of these posts that are long enough to have a vector."""
    for post in posts:
        if post.useful_chars >= settings.min_dense_chars:
            yield from split(post, window_chars=settings.window_chars, overlap_chars=settings.window_overlap_chars)
