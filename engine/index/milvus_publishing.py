"""Makes a generation whose words and vectors are rows of Milvus: a collection anew, or rows changed in place.

The folder of the generation holds what a reader must know of them: which rows stand (`editions.py`), how often terms
occur, a sample of the vectors. New rows come before the generation is published and old ones leave after it, so that
the generation before stays whole meanwhile; what a crash leaves is taken out by the next indexing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..errors import IndexAway, IndexDamaged
from ..settings import index_fingerprint
from ..store.vectors import PLACES_A_POST
from ..values import PostId
from . import generations, milvus_place, milvus_tidying, vocabulary
from .dense import SAMPLE
from .digests import Digests, Ids
from .editions import EDITIONS, Editions, keys_of
from .french import analyser
from .generations import PLACES, POSTS, Manifest, folder_of
from .milvus import Engine, Row
from .milvus_conditions import facts
from .milvus_place import VECTORS_EDITIONS, WORDS_EDITIONS
from .milvus_words import analysed, texts
from .passages import IndexablePost
from .publishing import Changes, link, made_now
from .terms import Terms
from .work import POSTS_AT_A_TIME, Work, indexable

TERMS, SAMPLED = "terms.txt", "sample.npy"
MOST_CHANGED = 0.5  # share of the rows that may have changed since the collection was made
_Item = TypeVar("_Item")


# --- words ---


def changes(work: Work, before: Manifest | None) -> Changes:
    """Compare the store with a generation, post by post, with what posts are filtered by."""
    posts = Digests.of(
        (post.id, post.digest ^ known[post.id].digest)
        for part in _parts(work.store.indexable(), POSTS_AT_A_TIME)
        for known in [facts(work.store, [post.id for post in part])]
        for post in part
    )
    old = Digests.load(folder_of(work.settings, before.generation) / POSTS) if before is not None else None
    if before is None or old is None or before.words_edition + 1 >= EDITIONS:
        return Changes(posts, None)
    since = posts.since(old)
    many = before.lexical_changes + len(since) > MOST_CHANGED * len(posts)
    return Changes(posts, None if many else since)


def write_words(work: Work, draft: Path, found: Changes, before: Manifest | None, state: str) -> Manifest:
    """The words of the store's state as rows; the manifest says nothing of vectors yet. Raises IndexAway."""
    settings, name = work.settings, generations.name_of(draft)
    assert settings.index_url is not None
    at = milvus_place.claim(settings, settings.index_url)
    if before is None or before.words_base is None or found.since is None:
        base, edition, changed, terms, editions = name, 0, 0, Terms(), Editions.none()
        with milvus_place.working(settings, at) as engine, _made(engine, at.collection(name, "words")) as collection:
            engine.create_words(collection)
            counted = vocabulary.Counting()
            _put_words(work, engine, collection, work.store.indexable(), edition, terms, counted, len(found.posts))
            _whole(engine, collection, len(found.posts))
        counted.save(draft / vocabulary.FILE)
    else:
        held, base, edition = folder_of(settings, before.generation), before.words_base, before.words_edition + 1
        changed, since = before.lexical_changes + len(found.since), found.since
        terms, editions = Terms.load(held / TERMS), Editions.load(held / WORDS_EDITIONS)
        with milvus_place.working(settings, at) as engine:
            fresh = indexable(work, since.fresh.tolist())
            collection = at.collection(base, "words")
            _put_words(work, engine, collection, fresh, edition, terms, vocabulary.Counting(), len(since.fresh))
            engine.settle(collection)
        milvus_tidying.leave(draft, "words", editions, since.outdated)
        editions = editions.changed(since.fresh, since.removed, edition)
        link(held / vocabulary.FILE, draft / vocabulary.FILE)
    found.posts.save(draft / POSTS)
    terms.save(draft / TERMS)
    editions.save(draft / WORDS_EDITIONS)
    return Manifest(
        generation=name, created_at=made_now(), fingerprint=index_fingerprint(settings), store_state=state,
        versions=versions(), lexical_posts=len(found.posts), lexical_changes=changed, index_url=settings.index_url,
        words_base=base, words_edition=edition,
    )  # fmt: skip


def versions() -> dict[str, str]:
    """What makes such an index worthless when it changes."""
    return {"PyStemmer": version("PyStemmer"), "milvus": milvus_place.LAYOUT}


def share_words(work: Work, draft: Path, before: Manifest) -> Manifest:
    """The words of the generation before, as they are; the manifest says nothing of vectors yet."""
    for file in (POSTS, TERMS, vocabulary.FILE, WORDS_EDITIONS):
        link(folder_of(work.settings, before.generation) / file, draft / file)
    return replace(
        before, generation=generations.name_of(draft), created_at=made_now(), dense_model=None, dense_base=None,
        dense_state="", dense_vectors=0, dense_posts=0, dense_edition=0,
    )  # fmt: skip


def _put_words(
    work: Work, engine: Engine, collection: str, posts: Iterable[IndexablePost], edition: int, terms: Terms,
    counted: vocabulary.Counting, total: int,
) -> None:  # fmt: skip
    meter, chosen, done = work.meter("lexical", total), analyser(work.settings.language), 0
    for part in _parts(posts, POSTS_AT_A_TIME):
        known, rows = facts(work.store, [post.id for post in part]), list[Row]()
        for post, fields in zip(part, analysed(part, chosen, counted), strict=True):
            terms.add(fields)
            key = post.id * EDITIONS + edition
            rows.append({"id": key, "post": post.id, **known[post.id].fields, **texts(fields)})
        engine.put(collection, rows)
        done += len(part)
        meter.at(done)


# --- vectors ---


def write_vectors(
    work: Work, draft: Path, manifest: Manifest, model: str, now: Digests, before: Manifest | None
) -> Manifest:
    """All vectors of a model, whose places are `now`: rows changed if they are few, else a new collection."""
    if not len(now):
        return manifest
    served = _served(work, before, model)
    marked = _marked(work, now)
    if served is not None:
        since = marked.since(served)
        if len(since.outdated) <= MOST_CHANGED * len(served):
            return _changed_vectors(work, draft, manifest, before, now, marked, served)
    assert work.settings.index_url is not None
    at, meter = milvus_place.claim(work.settings, work.settings.index_url), work.meter("dense", len(now))
    name = at.collection(manifest.generation, "vectors")
    with milvus_place.working(work.settings, at) as engine, _made(engine, name) as collection:
        done = 0
        for pairs, rows in work.vectors.passages_with_vectors(model):
            if not done:
                engine.create_vectors(collection, rows.shape[1])
            places = np.array([post * PLACES_A_POST + n for post, n in pairs], np.int64)
            _put_vectors(work, engine, collection, places, rows, 0)
            done += len(pairs)
            meter.at(done)
        _whole(engine, collection, len(now))
    return _serving(work, draft, manifest, model, now, marked, manifest.generation, 0, Editions.none())


def keep_vectors(work: Work, draft: Path, manifest: Manifest, before: Manifest | None) -> Manifest:
    """The vectors that the generation before served, brought to the passages of now."""
    model = before.dense_model if before is not None else None
    if before is None or model is None:
        return manifest
    served, now = _served(work, before, model), Digests.of(work.vectors.places(model))
    if served is None or not len(now):
        return manifest
    return _changed_vectors(work, draft, manifest, before, now, _marked(work, now), served)


def _served(work: Work, before: Manifest | None, model: str) -> Digests | None:
    """The places of the vectors that a generation serves, None when they are not of this model or can't be changed."""
    if before is None or before.dense_model != model or before.dense_edition + 1 >= EDITIONS:
        return None
    if not generations.vectors_fit(work.settings, before):
        return None
    return Digests.load(folder_of(work.settings, before.generation) / PLACES)


def _changed_vectors(
    work: Work, draft: Path, manifest: Manifest, before: Manifest | None, now: Digests, marked: Digests,
    served: Digests,
) -> Manifest:  # fmt: skip
    assert before is not None and before.dense_base is not None and before.dense_model is not None
    assert work.settings.index_url is not None
    model, since, edition = before.dense_model, marked.since(served), before.dense_edition + 1
    editions = Editions.load(folder_of(work.settings, before.generation) / VECTORS_EDITIONS)
    at = milvus_place.claim(work.settings, work.settings.index_url)
    meter = work.meter("dense", len(since.fresh))
    with milvus_place.working(work.settings, at) as engine:
        collection, done = at.collection(before.dense_base, "vectors"), 0
        for places in _parts(since.fresh.tolist(), POSTS_AT_A_TIME):
            rows = work.vectors.of_places(model, places)
            _put_vectors(work, engine, collection, np.array(places, np.int64), rows, edition)
            done += len(places)
            meter.at(done)
        engine.settle(collection)
    milvus_tidying.leave(draft, "vectors", editions, since.outdated)
    editions = editions.changed(since.fresh, since.removed, edition)
    return _serving(work, draft, manifest, model, now, marked, before.dense_base, edition, editions)


def _put_vectors(
    work: Work, engine: Engine, collection: str, places: Ids, rows: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    edition: int,
) -> None:  # fmt: skip
    for start in range(0, len(places), POSTS_AT_A_TIME):
        part = places[start : start + POSTS_AT_A_TIME]
        known = facts(work.store, [PostId(post) for post in np.unique(part // PLACES_A_POST).tolist()])
        engine.put(collection, [
            {"id": key, "post": place // PLACES_A_POST, "vector": row, **known[PostId(place // PLACES_A_POST)].fields}
            for key, place, row in zip(
                keys_of(part, edition).tolist(), part.tolist(), rows[start : start + len(part)], strict=True
            )
        ])  # fmt: skip


def _serving(
    work: Work, draft: Path, manifest: Manifest, model: str, now: Digests, marked: Digests, base: str, edition: int,
    editions: Editions,
) -> Manifest:  # fmt: skip
    marked.save(draft / PLACES)
    editions.save(draft / VECTORS_EDITIONS)
    np.save(draft / SAMPLED, work.vectors.sample(model, SAMPLE).astype(np.float16))
    return replace(
        manifest, dense_model=model, dense_base=base, dense_edition=edition, dense_state=now.state,
        dense_vectors=len(now), dense_posts=len(np.unique(now.ids // PLACES_A_POST)),
    )  # fmt: skip


def _marked(work: Work, now: Digests) -> Digests:
    """The same places, whose digests also change with what posts are filtered by."""
    posts, each = np.unique(now.ids // PLACES_A_POST, return_inverse=True)
    stamps = np.zeros(len(posts), np.uint64)
    for start in range(0, len(posts), POSTS_AT_A_TIME):
        part = posts[start : start + POSTS_AT_A_TIME].tolist()
        known = facts(work.store, [PostId(post) for post in part])
        stamps[start : start + len(part)] = [known[PostId(post)].digest for post in part]
    return Digests(now.ids, now.digests ^ stamps[each])


@contextmanager
def _made(engine: Engine, collection: str) -> Iterator[str]:
    """A new collection, dropped again unless it was filled."""
    try:
        yield collection
    except BaseException:
        with suppress(IndexAway):  # the next sweep does it
            engine.drop(collection)
        raise


def _whole(engine: Engine, collection: str, rows: int) -> None:
    engine.settle(collection)
    if engine.count(collection) != rows:
        raise IndexDamaged(part="engine", reason="count")


def _parts(items: Iterable[_Item], size: int) -> Iterator[Sequence[_Item]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
