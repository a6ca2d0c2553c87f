"""A page of results as a person explores them: sorted, by topic or one by one, with the counts of all that matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from .archive import Archive
from .index.generations import Generation
from .retrieve import query as grammar
from .retrieve import search as search_room
from .retrieve.facets import Facets, facets
from .retrieve.matching import Basis, Matching, matching
from .store.columns import Columns, Numbers
from .values import FusedPost, Hit, Mode, PostId, SearchResult, TopicId

MOST_RANKED = 100  # by relevance nobody reads beyond: another search finds better
SHOWN_OF_TOPIC = 3  # posts of one topic, when results are grouped


class Order(StrEnum):
    """How results are sorted."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    OLDEST = "oldest"
    LIKES = "likes"


@dataclass(frozen=True, slots=True)
class Group:
    """Results of one topic, the first of them; `more` are not shown. One result when the list is flat."""

    topic_id: TopicId
    hits: tuple[Hit, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `result.hits` are those of the groups, each with its rank in the whole list.

    `listed` posts can be reached page by page; `facets` count all that match, for the reason that `matching` gives.
    """

    result: SearchResult
    groups: tuple[Group, ...]
    page: int
    pages: int
    listed: int
    matching: Matching
    facets: Facets


def explore(
    archive: Archive,
    text: str,
    *,
    mode: Mode = Mode.HYBRID,
    order: Order = Order.RELEVANCE,
    grouped: bool = False,
    page: int = 1,
    size: int = 20,
) -> Page:
    """The page of that number, or the last one. Raises QuerySyntaxError and IndexUnavailable."""
    query = grammar.parse(text)
    columns = archive.store.columns()
    # Dates and likes sort all that match, and meaning matches nothing: it takes no part unless it is asked for alone.
    leg = mode if order is Order.RELEVANCE or mode is Mode.DENSE else Mode.BM25
    with archive.reading() as generation:
        found = search_room.rank(
            query, mode=leg, limit=MOST_RANKED, store=archive.store, generation=generation, models=archive.models,
            settings=archive.settings,
        )  # fmt: skip
        found = replace(found, ranked=found.ranked[:MOST_RANKED])
        meant = _meant(found, leg, generation)
    matched = columns.places(meant.ids)
    listed = _ranked(columns, found) if order is Order.RELEVANCE else _sorted(columns, matched, order)
    topics = columns.topic[listed]
    starts = np.sort(np.unique(topics, return_index=True)[1]) if grouped else np.arange(len(listed))
    pages = max(1, -(-len(starts) // size))
    page = max(1, min(page, pages))
    rows = [
        np.flatnonzero(topics == topics[start]).tolist() if grouped else [start]
        for start in starts[(page - 1) * size : page * size].tolist()
    ]
    shown = {PostId(int(columns.ids[listed[n]])): n + 1 for row in rows for n in row[:SHOWN_OF_TOPIC]}
    result = _present(archive, text, mode, found, shown)
    archive.on_search(leg, result.timings_ms)
    by_rank = {hit.rank: hit for hit in result.hits}
    groups = []
    for row in rows:
        hits = tuple(by_rank[n + 1] for n in row if n + 1 in by_rank)
        if hits:  # posts may have left the store since
            groups.append(Group(hits[0].topic_id, hits, more=len(row) - len(hits)))
    return Page(result, tuple(groups), page, pages, len(listed), meant, facets(columns, matched))


def _meant(found: search_room.Found, leg: Mode, generation: Generation) -> Matching:
    """The posts that match, or those ranked when only meaning found any."""
    if leg is not Mode.DENSE or not generation.lexical.has_terms(found.query.text):
        meant = matching(found.query, generation, allowed=found.allowed, excluded=found.excluded)
        if len(meant.ids):
            return meant
    return Matching(np.array([post.post_id for post in found.ranked], np.int64), Basis.RANKED)


def _ranked(columns: Columns, found: search_room.Found) -> Numbers:
    """The places of the ranked posts, best first."""
    ids = np.array([post.post_id for post in found.ranked], np.int64)
    held = np.isin(ids, columns.ids)
    return np.searchsorted(columns.ids, ids[held])


def _sorted(columns: Columns, places: Numbers, order: Order) -> Numbers:
    """The places in this order; the newest first of equals."""
    created = columns.created[places]
    if order is Order.OLDEST:
        return places[np.lexsort((places, created))]
    if order is Order.NEWEST:
        return places[np.lexsort((-places, -created))]
    return places[np.lexsort((-created, -columns.likes[places]))]


def _present(
    archive: Archive, text: str, mode: Mode, found: search_room.Found, shown: Mapping[PostId, int]
) -> SearchResult:
    """The hits of these posts with their ranks, and all that was said of the search."""
    fused = {post.post_id: post for post in found.ranked}
    chosen = tuple(fused.get(post_id, FusedPost(post_id, 0.0, ())) for post_id in shown)
    result = search_room.present(
        text, mode, replace(found, ranked=chosen), k=len(chosen), store=archive.store, analyser=archive.analyser
    )
    hits = tuple(replace(hit, rank=shown[hit.post_id]) for hit in result.hits)
    return replace(result, hits=hits, total=len(found.ranked))
