"""The indexes against the code, the settings and the store."""

from __future__ import annotations

from contextlib import closing
from importlib.metadata import version
from pathlib import Path

from ..errors import IndexDamaged, IndexMissing
from ..index import chroma, generations, lexical, seal
from ..index.dense import DenseIndex, Patch
from ..index.digests import Digests
from ..index.french import analyser
from ..index.generations import BASE, PATCH, PLACES, WORDS, Manifest
from ..seams import Models
from ..settings import Settings, index_fingerprint
from ..store import ArchiveStore, VectorStore
from ..values import PostId
from .findings import Finding, Level, Repair, error, ok, warning

SEARCHED = 50  # posts whose own words are searched, to read the index here and there


def manifest(settings: Settings, posts: int) -> Finding:
    """Which generation is published, and whether this code with these settings made it."""
    name, card = generations.current(settings), generations.read_manifest(settings)
    if name is None:
        return warning("index", "missing", Repair.REBUILD, posts=posts) if posts else ok("index", "empty")
    if not generations.folder_of(settings, name).is_dir():
        return error("index", "dangling", Repair.REBUILD, generation=name)
    if card is None:
        return error("index", "unreadable", Repair.REBUILD, generation=name)
    if card.fingerprint != index_fingerprint(settings):
        return error("index", "other_settings", Repair.REBUILD, generation=name)
    now = generations.versions()
    for library in ("whoosh3", "PyStemmer") if card.index_url is None else ("PyStemmer",):
        if card.versions.get(library) != now[library]:
            return error("index", "other_version", Repair.REBUILD, generation=name, library=library)
    return ok("index", "fits", generation=name, created_at=card.created_at)


def words(settings: Settings, store: ArchiveStore, card: Manifest, *, quick: bool) -> Finding:
    """The keyword index: it opens, it can be searched, and holds the posts that the store holds."""
    folder = generations.folder_of(settings, card.generation) / WORDS
    if (reason := seal.marked(folder)) is not None:
        return error("words", "damaged", Repair.REBUILD, reason=reason)
    if quick:
        return ok("words", "there", posts=card.lexical_posts) if folder.is_dir() else _words_gone()
    try:
        index = lexical.LexicalIndex(folder, analyser(settings.language))
    except IndexMissing:
        return _words_gone()
    except IndexDamaged as damaged:
        return error("words", "damaged", Repair.REBUILD, reason=str(damaged.details.get("reason", "")))
    with closing(index):
        held, indexed = store.post_ids(), frozenset(map(PostId, index.post_ids.tolist()))
        current = card.store_state == store.state()
        try:
            _search(index, store, sorted(held & indexed), current=current)
        except Exception as failed:  # noqa: BLE001 - whatever comes of reading a damaged file
            return error("words", "damaged", Repair.REBUILD, reason=repr(failed))
    missing, extra = len(held - indexed), len(indexed - held)
    if not missing and not extra:
        return ok("words", "agree", posts=len(held))
    if not current:
        return warning("words", "behind", Repair.REBUILD, missing=missing, extra=extra)
    return error("words", "differ", Repair.REBUILD, missing=missing, extra=extra)


def meaning(
    settings: Settings, store: ArchiveStore, vectors: VectorStore, models: Models, card: Manifest, *, quick: bool
) -> Finding:
    """The vector index: its folder is as it was built, a child can search it, and it holds the posts it should."""
    if card.dense_model is None or card.dense_base is None:
        if models.embed is None:
            return ok("meaning", "no_encoder")
        return warning("meaning", "missing", Repair.REBUILD)
    base = generations.folder_of(settings, card.dense_base) / BASE
    if card.versions.get("chromadb") != version("chromadb"):
        return warning("meaning", "other_version", Repair.REBUILD, library="chromadb")
    if not base.is_dir():
        return error("meaning", "gone", Repair.REBUILD)
    if (reason := seal.flaw(base)) is not None:
        seal.mark(base, reason)
        return error("meaning", "damaged", Repair.REBUILD, reason=reason)
    unread: Finding | None = None
    if models.encoder(card.dense_model) is None:
        unread = warning("meaning", "unread" if models.embed is None else "other_model", model=card.dense_model)
    if quick:
        return unread or ok("meaning", "there", posts=card.dense_posts, vectors=card.dense_vectors)
    try:
        count = chroma.check(base)
        Patch.load(generations.folder_of(settings, card.generation) / PATCH)
        places = Digests.load(base.with_name(PLACES))
        if count is not None and (places is None or count != len(places)):
            return error("meaning", "count", Repair.REBUILD, count=count, expected=0 if places is None else len(places))
        found = _ids_of_vectors(settings, store, vectors, card, held=count is None)
    except (IndexDamaged, IndexMissing) as damaged:
        return error("meaning", "damaged", Repair.REBUILD, reason=str(damaged.details.get("reason", "")))
    return unread if unread is not None and found.level is Level.OK else found


def _ids_of_vectors(
    settings: Settings, store: ArchiveStore, vectors: VectorStore, card: Manifest, *, held: bool
) -> Finding:
    """The posts with a vector in the index and in the store; of an index open elsewhere only the digests."""
    wanted = store.post_ids(min_useful_chars=settings.min_dense_chars)
    figures: dict[str, int] = {"posts": card.dense_posts, "vectors": card.dense_vectors, "wanted": len(wanted)}
    assert card.dense_model is not None
    current = Digests.of(vectors.places(card.dense_model)).state == card.dense_state
    if not held:
        found = _posts_of_vectors(settings, vectors, card)
        figures["missing"], figures["extra"] = len(wanted - found), len(found - wanted)
        if current and card.store_state == store.state() and (figures["extra"] or len(found) != card.dense_posts):
            return error("meaning", "differ", Repair.REBUILD, **figures)
    if card.dense_posts < len(wanted) or not current:
        return warning("meaning", "behind", Repair.REBUILD, **figures)
    return ok("meaning", "held" if held else "agree", **figures)


def leftovers(settings: Settings, *, writing: bool) -> tuple[Path, ...]:
    """The folders of interrupted builds and of generations that nobody reads; none while an index is being built."""
    return () if writing else generations.unused(settings)


def condemn(settings: Settings, checks: frozenset[str]) -> None:
    """Have these parts ("words", "meaning") built anew by the next indexing, whatever it believes of them."""
    card = generations.read_manifest(settings)
    if card is None:
        return
    if "words" in checks:
        seal.mark(generations.folder_of(settings, card.generation) / WORDS, "doctor")
    if "meaning" in checks and card.dense_base is not None:
        base = generations.folder_of(settings, card.dense_base) / BASE
        if base.is_dir():
            seal.mark(base, "doctor")
        if card.index_url is not None:
            seal.mark(generations.folder_of(settings, card.generation) / BASE, "doctor")


def _posts_of_vectors(settings: Settings, vectors: VectorStore, card: Manifest) -> frozenset[PostId]:
    """The posts with a vector, by the index itself, which a child has just tried."""
    assert card.dense_model is not None and card.dense_base is not None
    base = generations.folder_of(settings, card.dense_base) / BASE
    patch = Patch.load(generations.folder_of(settings, card.generation) / PATCH)
    with closing(DenseIndex(base, patch, model=card.dense_model, vectors=vectors)) as index:
        return index.post_ids()


def _search(index: lexical.LexicalIndex, store: ArchiveStore, posts: list[PostId], *, current: bool) -> None:
    """Look for some posts by their own words, which a `current` index must find.

    Raises whatever comes of a damaged file, IndexDamaged for a lost post.
    """
    for post in store.indexable(posts[:: max(1, len(posts) // SEARCHED)][:SEARCHED]):
        text = f"{post.title} {post.body[:300]}"
        found = index.rank([text], limit=1, allowed=frozenset({post.id})).post_ids
        if current and not found and index.has_terms(text):
            raise IndexDamaged(part=lexical.NAME, reason="lost")


def _words_gone() -> Finding:
    return error("words", "gone", Repair.REBUILD)
