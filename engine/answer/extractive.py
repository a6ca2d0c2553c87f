"""Answers without a language model: the best sentences of the evidence, word for word.

Knows nothing about the index; the analyser that turns text into terms is given by the caller.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..seams import Embed
from ..values import Evidence, Role
from .citations import quotable
from .sentences import Sentence, shorten, split

Analyse = Callable[[str], Sequence[str]]

MAX_EXTRACTS = 4
MAX_PER_POST = 2
MIN_CHARS, MAX_CHARS = 30, 400  # what reads well as an extract
# Of a sentence's own coverage (1), what adds the title of its topic, what its post answers, the sentence before.
TITLE_SHARE = 0.3
ANSWERED_SHARE = 0.2
PREVIOUS_SHARE = 0.15
# A question of the archive is rarely the answer to another one.
ASKING_FACTOR = 0.5
# Cosines of one model differ little between neighbours: scaled to 0–1 over the candidates, then weighed.
DENSE_SHARE = 0.5
DENSE_CANDIDATES = 24
# What the first evidence gains on a much later one.
RANK_SHARE = 0.15
# Below this part of the best score a sentence only adds noise.
RELATIVE_FLOOR = 0.5
# Sentences that share this part of their words say the same thing.
DUPLICATE_JACCARD = 0.6
# The relevance floor: share of the question's informative terms that one sentence must hold, with the title of
# its topic and the posts that its post answers. Measured with the French analyser and BM25's first six documents
# on CNIL and PIAF (159 and 150 questions, no such posts): 0.34 silences 0.63 and 0.43 of the questions put to the
# other corpus, 0.01 and 0.07 of those put to their own; 0.41 0.71, 0.62 and 0.03, 0.13. On the demo (25 questions,
# hybrid search) 0.34 silences its 5 unanswerable ones and 4 of the 20 others, three of them misspelt or rephrased.
MIN_COVERAGE = 0.34

# Words that ask, and say nothing of what is asked; analysers keep some of them.
ASKING_WORDS = """
    comment combien pourquoi quand quel quelle quels quelles quoi où qui que est-ce avis conseil
    conseils question besoin peut peut-on peux puis-je faut faut-il dois doit-on faire fait sait savez
    connaissez pensez avez-vous êtes-vous vous nous quelqu'un bonjour merci svp
    """.split()


@dataclass(frozen=True, slots=True)
class Extract:
    """A sentence of evidence `n`, word for word but for links and markers, with its score."""

    n: int
    sentence: str
    score: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    n: int
    position: int
    text: str
    terms: frozenset[str]
    score: float


@dataclass(frozen=True, slots=True)
class _Around:
    """Terms that a sentence may leave out because they stand in its topic's title or in what its post answers."""

    title: frozenset[str]
    answered: frozenset[str]

    @classmethod
    def of(cls, item: Evidence, analyse: Analyse) -> _Around:
        before = (post.text for post in item.context if post.role is not Role.AFTER)
        return cls(frozenset(analyse(item.title)), frozenset(term for text in before for term in analyse(text)))


def extract(
    question: str, evidence: Sequence[Evidence], *, analyse: Analyse, embed: Embed | None = None
) -> tuple[Extract, ...]:
    """The sentences that speak of the question, in the order of the evidence; empty when none does."""
    wanted = informative_terms(question, analyse)
    posts = [(item, split(quotable(item.text))) for item in evidence]
    analysed = [[frozenset(analyse(sentence.text)) for sentence in sentences] for _, sentences in posts]
    around = [_Around.of(item, analyse) for item in evidence]
    if not _speaks_of(wanted, analysed, around):
        return ()
    weights = _weights(wanted, [terms for sentences in analysed for terms in sentences])
    candidates = [
        candidate
        for rank, ((item, sentences), terms, near) in enumerate(zip(posts, analysed, around, strict=True))
        for candidate in _candidates(item.n, rank, sentences, terms, near, weights)
    ]
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.n, candidate.position))
    if embed is not None:
        candidates = _with_cosines(question, candidates[:DENSE_CANDIDATES], embed)
    chosen = sorted(_choose(candidates), key=lambda candidate: (candidate.n, candidate.position))
    return tuple(Extract(n=kept.n, sentence=kept.text, score=kept.score) for kept in chosen)


def written(extracts: Iterable[Extract]) -> str:
    """The text of an answer made of extracts: a line each, quoted, with its marker."""
    return "\n".join(f"«\u00a0{item.sentence}\u00a0» [[{item.n}]]" for item in extracts)


def informative_terms(question: str, analyse: Analyse) -> frozenset[str]:
    """The question's terms without those of the words that ask; all of them if nothing else is left."""
    asking = {term for word in ASKING_WORDS for term in analyse(word)}
    terms = frozenset(analyse(question))
    return terms - asking or terms


def _speaks_of(
    wanted: frozenset[str],
    analysed: Sequence[Sequence[frozenset[str]]],
    around: Sequence[_Around],
) -> bool:
    best = max(
        (
            len(wanted & (terms | near.title | near.answered))
            for sentences, near in zip(analysed, around, strict=True)
            for terms in sentences
        ),
        default=0,
    )
    return bool(wanted) and best >= MIN_COVERAGE * len(wanted)


def _weights(wanted: frozenset[str], sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """Inverse frequency of each wanted term over the sentences, summing to 1.

    The formula of BM25 (Robertson & Spärck Jones), with its +1 inside the logarithm: never negative.
    """
    held = Counter(term for terms in sentences for term in terms & wanted)
    total = len(sentences)
    raw = {term: math.log(1 + (total - held[term] + 0.5) / (held[term] + 0.5)) for term in wanted}
    whole = math.fsum(raw.values())
    return {term: weight / whole for term, weight in raw.items()}


def _candidates(
    n: int,
    rank: int,
    sentences: Sequence[Sentence],
    analysed: Sequence[frozenset[str]],
    near: _Around,
    weights: dict[str, float],
) -> Iterable[_Candidate]:
    for position, (sentence, terms) in enumerate(zip(sentences, analysed, strict=True)):
        previous = analysed[position - 1] if position else frozenset()
        score = math.fsum(
            weight * _share(term, own=terms, near=near, previous=previous) for term, weight in weights.items()
        )
        if score and terms:
            text = _readable(sentences, position)
            too_long = len(sentence.text) > MAX_CHARS
            score *= 0.8 if too_long or len(text) < MIN_CHARS else 1.0
            score *= ASKING_FACTOR if sentence.text.rstrip(" »\u00a0\u202f").endswith("?") else 1.0
            yield _Candidate(n, position, text, terms, score + RANK_SHARE * score / (1 + rank))


def _share(term: str, *, own: frozenset[str], near: _Around, previous: frozenset[str]) -> float:
    if term in own:
        return 1.0
    return max(
        TITLE_SHARE * (term in near.title),
        ANSWERED_SHARE * (term in near.answered),
        PREVIOUS_SHARE * (term in previous),
    )


def _readable(sentences: Sequence[Sentence], position: int) -> str:
    """The sentence on one line; a very short one with its neighbour, a very long one cut at a word."""
    text = sentences[position].text
    if len(text) < MIN_CHARS and len(sentences) > 1:
        first = position if position + 1 < len(sentences) else position - 1
        joined = f"{sentences[first].text} {sentences[first + 1].text}"
        text = joined if len(joined) <= MAX_CHARS else text
    text = " ".join(re.split(r"[ \t\n]+", text))
    return text if len(text) <= MAX_CHARS else shorten(text, MAX_CHARS - 1) + "…"


def _with_cosines(question: str, candidates: Sequence[_Candidate], embed: Embed) -> list[_Candidate]:
    if not candidates:
        return []
    query = embed([question], "query")[0]
    cosines = embed([candidate.text for candidate in candidates], "passage") @ query
    low, high = float(np.min(cosines)), float(np.max(cosines))
    spread = (high - low) or 1.0
    best = max(candidate.score for candidate in candidates)
    scored = [
        replace(candidate, score=candidate.score + DENSE_SHARE * best * (float(cosine) - low) / spread)
        for candidate, cosine in zip(candidates, cosines, strict=True)
    ]
    return sorted(scored, key=lambda candidate: (-candidate.score, candidate.n, candidate.position))


def _choose(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    chosen: list[_Candidate] = []
    for candidate in candidates:
        if len(chosen) == MAX_EXTRACTS or candidate.score < RELATIVE_FLOOR * candidates[0].score:
            break
        same_post = sum(kept.n == candidate.n for kept in chosen)
        if same_post < MAX_PER_POST and not any(_repeats(candidate, kept) for kept in chosen):
            chosen.append(candidate)
    return chosen


def _repeats(one: _Candidate, other: _Candidate) -> bool:
    if one.n == other.n and (one.text in other.text or other.text in one.text):
        return True
    return len(one.terms & other.terms) >= DUPLICATE_JACCARD * len(one.terms | other.terms)
