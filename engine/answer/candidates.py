"""The sentences of posts that may answer a question, each with how much it speaks of it and reads like an answer.

Words only: what an encoder adds is the business of `extractive`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..index.french import Analyse
from ..values import Evidence, Role
from . import readable
from .citations import quotable
from .sentences import Sentence, split
from .wanted import Wanted, asks

# Of a sentence's own coverage (1), what adds the title of its topic, what its post answers, the sentence before.
TITLE_SHARE = 0.3
ANSWERED_SHARE = 0.35
PREVIOUS_SHARE = 0.15
# What lifts or lowers a sentence: a quantity of the kind asked for, a member or a year that the question names, a post
# that opens its topic with a question, later ones of the same member, a post found only beside another.
TELLS_QUANTITY, NAMED_AUTHOR, NAMED_YEAR, ASKING_POST, ASKER, BESIDE = 1.4, 1.3, 1.2, 0.6, 0.8, 0.9
AWKWARD = 0.8  # too long to be read at once
# What the first evidence gains on a much later one.
RANK_SHARE = 0.15
# Of an extract once its neighbours were joined: less is a reply to something that is not shown.
MIN_CHARS = 20


@dataclass(frozen=True, slots=True)
class ReadPost:
    """An evidence with its sentences, their terms, and the terms around it that they may leave out."""

    item: Evidence
    rank: int
    sentences: tuple[Sentence, ...]
    terms: tuple[frozenset[str], ...]
    title: frozenset[str]
    answered: frozenset[str]
    written: frozenset[str]  # by whom, in which year
    beside: bool

    @classmethod
    def of(cls, item: Evidence, rank: int, analyse: Analyse, *, beside: bool) -> ReadPost:
        """`rank` from 0 in the evidence; `beside` when only its neighbour was found."""
        sentences = split(quotable(item.text))
        before = (post.text for post in item.context if post.role is not Role.AFTER)
        label = f"{item.author} {item.created_at.year}"
        return cls(
            item, rank, sentences, tuple(frozenset(analyse(sentence.text)) for sentence in sentences),
            frozenset(analyse(item.title)), frozenset(term for text in before for term in analyse(text)),
            frozenset(analyse(label)), beside,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """Sentences that are read together, with their terms and score."""

    post: ReadPost
    span: range
    text: str
    terms: frozenset[str]
    score: float


def coverage(wanted: Wanted, posts: Iterable[ReadPost]) -> float:
    """The largest part of the question's terms that one sentence holds with what stands around it."""
    held = (len(wanted.terms & (terms | post.title | post.answered)) for post in posts for terms in post.terms)
    return max(held, default=0) / len(wanted.terms) if wanted.terms else 0.0


def weights_of(wanted: frozenset[str], sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """Inverse frequency of each wanted term over the sentences, summing to 1.

    The formula of BM25 (Robertson & Spärck Jones), with its +1 inside the logarithm: never negative.
    """
    held = Counter(term for terms in sentences for term in terms & wanted)
    total = len(sentences)
    raw = {term: math.log(1 + (total - held[term] + 0.5) / (held[term] + 0.5)) for term in wanted}
    whole = math.fsum(raw.values())
    return {term: weight / whole for term, weight in raw.items()}


def found_in(post: ReadPost, wanted: Wanted, weights: dict[str, float]) -> Iterator[Candidate]:
    """What a post offers, one candidate for each sentence that speaks of the question and can be read."""
    lifted = _lift(post, wanted)
    for position, (sentence, own) in enumerate(zip(post.sentences, post.terms, strict=True)):
        if not own or asks(sentence.text) or readable.says_nothing(sentence.text):
            continue
        previous = post.terms[position - 1] if position else frozenset[str]()
        score = math.fsum(w * _share(term, own, post, previous) for term, w in weights.items())
        if score:
            span = readable.span(post.sentences, position)
            text = readable.joined(post.sentences, span)
            if len(text) < MIN_CHARS:
                continue
            score *= lifted * (AWKWARD if len(sentence.text) > readable.MAX_CHARS else 1.0)
            score *= TELLS_QUANTITY if wanted.answered_by(text) else 1.0
            terms = frozenset(term for place in span for term in post.terms[place])
            yield Candidate(post, span, text, terms, score)


def _lift(post: ReadPost, wanted: Wanted) -> float:
    lift = 1 + RANK_SHARE / (1 + post.rank)
    lift *= NAMED_AUTHOR if wanted.names(post.item.author) else 1.0
    lift *= NAMED_YEAR if post.item.created_at.year in wanted.years else 1.0
    lift *= BESIDE if post.beside else 1.0
    return lift * _asking(post.item)


def _asking(item: Evidence) -> float:
    """What lowers the posts of whoever opened the topic with a question."""
    opening = next((post for post in item.context if post.role is Role.OPENING), None)
    author, text = (
        (item.author, item.text) if item.post_number == 1 else (opening.author, opening.text) if opening else ("", "")
    )
    if item.author != author or "?" not in f"{item.title} {text}":
        return 1.0
    return ASKING_POST if item.post_number == 1 else ASKER


def _share(term: str, own: frozenset[str], post: ReadPost, previous: frozenset[str]) -> float:
    if term in own or term in post.written:
        return 1.0
    return max(
        TITLE_SHARE * (term in post.title),
        ANSWERED_SHARE * (term in post.answered),
        PREVIOUS_SHARE * (term in previous),
    )
