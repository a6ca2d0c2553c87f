"""The index flow: keyword generation first and published at once, then vectors, then both together.

Everything is resumable: what is already in vectors.db is never encoded again, an unchanged store is not re-indexed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ..seams import Models
from ..settings import Settings, index_fingerprint
from ..sources import FORUM_MODEL, beside_forum_model
from ..store.archive import ArchiveStore
from ..store.vectors import VectorStore
from ..values import OnProgress, Progress
from . import generations
from .generations import Manifest
from .passages import Passage, split

WINDOW_BATCHES = 16  # batches sorted by length together: close lengths waste little padding


class _Meter:
    """Turns counts into progress reports, a few a second."""

    def __init__(self, stage: str, total: int, report: OnProgress, check: Callable[[], None]) -> None:
        self.stage, self.total, self.report, self.check = stage, total, report, check
        self.started = self.last = time.monotonic()
        report(Progress(stage, 0, total))

    def at(self, done: int) -> None:
        now = time.monotonic()
        if now - self.last < 0.2 and done < self.total:
            return
        self.last = now
        self.check()
        elapsed = now - self.started
        rate = done / elapsed if elapsed > 0 else 0.0
        left = (self.total - done) / rate if rate else None
        self.report(Progress(self.stage, done, self.total, rate=rate, left_s=left))


def build(
    settings: Settings,
    store: ArchiveStore,
    vectors: VectorStore,
    models: Models,
    *,
    with_vectors: bool,
    on_progress: OnProgress,
    check: Callable[[], None],
) -> Manifest:
    """Bring the published generation to the state of the store. Call with the writer lock held.

    `check` is called several times a second and may raise Cancelled; what was encoded stays.
    """
    generations.sweep(settings)
    state = store.state()
    manifest = generations.read_manifest(settings)
    if manifest is None or not _fresh(manifest, settings, state):
        meter = _Meter("lexical", store.counts()[0], on_progress, check)
        manifest = generations.build_lexical(settings, store, state, on_post=meter.at)
    if not with_vectors:
        return manifest
    vectors.set_passages(_passages(settings, store))  # with or without a model: what was removed leaves no vector
    model = _dense_model(settings, vectors, models)  # vectors of what has changed are gone
    if model is None:
        return manifest
    encoded = (
        0 if model == FORUM_MODEL else _encode_missing(settings, store, vectors, models, model, on_progress, check)
    )
    held = vectors.held_passages(model)
    same = manifest.dense_model == model and manifest.dense_vectors == held
    if same and not encoded and manifest.store_state == state:
        return manifest
    meter = _Meter("dense", held, on_progress, check)
    manifest = generations.build_dense(settings, vectors, model, manifest, on_vector=meter.at)
    generations.sweep(settings)
    return manifest


def _dense_model(settings: Settings, vectors: VectorStore, models: Models) -> str | None:
    """What names the vectors to index: the forum's own when it gave some, with ours beside them if they compare.

    Unless it is asked for, they are not used where no question could be compared with them.
    """
    own = models.embed_name if models.embed is not None else None
    at_hand = own is not None and FORUM_MODEL in models.reads
    unused = settings.forum_vectors == "ignore" or (settings.forum_vectors == "auto" and not at_hand)
    if unused or not vectors.count(FORUM_MODEL):
        return own
    return beside_forum_model(own) if own is not None and at_hand else FORUM_MODEL


def _fresh(manifest: Manifest, settings: Settings, state: str) -> bool:
    if manifest.store_state != state or manifest.fingerprint != index_fingerprint(settings):
        return False
    return manifest.versions == generations.versions() and generations.is_whole(settings, manifest)


def _passages(settings: Settings, store: ArchiveStore) -> Iterator[Passage]:
    for post in store.indexable():
        if post.useful_chars >= settings.min_dense_chars:
            yield from split(post, window_chars=settings.window_chars, overlap_chars=settings.window_overlap_chars)


def _encode_missing(
    settings: Settings,
    store: ArchiveStore,
    vectors: VectorStore,
    models: Models,
    model: str,
    on_progress: OnProgress,
    check: Callable[[], None],
) -> int:
    assert models.embed is not None and models.embed_name is not None
    missing = set(vectors.missing(model))
    if not missing:
        return 0
    meter = _Meter("encode", len(missing), on_progress, check)
    total, done = len(missing), 0
    window: dict[bytes, str] = {}

    def encode_window() -> None:
        nonlocal done
        items = sorted(window.items(), key=lambda item: len(item[1]))
        for start in range(0, len(items), settings.embed_batch):
            batch = items[start : start + settings.embed_batch]
            rows = models.embed([text for _, text in batch], "passage")  # type: ignore[misc]
            vectors.put(models.embed_name, [key for key, _ in batch], rows)  # type: ignore[arg-type]
            done += len(batch)
            meter.at(done)
            check()
        window.clear()

    for passage in _passages(settings, store):
        key = passage.key
        if key in missing:  # an identical text elsewhere was taken already otherwise
            missing.discard(key)
            window[key] = passage.text
            if len(window) >= settings.embed_batch * WINDOW_BATCHES:
                encode_window()
    encode_window()
    return total
