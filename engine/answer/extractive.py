"""Answers without a language model: the best sentences of the evidence, word for word, with who wrote them and when.

Knows nothing about the index; the analyser that turns text into terms is given by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from ..errors import ModelUnavailable
from ..index.french import Analyse
from ..seams import Embed
from ..values import Evidence, TopicId
from . import beside, dates
from .candidates import Candidate, ReadPost, coverage, found_in, weights_of
from .citations import quotable
from .wanted import Wanted

MAX_EXTRACTS = 5
MAX_PER_POST = 2
# Cosines of one model differ little between neighbours: scaled to 0–1 over the candidates, then weighed.
DENSE_SHARE = 0.7
DENSE_CANDIDATES = 24
# Below this part of the best score a sentence only adds noise.
RELATIVE_FLOOR = 0.7
# From this much above the second, the best extract comes first. Others are read topic by topic, and in the order of
# time where a topic was taken up again after so long.
DOMINATES = 1.15
SAME_OPINION = timedelta(days=30)
# Sentences that share this part of their words, or of the shorter one's, say the same thing.
DUPLICATE_JACCARD, DUPLICATE_CONTAINED = 0.6, 0.85
# The relevance floor of evidence that no calibrated zone calls normal: share of the question's informative terms that
# one sentence must hold, with the title of its topic and the posts that its post answers. Measured with the French
# analyser and BM25's first six documents on CNIL and PIAF (159 and 150 questions, no such posts): 0.34 silences 0.45
# and 0.70 of the questions put to the other corpus, 0.02 and 0.10 of those put to their own; 0.41 0.59, 0.80 and
# 0.04, 0.13. On the demo (25 questions, hybrid search) 0.34 silences its 5 unanswerable ones and 4 of the 20 others.
MIN_COVERAGE = 0.34


@dataclass(frozen=True, slots=True)
class Extract:
    """Sentences of evidence `n`, word for word but for links and markers: by whom, when, how well they answer."""

    n: int
    sentence: str
    author: str
    day: date
    score: float


def extract(
    question: str,
    evidence: Sequence[Evidence],
    *,
    analyse: Analyse,
    embed: Embed | None = None,
    floor: float = MIN_COVERAGE,
) -> tuple[tuple[Extract, ...], tuple[Evidence, ...]]:
    """The sentences that answer the question, in the order in which they are to be read, and the evidence they cite.

    Posts around the evidence are read too; those that give an extract join the evidence under a number of their own.
    No extracts when no sentence of the evidence itself covers `floor` of the question.
    """
    wanted = Wanted.by(question, analyse)
    wide = beside.widened(evidence)
    ranks = {item.topic_id: rank for rank, item in reversed(list(enumerate(evidence)))}
    found = len(evidence)
    posts = [
        ReadPost.of(item, place if place < found else ranks[item.topic_id], analyse, beside=place >= found)
        for place, item in enumerate(wide)
    ]
    if coverage(wanted, posts[:found]) < floor:
        return (), tuple(evidence)
    weights = weights_of(wanted.terms, [terms for post in posts for terms in post.terms])
    candidates = sorted((c for post in posts for c in found_in(post, wanted, weights)), key=_order)
    if embed is not None:
        candidates = sorted(_with_cosines(question, candidates[:DENSE_CANDIDATES], embed), key=_order)
    chosen = _in_reading_order(_choose(candidates))
    kept, numbers = beside.numbered(evidence, wide, {c.post.item.n for c in chosen})
    by = {item.n: item for item in kept}
    extracts = tuple(
        Extract(n := numbers[c.post.item.n], c.text, by[n].author, by[n].created_at.date(), c.score) for c in chosen
    )
    return extracts, kept


def written(extracts: Iterable[Extract]) -> str:
    """The text of an answer made of extracts: a line each, quoted, with its author, its day and its marker."""
    return "\n".join(
        f"«\u00a0{_inside(item.sentence)}\u00a0» — {_member(item.author)}, {dates.spelled(item.day)} [[{item.n}]]"
        for item in extracts
    )


def _member(author: str) -> str:
    # "jean.fr" is a name, but reads like an address.
    return quotable(author) or quotable(author.replace(".", " "))


def _inside(sentence: str) -> str:
    # Quotations inside a quotation.
    return _QUOTES.sub(lambda found: f"“{found[1]}”", sentence).replace("«", "“").replace("»", "”")


def _with_cosines(question: str, candidates: Sequence[Candidate], embed: Embed) -> list[Candidate]:
    if not candidates:
        return []
    try:
        query = embed([question], "query")[0]
        # As in the index: a reply alone may not say what it speaks of.
        cosines = embed([f"{c.post.item.title}. {c.text}" for c in candidates], "passage") @ query
    except ModelUnavailable:  # words alone choose, as without an encoder; the search has told it
        return list(candidates)
    low, high = float(np.min(cosines)), float(np.max(cosines))
    spread = (high - low) or 1.0
    best = max(candidate.score for candidate in candidates)
    return [
        replace(candidate, score=candidate.score + DENSE_SHARE * best * (float(cosine) - low) / spread)
        for candidate, cosine in zip(candidates, cosines, strict=True)
    ]


def _choose(candidates: Sequence[Candidate]) -> list[Candidate]:
    chosen: list[Candidate] = []
    for candidate in candidates:
        if len(chosen) == MAX_EXTRACTS or candidate.score < RELATIVE_FLOOR * candidates[0].score:
            break
        same_post = sum(kept.post is candidate.post for kept in chosen)
        if same_post < MAX_PER_POST and not any(_repeats(candidate, kept) for kept in chosen):
            chosen.append(candidate)
    return chosen


def _in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """One topic after the other, the best first; in the order of time where a topic speaks over months.

    An extract that is clearly the answer leads.
    """
    leads = len(chosen) > 1 and chosen[0].score >= DOMINATES * chosen[1].score
    topics: dict[TopicId, list[Candidate]] = {}
    for candidate in chosen[leads:]:
        topics.setdefault(candidate.post.item.topic_id, []).append(candidate)
    ordered = [candidate for topic in topics.values() for candidate in _as_opinions_evolve(topic)]
    return [*chosen[:leads], *ordered]


def _as_opinions_evolve(topic: list[Candidate]) -> list[Candidate]:
    moments = [candidate.post.item.created_at for candidate in topic]
    if max(moments) - min(moments) <= SAME_OPINION:
        return topic
    return sorted(topic, key=lambda candidate: (candidate.post.item.created_at, candidate.span.start))


def _repeats(one: Candidate, other: Candidate) -> bool:
    if one.post is other.post and one.span.start < other.span.stop and other.span.start < one.span.stop:
        return True
    common, shorter = len(one.terms & other.terms), min(len(one.terms), len(other.terms))
    return common >= min(DUPLICATE_JACCARD * len(one.terms | other.terms), DUPLICATE_CONTAINED * shorter)


def _order(candidate: Candidate) -> tuple[float, int, int]:
    return -candidate.score, candidate.post.item.n, candidate.span.start


_QUOTES = re.compile(r"«[ \u00a0\u202f]?([^«»]*?)[ \u00a0\u202f]?»")
