"""The index flow: the words of what changed are published first, then vectors as they come; what serves keeps serving.

Everything is resumable: what is already in vectors.db is never encoded again, an unchanged store is not indexed again,
and the generation before answers until the next one is whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from ..seams import Models
from ..settings import Settings, index_fingerprint
from ..sources import FORUM_MODEL, beside_forum_model
from ..store.archive import ArchiveStore
from ..store.vectors import VectorStore
from ..values import OnProgress
from . import generations, milvus_publishing, milvus_tidying, publishing, room
from .company import Member
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
    member: Member | None = None,
) -> Manifest:
    """Bring the published generation to the state of the store. Call with the writer lock held.

    `check` is called several times a second and may raise Cancelled; what was encoded stays. With a member, the one
    that publishes, other processes encode as well. Raises DiskFull before anything is written when the disk could not
    hold it all, PublisherReplaced.
    """
    check = check if member is None else member.fenced(check)
    work = Work(settings, store, vectors, models, on_progress, check, member)
    _sweep(work)
    manifest = _publish_words(work)
    if with_vectors:
        _bring_passages(work, manifest.store_state)  # with or without a model: what was removed leaves no vector
        manifest = _fill_vectors(work, manifest)
    _sweep(work)
    return manifest


def publish_anew(work: Work) -> Manifest | None:
    """A generation that shares nothing with those before it, and passages of the store alone; None without an index.

    For an erasure: what was patched would go on holding the old words and vectors. Its vectors are those of vectors.db:
    of texts that changed there are none until the next `build`. Call with the writer lock held.
    """
    state, maker, before = work.store.state(), _maker(work.settings), generations.read_manifest(work.settings)
    _bring_passages(work, state)
    if before is None:
        return None
    with generations.drafting(work.settings) as draft:
        changes = Changes(maker.changes(work, None).posts, None)
        manifest = maker.write_words(work, draft, changes, None, state)
        now = Digests.of(work.vectors.places(before.dense_model)) if before.dense_model is not None else None
        if before.dense_model is not None and now:
            manifest = maker.write_vectors(work, draft, manifest, before.dense_model, now, None)
        return _publish(work, draft, manifest)


@dataclass(frozen=True, slots=True)
class Maker:
    """What makes the parts of a generation: in its folder, or on an engine elsewhere."""

    changes: Callable[[Work, Manifest | None], Changes]
    write_words: Callable[[Work, Path, Changes, Manifest | None, str], Manifest]
    share_words: Callable[[Work, Path, Manifest], Manifest]
    keep_vectors: Callable[[Work, Path, Manifest, Manifest | None], Manifest]
    write_vectors: Callable[[Work, Path, Manifest, str, Digests, Manifest | None], Manifest]


HERE = Maker(
    publishing.changes, publishing.write_words, publishing.share_words, publishing.keep_vectors,
    publishing.write_vectors,
)  # fmt: skip
ELSEWHERE = Maker(
    milvus_publishing.changes, milvus_publishing.write_words, milvus_publishing.share_words,
    milvus_publishing.keep_vectors, milvus_publishing.write_vectors,
)  # fmt: skip


def _maker(settings: Settings) -> Maker:
    return HERE if settings.index_url is None else ELSEWHERE


def _publish(work: Work, draft: Path, manifest: Manifest) -> Manifest:
    model = manifest.dense_model
    manifest = replace(manifest, dense_probes="" if model is None else work.vectors.probes(model))
    with work.member.alone() if work.member is not None else nullcontext():
        generations.publish(work.settings, draft, manifest)
    _still(work)
    milvus_tidying.published(work.settings, manifest)
    return manifest


def _still(work: Work) -> None:
    """Raises PublisherReplaced when another process publishes now: what lies about is its own."""
    if work.member is not None:
        work.member.still()


def _sweep(work: Work) -> None:
    settings = work.settings
    _still(work)
    milvus_tidying.finish(settings)
    generations.sweep(settings)
    milvus_tidying.sweep(settings)


def _publish_words(work: Work) -> Manifest:
    """The keyword index of the store's state, with the vectors that were served and still hold."""
    settings, state, maker = work.settings, work.store.state(), _maker(work.settings)
    before = generations.read_manifest(settings)
    fits = before is not None and generations.words_fit(settings, before)
    if before is not None and fits and before.store_state == state:
        return before
    changes = maker.changes(work, before if fits else None)
    if changes.since is None and maker is HERE:
        room.check_words(work)
    with generations.drafting(settings) as draft:
        manifest = maker.write_words(work, draft, changes, before, state)
        if before is not None and before.dense_model is not None:
            _bring_passages(work, state, changes, before)
            manifest = maker.keep_vectors(work, draft, manifest, before)
        return _publish(work, draft, manifest)


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
    model = dense_model(work.settings, work.vectors, work.models)
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

        with work.member.calling(work.models.embed_name or "") if work.member is not None else nullcontext():
            encode_missing(work, model, on_window=on_window)
    return _publish_vectors(work, model, published)


def _publish_vectors(work: Work, model: str, before: Manifest) -> Manifest:
    with work.vectors.unmoved():  # other processes may be encoding
        return _write_vectors(work, model, before)


def _write_vectors(work: Work, model: str, before: Manifest) -> Manifest:
    settings, now = work.settings, Digests.of(work.vectors.places(model))
    served = before.dense_model == model and generations.vectors_fit(settings, before)
    if served and before.dense_state == now.state:
        return before
    maker = _maker(settings)
    with generations.drafting(settings) as draft:
        manifest = maker.share_words(work, draft, before)
        manifest = maker.write_vectors(work, draft, manifest, model, now, before)
        return _publish(work, draft, manifest)


def dense_model(settings: Settings, vectors: VectorStore, models: Models) -> str | None:
    """What names the vectors to index: the forum's own when it gave some, with ours beside them if they compare.

    Unless it is asked for, they are not used where no question could be compared with them.
    """
    own = models.embed_name if models.embed is not None else None
    at_hand = own is not None and FORUM_MODEL in models.reads
    unused = settings.forum_vectors == "ignore" or (settings.forum_vectors == "auto" and not at_hand)
    if unused or not vectors.count(FORUM_MODEL):
        return own
    return beside_forum_model(own) if own is not None and at_hand else FORUM_MODEL
