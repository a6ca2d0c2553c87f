"""Encodes the passages that have no vector yet, the most useful posts first. What is encoded is kept at once.

A text that stands in several posts is encoded once. Passages of close lengths go together: a batch is padded to its
longest. Where several processes encode, each claims what it takes (`company.py`), and the one that publishes waits for
the others and takes over what the dead among them left.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator

from ..settings import Settings
from . import room
from .company import Member
from .encoder import encoder_of
from .passages import IndexablePost, Passage, split
from .work import POSTS_AT_A_TIME, Work, indexable

WINDOW_BATCHES = 32  # batches sorted by length together
SHARES = 8  # where several encode, nobody claims more than this part of what is left, so that all end together
LOOK_S = 1.0  # between two looks at what others still encode
_PIECE = re.compile(r"\w+|[^\w\s]")


def encode_missing(work: Work, model: str, *, on_window: Callable[[int], None]) -> None:
    """Give every passage a vector of this model or, beside it, of the forum.

    `on_window` hears how many are encoded from time to time, while more are to come.
    """
    missing = set(work.vectors.missing(model))
    if not missing:
        return
    if work.member is not None:
        windows = _claimed(work, work.member, model, missing)
        _encode(work, windows, missing, on_window)
    else:
        _encode(work, _windows(work, model, missing), missing, on_window)


def encode_share(work: Work, model: str) -> int:
    """Encode with others, as a member, what is nobody's yet; how many that was. The publisher does the rest."""
    assert work.member is not None
    missing = set(work.vectors.missing(model))
    if not missing:
        return 0
    return _encode(work, _granted(work, work.member, model, missing), missing, lambda _: None)


def _encode(
    work: Work, windows: Iterable[tuple[dict[bytes, str], float]], missing: set[bytes], on_window: Callable[[int], None]
) -> int:
    """Encode and keep the texts of these windows; how many."""
    models, size, member = work.models, work.settings.embed_batch, work.member
    assert models.embed is not None and models.embed_name is not None
    embed = encoder_of(work.settings, models, work.vectors, work.check)
    meter = work.meter("encode", len(missing))
    holder = member.name if member is not None else None
    before = work.vectors.count(models.embed_name) if member is not None else 0
    own = others = 0
    gone = 0.0
    for window, share in windows:
        if member is not None:
            others = max(0, work.vectors.count(models.embed_name) - before - own)
            meter.at(own + others)
        texts = sorted(window.items(), key=lambda item: _size(item[1]))
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            rows = embed([text for _, text in batch], "passage")
            if not own:
                room.check_vectors(work, dimensions=rows.shape[1], missing=len(missing) + len(window))
            work.vectors.put(models.embed_name, [key for key, _ in batch], rows, holder=holder)
            own += len(batch)
            ahead = gone + (share - gone) * min(1.0, (start + size) / len(texts))
            meter.at(own + others, share=ahead if member is None else None)
            work.check()
        gone = share
        if missing or not window:
            on_window(own + others)
    return own


def _claimed(work: Work, member: Member, model: str, missing: set[bytes]) -> Iterator[tuple[dict[bytes, str], float]]:
    """What this process is granted, until nothing is missing; an empty window now and then while others are awaited."""
    name, idle = work.models.embed_name or "", 0
    while missing and idle < 2:  # whoever died after the first round has left something to a second one
        idle += 1
        for window, share in _granted(work, member, model, missing):
            idle = 0
            yield window, share
        while member.must_wait(name):
            idle = 0
            yield {}, 1.0
            _rest(work)
        missing |= work.vectors.missing(model)


def _granted(work: Work, member: Member, model: str, missing: set[bytes]) -> Iterator[tuple[dict[bytes, str], float]]:
    for window, share in _windows(work, model, missing):
        granted = member.claim(work.models.embed_name or "", window)
        if granted:
            yield {key: text for key, text in window.items() if key in granted}, share


def _rest(work: Work) -> None:
    ends = time.monotonic() + LOOK_S
    while time.monotonic() < ends:
        work.check()
        time.sleep(0.1)


def _windows(work: Work, model: str, missing: set[bytes]) -> Iterator[tuple[dict[bytes, str], float]]:
    """Texts by their keys, which leave `missing`; with the share of all characters that has gone by, 0 to 1."""
    window: dict[bytes, str] = {}
    full = _full(work, len(missing))
    for passage, share in _by_usefulness(work, model):
        if passage.key in missing:
            missing.discard(passage.key)
            window[passage.key] = passage.text
            if len(window) == full:
                yield window, share
                window, full = {}, _full(work, len(missing))
    if window:
        yield window, 1.0


def _full(work: Work, left: int) -> int:
    """How many texts make a window, when so many are left."""
    batch = work.settings.embed_batch
    if work.member is None:
        return batch * WINDOW_BATCHES
    return batch * max(1, min(WINDOW_BATCHES, left // (batch * SHARES)))


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
