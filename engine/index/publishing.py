"""Makes a generation out of the store and of the one before it: words anew or changed, vectors anew or patched.

What was built whole is shared with the generation before (hard links for words, a reference for vectors) and never
changed in place; what differs since is written again each time, from the store. Once that grows, all is built anew.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ..settings import Settings, index_fingerprint
from ..store.vectors import PLACES_A_POST
from . import chroma, generations, lexical
from .dense import Patch
from .digests import Difference, Digests, Ids
from .french import analyser
from .generations import BASE, PATCH, PLACES, POSTS, WORDS, Manifest, folder_of
from .work import Work, indexable

SMALL = 2_000  # posts or vectors; up to here building anew takes seconds
MOST_CHANGED = 0.1  # share of the posts that may have changed since the keyword index was built whole
MOST_PATCHED = 10_000  # vectors scored beside the base at each question: a few milliseconds


@dataclass(frozen=True, slots=True)
class Changes:
    """The posts of the store now, and what differs from the words of a generation; None when all must be built."""

    posts: Digests
    since: Difference | None


def changes(work: Work, before: Manifest | None) -> Changes:
    """Compare the store with a generation, post by post."""
    posts = Digests.of((post.id, post.digest) for post in work.store.indexable())
    old = Digests.load(folder_of(work.settings, before.generation) / POSTS) if before is not None else None
    if before is None or old is None or len(posts) <= SMALL:
        return Changes(posts, None)
    since = posts.since(old)
    many = before.lexical_changes + len(since) > MOST_CHANGED * len(posts)
    return Changes(posts, None if many else since)


def write_words(work: Work, draft: Path, found: Changes, before: Manifest | None, state: str) -> Manifest:
    """The keyword index of the store's state in a draft; its manifest says nothing of vectors yet."""
    chosen = analyser(work.settings.language)
    if before is None or found.since is None:
        changed = 0
        lexical.build(draft / WORDS, work.store.indexable(), chosen, on_post=work.meter("lexical", len(found.posts)).at)
    else:
        changed = before.lexical_changes + len(found.since)
        _link_tree(folder_of(work.settings, before.generation) / WORDS, draft / WORDS)
        fresh = found.since.fresh
        lexical.update(
            draft / WORDS, found.since.outdated, indexable(work, fresh.tolist()), chosen,
            on_post=work.meter("lexical", len(fresh)).at,
        )  # fmt: skip
    found.posts.save(draft / POSTS)
    return Manifest(
        generation=generations.name_of(draft),
        created_at=made_now(),
        fingerprint=index_fingerprint(work.settings),
        store_state=state,
        versions=generations.versions(),
        lexical_posts=len(found.posts),
        lexical_changes=changed,
    )


def share_words(work: Work, draft: Path, before: Manifest) -> Manifest:
    """The keyword index of the generation before, as it is; the manifest says nothing of vectors yet."""
    source = folder_of(work.settings, before.generation)
    _link_tree(source / WORDS, draft / WORDS)
    link(source / POSTS, draft / POSTS)
    return replace(
        before, generation=generations.name_of(draft), created_at=made_now(), versions=generations.versions(),
        dense_model=None, dense_base=None, dense_state="", dense_vectors=0, dense_posts=0,
    )  # fmt: skip


def write_vectors(
    work: Work, draft: Path, manifest: Manifest, model: str, now: Digests, before: Manifest | None
) -> Manifest:
    """All vectors of a model, whose places are `now`: a patch of the base before if that is small, else a new base."""
    base = _base(work.settings, before, model)
    if base is not None and len(now) > SMALL:
        since = now.since(base.places)
        if len(since) <= min(MOST_PATCHED, MOST_CHANGED * len(base.places)):
            return _patch(work, draft, manifest, base, now, since.outdated, since.fresh)
    batches = (
        ([post_id * PLACES_A_POST + n for post_id, n in places], rows)
        for places, rows in work.vectors.passages_with_vectors(model)
    )
    chroma.build(draft / BASE, len(now), batches, on_vector=work.meter("dense", len(now)).at)
    now.save(draft / PLACES)
    return _serving(manifest, Base(manifest.generation, model, now), now)


def keep_vectors(work: Work, draft: Path, manifest: Manifest, before: Manifest | None) -> Manifest:
    """The vectors that the generation before served, without those of posts that went or changed."""
    base = _base(work.settings, before, before.dense_model) if before is not None else None
    if base is None:
        return manifest
    now = Digests.of(work.vectors.places(base.model))
    since = now.since(base.places)
    return _patch(work, draft, manifest, base, now, since.outdated, since.fresh[:MOST_PATCHED])


@dataclass(frozen=True, slots=True)
class Base:
    """Vectors that were built whole: the generation that holds them, their model, and the places in it."""

    generation: str
    model: str
    places: Digests


def _base(settings: Settings, before: Manifest | None, model: str | None) -> Base | None:
    """The base that a generation serves, None when it serves none of this model that can be used."""
    if before is None or model is None or before.dense_model != model or before.dense_base is None:
        return None
    places = Digests.load(folder_of(settings, before.dense_base) / PLACES)
    if places is None or not generations.vectors_fit(settings, before):
        return None
    return Base(before.dense_base, model, places)


def _patch(
    work: Work, draft: Path, manifest: Manifest, base: Base, now: Digests, outdated: Ids, fresh: Ids
) -> Manifest:
    served = now.among(np.union1d(np.setdiff1d(base.places.ids, outdated), fresh))
    if not len(served):
        return manifest
    if len(outdated) or len(fresh):
        rows = work.vectors.of_places(base.model, fresh.tolist())
        Patch.save(draft / PATCH, hidden=outdated, places=fresh, rows=rows)
    return _serving(manifest, base, served)


def _serving(manifest: Manifest, base: Base, places: Digests) -> Manifest:
    return replace(
        manifest, dense_model=base.model, dense_base=base.generation, dense_state=places.state,
        dense_vectors=len(places), dense_posts=len(np.unique(places.ids // PLACES_A_POST)),
    )  # fmt: skip


def _link_tree(source: Path, target: Path) -> None:
    """Hard links where the file system has them: what Whoosh has written it never changes, but for its lock."""
    shutil.copytree(source, target, copy_function=link, ignore=shutil.ignore_patterns(*lexical.NEVER_HARD_LINKED))


def link(source: Path | str, target: Path | str) -> None:
    """The same file under another name, a copy where the file system has no hard links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def made_now() -> str:
    """The time of a manifest."""
    return datetime.now(UTC).isoformat(timespec="seconds")
