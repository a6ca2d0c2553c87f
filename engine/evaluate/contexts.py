"""Configuration C: vectors of posts with their opening post and their parent inside the embedded text.

Measured, not shipped. The vectors are kept apart from the archive's own, under `evaluations/contexts` of its data
folder: made once, resumed after a stop, compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from ..index import encoding
from ..index.dense import unit
from ..index.encoder import encoder_of
from ..index.passages import SEPARATOR, Passage
from ..seams import Models, Vectors
from ..settings import Settings
from ..store import ArchiveStore, VectorStore
from ..values import OnProgress, PostId, Progress, Ranking

NAME = "contexts"
FOLDER = Path("evaluations") / "contexts"
OPENING_CHARS = 500  # as the upstream did
PARENT_CHARS = 400
SORTED_TOGETHER = 64  # batches of close lengths waste little padding


class ContextVectors:
    """The vectors (n, d) of all passages with their context, of norm 1, in memory."""

    def __init__(self, vectors: VectorStore, model: str) -> None:
        owners: list[PostId] = []
        rows: list[Vectors] = []
        for places, batch in vectors.passages_with_vectors(model):
            owners += [post_id for post_id, _ in places]
            rows.append(batch)
        self._owners, self._rows = owners, unit(np.concatenate(rows)) if rows else np.zeros((0, 0), np.float32)

    def rank(self, vector: Vectors, *, limit: int) -> Ranking:
        """Posts by the cosine of their closest passage to a (d,) float32 vector, best first, ties by post id."""
        best: dict[PostId, float] = {}
        if self._owners:
            for post_id, score in zip(self._owners, (self._rows @ vector).tolist(), strict=True):
                best[post_id] = max(score, best.get(post_id, -2.0))
        order = sorted(best, key=lambda post_id: (-best[post_id], post_id))[:limit]
        return Ranking(NAME, tuple(order), tuple(best[post_id] for post_id in order))


def passages(settings: Settings, store: ArchiveStore) -> Iterator[Passage]:
    """The archive's passages, each followed by the beginnings of its opening post and of the post that it answers."""
    opening, parents = _beginnings(store)
    for passage in encoding.passages(settings, store.indexable()):
        around = [opening.get(passage.post_id, ""), parents.get(passage.post_id, "")]
        context = "".join(SEPARATOR + text for text in around if text)
        yield Passage(passage.post_id, passage.n, passage.text + context)


def prepare(
    settings: Settings,
    models: Models,
    *,
    on_progress: OnProgress = lambda progress: None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Encode what is missing; what was encoded stays when `check` raises. The models have an encoder."""
    assert models.embed is not None and models.embed_name is not None
    store, vectors = ArchiveStore(settings.data), _open(settings)
    try:
        vectors.set_passages(passages(settings, store))
        missing, done = set(vectors.missing(models.embed_name)), 0
        total = len(missing)
        embed = encoder_of(settings, models, vectors, check)
        for window in _windows(passages(settings, store), missing, settings.embed_batch * SORTED_TOGETHER):
            items = sorted(window.items(), key=lambda item: len(item[1]))
            for start in range(0, len(items), settings.embed_batch):
                batch = items[start : start + settings.embed_batch]
                rows = embed([text for _, text in batch], "passage")
                vectors.put(models.embed_name, [key for key, _ in batch], rows)
                done += len(batch)
                on_progress(Progress("encode", done, total))
                check()
    finally:
        vectors.close()
        store.close()


def ready(settings: Settings, models: Models) -> bool:
    """Whether vectors were made for this archive with this encoder, to their end."""
    if models.embed_name is None or not (settings.data / FOLDER).is_dir():
        return False
    vectors = _open(settings)
    try:
        return vectors.count(models.embed_name) > 0 and not vectors.missing(models.embed_name)
    finally:
        vectors.close()


def load(settings: Settings, models: Models) -> ContextVectors:
    """The vectors that `prepare` made."""
    vectors = _open(settings)
    try:
        return ContextVectors(vectors, models.embed_name or "")
    finally:
        vectors.close()


def _open(settings: Settings) -> VectorStore:
    folder = settings.data / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return VectorStore(folder)


def _beginnings(store: ArchiveStore) -> tuple[Mapping[PostId, str], Mapping[PostId, str]]:
    """By post: the beginning of its topic's opening post, and of its parent; none for the opening post itself."""
    rows = store.rows("SELECT id, topic_id, post_number, reply_to, substr(text, 1, ?) FROM posts", (OPENING_CHARS,))
    text_at = {(topic_id, number): text for _, topic_id, number, _, text in rows}
    opening = {PostId(i): text_at.get((topic, 1), "") for i, topic, number, _, _ in rows if number != 1}
    parents = {
        PostId(i): text_at.get((topic, parent), "")[:PARENT_CHARS]
        for i, topic, _, parent, _ in rows
        if parent is not None and parent != 1  # the opening post is there already
    }
    return opening, parents


def _windows(found: Iterator[Passage], missing: set[bytes], size: int) -> Iterator[dict[bytes, str]]:
    window: dict[bytes, str] = {}
    for passage in found:
        if passage.key in missing:  # an identical text elsewhere was taken already otherwise
            missing.discard(passage.key)
            window[passage.key] = passage.text
            if len(window) >= size:
                yield window
                window = {}
    if window:
        yield window
