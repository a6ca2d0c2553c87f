"""The search flow: filters, two legs, fusion, reranking, hits. Free of state; Archive carries the open parts."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import IndexAway, ModelUnavailable, StoreDamaged
from ..index import dense as dense_index
from ..index import dictionary
from ..index import lexical as lexical_index
from ..index.french import Analyser, analyser
from ..index.generations import Generation
from ..seams import Models, Vectors
from ..settings import Settings
from ..store import filters
from ..store import where as conditions
from ..store.archive import ArchiveStore, PostRow
from ..store.vectors import FILE as VECTORS
from ..values import FusedPost, Hit, Mode, PostId, Query, Ranking, SearchResult
from . import agreement, combine, model_notices, spelling, titles
from .excerpt import excerpt
from .fusion import Fusion, fuse
from .query import format_query
from .rerank import reranked

logger = logging.getLogger(__name__)
RECENT = "recent"  # the ranking of a query that has conditions but no words


@dataclass(frozen=True, slots=True)
class Found:
    """The ranked posts of a query before they are shown, with how it was read and what the screen must be told."""

    query: Query
    ranked: tuple[FusedPost, ...]
    notices: tuple[str, ...]
    timings_ms: dict[str, float]
    corrections: tuple[tuple[str, str], ...] = ()
    suggestion: str | None = None
    allowed: frozenset[PostId] | None = None  # what the conditions leave, None without conditions
    excluded: frozenset[PostId] = frozenset()
    rankings: tuple[Ranking, ...] = ()  # those that were fused
    vector: Vectors | None = None  # of the query, when the ranking by meaning is one of them
    best_logit: float | None = None  # of a reranker


def rank(
    query: Query,
    *,
    mode: Mode,
    limit: int,
    store: ArchiveStore,
    generation: Generation,
    models: Models,
    settings: Settings,
    hidden: frozenset[PostId] = frozenset(),
) -> Found:
    """All conditions hold before ranking, on both legs; then weighted RRF, then the reranker when there is one.

    `hidden` posts are as if they were not there. Where the words are on an engine that is away, titles are searched.
    """
    try:
        return _rank(query, mode, limit, store, generation, models, settings, hidden)
    except IndexAway as away:
        return _by_titles(query, limit, store, generation, hidden, f"engine_{away.details['reason']}")
    except StoreDamaged as damaged:
        if generation.dense is None or damaged.details.get("file") != VECTORS:
            raise
        logger.warning("vectors can't be read, words are searched: %s", damaged)
        wordy = replace(generation, dense=None, notices=("vectors_damaged",))
        return _rank(query, mode, limit, store, wordy, models, settings, hidden)


def _rank(
    query: Query, mode: Mode, limit: int, store: ArchiveStore, generation: Generation, models: Models,
    settings: Settings, hidden: frozenset[PostId],
) -> Found:  # fmt: skip
    clock = _Clock()
    # 0. What the words mean to say.
    asked = query
    reading = reading_of(query, generation, settings)
    if reading is not None:
        query = replace(query, words=(reading.text,))
    clock.lap("spelling")
    # 1. What the query allows.
    allowed, notices = filters.allowed(store, query)
    excluded = hidden
    lexical = generation.lexical
    for title in query.titles:
        allowed = _narrow(allowed, lexical.matching(title, field="title"))
    for phrase in query.phrases:
        allowed = _narrow(allowed, lexical.matching(phrase))
    for words in query.excluded:
        excluded |= lexical.matching(words) or frozenset()
    where = conditions.where(store, query) if generation.manifest.index_url is not None else None
    clock.lap("filter")
    # 2. The legs.
    rankings: list[Ranking] = []
    said = list(notices)
    vector: Vectors | None = None
    searchable = lexical.has_terms(query.text)
    if not searchable:
        if allowed is None:
            said.append("only_stop_words" if any(c.isalpha() for c in query.text) else "nothing_to_search")
            return Found(query, (), tuple(said), clock.laps)
        rankings.append(_recent(store, allowed - excluded, limit))
    if searchable and mode is not Mode.DENSE:
        rankings.append(lexical.rank([query.text], limit=limit, allowed=allowed, excluded=excluded, where=where))
        clock.lap("lexical")
    if searchable and mode is not Mode.BM25:
        unusable = model_notices.of_vectors(generation, models)
        encode = models.encoder(generation.manifest.dense_model, generation.manifest.dense_probes)
        if unusable is None and encode is not None:
            try:
                vector = encode([query.text], "query")[0]
            except ModelUnavailable as failed:
                unusable = model_notices.of_encoder(failed)
            clock.lap("embed")
        if vector is not None and generation.dense is not None:
            try:
                rankings.append(
                    generation.dense.rank(vector, limit=limit, allowed=allowed, excluded=excluded, where=where)
                )
                said += generation.notices
            except IndexAway:
                if mode is Mode.DENSE:
                    raise
                unusable, vector = "engine_meaning", None
            clock.lap("dense")
        said += [unusable] if unusable else []
    # 3. Vectors that know nothing of this question stay out.
    if len(rankings) == 2 and not _legs_agree(vector, rankings, generation):
        rankings, vector = rankings[:1], None
    # 4. Fusion.
    weights = {
        lexical_index.NAME: settings.lexical_weight,
        dense_index.NAME: settings.dense_weight,
        RECENT: 1.0,
    }
    if len(rankings) == 1:  # one leg alone ranks whatever its weight
        weights[rankings[0].name] = 1.0
    ranked = fuse(rankings, Fusion(settings.rrf_k, weights))
    clock.lap("fusion")
    # 5. What both legs know of the best, together.
    if settings.combine == "on" and vector is not None and len(rankings) == 2:
        ranked = _combine(query.text, vector, ranked, rankings, store, generation, settings)
        clock.lap("combine")
    # 6. A second reading of the best.
    best_logit: float | None = None
    if searchable and models.rerank is not None:
        ranked, notice, best_logit = reranked(
            query.text, ranked, rerank=models.rerank, store=store, analyser=analyser(settings.language),
            k=settings.rrf_k, deadline_s=settings.rerank_deadline_s,
        )  # fmt: skip
        said += [notice] if notice else []
        clock.lap("rerank")
    found = Found(
        query, ranked, tuple(said), clock.laps, allowed=allowed, excluded=excluded, rankings=tuple(rankings),
        vector=vector, best_logit=best_logit,
    )  # fmt: skip
    if reading is None:
        return found
    suggestion = None if reading.suggestion is None else format_query(replace(asked, words=(reading.suggestion,)))
    return replace(found, corrections=reading.corrections, suggestion=suggestion)


def _by_titles(
    query: Query, limit: int, store: ArchiveStore, generation: Generation, hidden: frozenset[PostId], notice: str
) -> Found:
    """What can be found with the store alone."""
    clock = _Clock()
    allowed, notices = filters.allowed(store, query)
    text = " ".join([query.text, *query.titles])
    ranking = titles.rank(store, text, analyser=generation.analyser, limit=limit, allowed=allowed, excluded=hidden)
    ranked = fuse([ranking], Fusion(1.0, {ranking.name: 1.0}))
    clock.lap("titles")
    said = (*notices, notice)
    return Found(query, ranked, said, clock.laps, allowed=allowed, excluded=hidden, rankings=(ranking,))


def reading_of(query: Query, generation: Generation, settings: Settings) -> spelling.Reading | None:
    """How the words are read, None when they are taken as they are. Phrases are never touched."""
    if settings.spelling == "off" or not query.words:
        return None
    abbreviations = spelling.ABBREVIATIONS if settings.language == "fr" else {}
    return spelling.read_as(
        " ".join(query.words), generation.lexical.vocabulary, generation.analyser.words,
        generation.lexical.document_frequency, known=lambda: dictionary.words(settings.language),
        abbreviations=abbreviations,
    )  # fmt: skip


def _legs_agree(vector: Vectors | None, rankings: Sequence[Ranking], generation: Generation) -> bool:
    if vector is None or generation.dense is None:
        return True
    hits = generation.dense.passage_cosines(vector, rankings[0].post_ids[: agreement.TOP])
    return agreement.agrees(hits, generation.dense.population(vector))


def _combine(
    question: str,
    vector: Vectors,
    ranked: tuple[FusedPost, ...],
    rankings: Sequence[Ranking],
    store: ArchiveStore,
    generation: Generation,
    settings: Settings,
) -> tuple[FusedPost, ...]:
    held = store.posts(post.post_id for post in ranked[: combine.CANDIDATES])
    rows = [held[post.post_id] for post in ranked[: combine.CANDIDATES] if post.post_id in held]
    scores = combine.load(settings.data).scores(combination_features(question, vector, rows, rankings, generation))
    return combine.combined(ranked, {row.id: float(score) for row, score in zip(rows, scores, strict=True)})


def combination_features(
    question: str, vector: Vectors, rows: Sequence[PostRow], rankings: Sequence[Ranking], generation: Generation
) -> NDArray[np.float64]:
    """The features of these posts; a post that the vector leg did not list gets its exact cosine."""
    cosines = combine.leg_scores(rankings, dense_index.NAME)
    missing = [row.id for row in rows if row.id not in cosines]
    if missing and generation.dense is not None:
        cosines |= generation.dense.cosines(vector, missing)
    return combine.features(
        rows, question=question, bm25=combine.leg_scores(rankings, lexical_index.NAME), cosines=cosines,
        frequency=generation.lexical.document_frequency, posts=len(generation.lexical),
        analyser=generation.analyser,
    )  # fmt: skip


def present(text: str, mode: Mode, found: Found, *, k: int, store: ArchiveStore, analyser: Analyser) -> SearchResult:
    """The first k ranked posts as hits; posts that left the store since the index was built are dropped."""
    clock = _Clock()
    query = found.query
    rows = store.posts(fused.post_id for fused in found.ranked[:k])
    terms = dict.fromkeys(analyser.words(query.text))
    sought = dict.fromkeys([*terms, *analyser.exact(query.text)])  # a lone figure is a word and a code
    base_url = store.meta("base_url")
    hits: list[Hit] = []
    for fused in found.ranked[:k]:
        row = rows.get(fused.post_id)
        if row is not None:
            shown = excerpt(row.text, set(terms), analyser.words)
            whole = f"{row.title}\n{row.text}\n{row.code}"
            held = {*analyser.words(whole), *analyser.exact(whole)}
            matched = tuple(term for term in sought if term in held)
            hits.append(_hit(len(hits) + 1, fused, row, base_url, shown, matched))
    clock.lap("present")
    timings = {**found.timings_ms, **clock.laps}
    return SearchResult(
        query=query, text=text, mode=mode, total=len(found.ranked), hits=tuple(hits),
        took_ms=sum(timings.values()), notices=found.notices, timings_ms=timings, corrections=found.corrections,
        suggestion=found.suggestion,
    )  # fmt: skip


def _hit(rank: int, fused: FusedPost, row: PostRow, base_url: str, shown: str, matched: tuple[str, ...]) -> Hit:
    return Hit(
        rank=rank, post_id=row.id, topic_id=row.topic_id, post_number=row.post_number, url=base_url + row.path,
        path=row.path, title=row.title, category=row.category, author=row.username, created_at=row.created_at,
        score=fused.score, excerpt=shown, contributions=fused.contributions, matched=matched,
    )  # fmt: skip


def _narrow(allowed: frozenset[PostId] | None, matching: frozenset[PostId] | None) -> frozenset[PostId] | None:
    if matching is None:
        return allowed
    return matching if allowed is None else allowed & matching


def _recent(store: ArchiveStore, allowed: frozenset[PostId], limit: int) -> Ranking:
    ids = store.newest(allowed, limit)
    return Ranking(RECENT, ids, tuple(1.0 / n for n in range(1, len(ids) + 1)))


class _Clock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage] = self.laps.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now
