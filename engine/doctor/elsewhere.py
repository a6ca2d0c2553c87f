"""The indexes that an engine elsewhere holds, against the manifest and the store."""

from __future__ import annotations

from contextlib import closing

from ..errors import IndexAway, IndexDamaged, IndexUnavailable
from ..index import generations
from ..index.generations import Manifest
from ..seams import Models
from ..settings import Settings
from ..store import ArchiveStore, VectorStore
from ..values import PostId
from .findings import Finding, Repair, error, ok, warning


def words(settings: Settings, store: ArchiveStore, vectors: VectorStore, card: Manifest, *, quick: bool) -> Finding:
    """The keyword index: the engine answers, and holds the posts that the store holds. `quick` asks no engine."""
    if quick:
        return ok("words", "there", posts=card.lexical_posts)
    try:
        if not generations.words_fit(settings, card):
            return _lost("words", settings, card)
        with closing(generations.open_current(settings, vectors)) as generation:
            held, indexed = store.post_ids(), frozenset(map(PostId, generation.lexical.post_ids.tolist()))
    except IndexAway as away:
        return _away("words", away)
    except IndexUnavailable as damaged:
        return error("words", "damaged", Repair.REBUILD, reason=str(damaged))
    missing, extra = len(held - indexed), len(indexed - held)
    if not missing and not extra:
        return ok("words", "agree", posts=len(held))
    if card.store_state != store.state():
        return warning("words", "behind", Repair.REBUILD, missing=missing, extra=extra)
    return error("words", "differ", Repair.REBUILD, missing=missing, extra=extra)


def meaning(settings: Settings, vectors: VectorStore, models: Models, card: Manifest, *, quick: bool) -> Finding:
    """The vectors: the engine holds as many posts as the manifest says. `quick` asks no engine."""
    if card.dense_model is None:
        return ok("meaning", "no_encoder") if models.embed is None else warning("meaning", "missing", Repair.REBUILD)
    if models.encoder(card.dense_model) is None:
        return warning("meaning", "unread" if models.embed is None else "other_model", model=card.dense_model)
    if quick:
        return ok("meaning", "there", posts=card.dense_posts, vectors=card.dense_vectors)
    try:
        if not generations.vectors_fit(settings, card):
            return _lost("meaning", settings, card)
        with closing(generations.open_current(settings, vectors)) as generation:
            found = frozenset[PostId]() if generation.dense is None else generation.dense.post_ids()
    except IndexAway as away:
        return _away("meaning", away)
    except IndexDamaged as damaged:
        return error("meaning", "damaged", Repair.REBUILD, reason=str(damaged))
    if len(found) != card.dense_posts:
        return error("meaning", "count", Repair.REBUILD, count=len(found), expected=card.dense_posts)
    return ok("meaning", "agree", posts=card.dense_posts, vectors=card.dense_vectors)


def _lost(check: str, settings: Settings, card: Manifest) -> Finding:
    return error(check, "lost_there", Repair.REBUILD, url=settings.index_url or card.index_url or "")


def _away(check: str, away: IndexAway) -> Finding:
    return warning(check, "away", url=str(away.details.get("url", "")))
