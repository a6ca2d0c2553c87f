"""The index flow: the words of what changed are published first, then vectors as they come; what serves keeps serving.

Everything is resumable: what is already in vectors.db is never encoded again, an unchanged store is not indexed again,
and the generation before answers until the next one is whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ..seams import Models
from ..settings import Settings, index_fingerprint
from ..sources import FORUM_MODEL, beside_forum_model
from ..store.archive import ArchiveStore
from ..store.vectors import VectorStore
from ..values import OnProgress
from . import generations, publishing, room
from .digests import Digests
from .encoding import encode_missing, passages
from .generations import Manifest
from .publishing import Changes
from .work import Work, indexable

FIRST_SHARE = 0.05  # of the passages; fewer vectors would leave most questions without their post
# Vectors are published when they have doubled, which costs twice the last build in all, or when they make but a patch.
BASE_S, PATCH_S = 30, 600  # seconds from one publication to the next, of each kind


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

    `check` is called several times a second and may raise Cancelled; what was encoded stays. Raises DiskFull before
    anything is written when the disk could not hold it all.
    """
    work = Work(settings, store, vectors, models, on_progress, check)
    generations.sweep(settings)
    manifest = _publish_words(work)
    if with_vectors:
        _bring_passages(work, manifest.store_state)  # with or without a model: what was removed leaves no vector
        manifest = _fill_vectors(work, manifest)
    generations.sweep(settings)
    return manifest


def _publish_words(work: Work) -> Manifest:
    """The keyword index of the store's state, with the vectors that were served and still hold."""
    settings, state = work.settings, work.store.state()
    before = generations.read_manifest(settings)
    fits = before is not None and generations.words_fit(settings, before)
    if before is not None and fits and before.store_state == state:
        return before
    changes = publishing.changes(work, before if fits else None)
    if changes.since is None:
        room.check_words(work)
    with generations.drafting(settings) as draft:
        manifest = publishing.write_words(work, draft, changes, before, state)
        if before is not None and before.dense_model is not None:
            _bring_passages(work, state, changes, before)
            manifest = publishing.keep_vectors(work, draft, manifest, before)
        generations.publish(settings, draft, manifest)
    return manifest


def _bring_passages(work: Work, state: str, changes: Changes | None = None, before: Manifest | None = None) -> None:
    """Make the passages those of the store's state; only those of changed posts where it is known which ones are."""
    name = _passages_name(state, index_fingerprint(work.settings))
    held = work.vectors.passages_of()
    if held == name:
        return
    since = changes.since if changes is not None else None
    if since is None or before is None or held != _passages_name(before.store_state, before.fingerprint):
        work.vectors.set_passages(passages(work.settings, work.store.indexable()), name=name)
    else:
        fresh = indexable(work, since.fresh.tolist())
        work.vectors.change_passages(since.outdated.tolist(), passages(work.settings, fresh), name=name)


def _passages_name(state: str, fingerprint: str) -> str:
    return f"{state}-{fingerprint}"


def _fill_vectors(work: Work, manifest: Manifest) -> Manifest:
    """Encode what has no vector yet and publish as coverage grows.

    Another model than the one served waits until it is whole: meanwhile the one before answers.
    """
    model = _dense_model(work.settings, work.vectors, work.models)
    if model is None:
        return manifest
    published = manifest
    if model != FORUM_MODEL:
        total = work.vectors.passage_count()
        held = work.vectors.held_passages(model)
        last = time.monotonic()

        def on_window(encoded: int) -> None:
            nonlocal published, last
            if published.dense_model not in (None, model) or held + encoded < FIRST_SHARE * total:
                return
            more = held + encoded - published.dense_vectors
            waited = time.monotonic() - last
            doubled = more >= published.dense_vectors and waited > BASE_S
            if doubled or (more < publishing.MOST_PATCHED and waited > PATCH_S):
                published = _publish_vectors(work, model, published)
                last = time.monotonic()

        encode_missing(work, model, on_window=on_window)
    return _publish_vectors(work, model, published)


def _publish_vectors(work: Work, model: str, before: Manifest) -> Manifest:
    settings, now = work.settings, Digests.of(work.vectors.places(model))
    served = before.dense_model == model and generations.vectors_fit(settings, before)
    if served and before.dense_state == now.state:
        return before
    with generations.drafting(settings) as draft:
        manifest = publishing.share_words(work, draft, before)
        manifest = publishing.write_vectors(work, draft, manifest, model, now, before)
        generations.publish(settings, draft, manifest)
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
