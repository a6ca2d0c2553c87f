"""The posts that a search means, beyond the best ones that it ranks: what facets count and dates sort."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..index.digests import Ids
from ..index.generations import Generation
from ..index.lexical import MAX_QUERY_TERMS
from ..values import PostId, Query

MEANT_IN_FULL = 2  # words; of a longer search, some may be said otherwise in the posts that are meant
ENOUGH = 20  # posts, of which a longer search asks as many words as they hold


class Basis(StrEnum):
    """Why posts belong to the set."""

    WORDS = "words"  # they hold at least `held` of the `asked` words
    CONDITIONS = "conditions"  # the search has no words
    RANKED = "ranked"  # they are the ones ranked: meaning knows no matching


@dataclass(frozen=True, slots=True)
class Matching:
    """The ids of a set, in no order, and why they belong to it."""

    ids: Ids
    basis: Basis
    held: int = 0
    asked: int = 0


def matching(
    query: Query, generation: Generation, *, allowed: frozenset[PostId] | None, excluded: frozenset[PostId]
) -> Matching:
    """The posts that hold as many of the words as enough posts do, among the allowed ones.

    How many words that is does not depend on the conditions, so that a count by author is what a search of this author
    gives; unless no post is left. None are told where every post that holds a word can't be asked.
    """
    if not generation.lexical.has_terms(query.text):
        return Matching(_ids((allowed or frozenset()) - excluded), Basis.CONDITIONS)
    held = _held(query.text, generation)
    if held is None:
        return Matching(_ids(frozenset()), Basis.RANKED)
    ids, counts, asked = held
    level = _level(counts, asked)
    keep = counts > 0
    if allowed is not None:
        keep &= np.isin(ids, _ids(allowed))
    if excluded:
        keep &= ~np.isin(ids, _ids(excluded))
    most = int(counts[keep].max(initial=0))
    level = min(level, max(most, 1))
    return Matching(ids[keep & (counts >= level)], Basis.WORDS, level, asked)


def _held(text: str, generation: Generation) -> tuple[Ids, NDArray[np.uint8], int] | None:
    """Every post, how many words of the text it holds in its body or title, and how many words there are.

    A text that has no words, only codes or sizes, has these counted in their place.
    """
    lexical, words = generation.lexical, dict.fromkeys(generation.analyser.words(text))
    places = [(("body", word), ("title", word)) for word in words]
    codes = [(("exact", token),) for token in dict.fromkeys(generation.analyser.exact(text))]
    asked = (places or codes)[:MAX_QUERY_TERMS]
    counts: NDArray[np.uint8] | None = None
    for fields in asked:
        held = [holders for place in fields if (holders := lexical.having(*place)) is not None]
        if not held:
            return None
        found = np.any(held, axis=0).astype(np.uint8)
        counts = found if counts is None else counts + found
    ids = lexical.post_ids
    return ids, np.zeros(len(ids), np.uint8) if counts is None else counts, len(asked)


def _level(counts: NDArray[np.uint8], asked: int) -> int:
    """The most words that enough posts hold; 1 when too few posts hold any."""
    enough = 1 if asked <= MEANT_IN_FULL else ENOUGH
    return next((level for level in range(asked, 1, -1) if np.count_nonzero(counts >= level) >= enough), 1)


def _ids(posts: frozenset[PostId]) -> Ids:
    return np.fromiter(posts, np.int64, len(posts))
