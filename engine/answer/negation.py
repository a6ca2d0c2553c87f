"""Whether a sentence says the contrary of the sentences that it rests on: « pas », « jamais », « sans », « interdit »…

Rough on purpose: it compares clause with clause and speaks only when no clause of the source could agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..index.french import Analyse, fold

# Part of a clause's terms that a clause of the source must hold to be about the same thing, and how much less than
# the best one another may hold.
SAME_SUBJECT, NEARLY = 0.5, 0.17
MIN_TERMS = 2  # of a clause that can be compared
# Words that deny by themselves, by their beginning; what they deny is in the clause.
DENYING = (
    *("deconseill", "interdi", "impossib", "inutil", "evit", "proscri", "incompatib", "inefficac", "insuffis"),
    *("refus", "abstenir", "abstenez", "renonc", "exclu"),
)
# Terms that say yes or no, not of what.
POLAR = re.compile(
    r"^(?:conseil|deconseil|recommand|interdi|autoris|permis|permet|possib|impossib|util|inutil|evit|neces|pouv|peu"
    r"|peux|peut|faut|fal|doi|dev|droit|proscri|toujour|jam|plus|pas|rien|aucun|person|bon|mieux|vau|mauv|hesit|besoin"
    r"|ser|avoir|etr|fair|fait|est$)"
)
# Set phrases that deny nothing.
NEUTRAL = re.compile(
    r"\b(?:pas mal|pas seulement|pas uniquement|pas que|(?:n )?(?:hesit|oubli)\w+ pas|pourquoi pas"
    r"|(?:pas de|sans) (?:souci|probleme|difficulte)s?|sans (?:doute|cesse|faute|arret)"
    r"|non plus|plus ou moins|rien que)\b"
)
# Words that turn the whole sentence before them round, in a way that clauses can't tell.
AMBIGUOUS = re.compile(
    r"\b(?:sans succes|en vain|echec|echou\w+|au lieu|plutot que|contrairement|sauf|faux|a l abri|mythe|arret\w*)\b|\?"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence: the terms it speaks of, whether it denies them, the first one after a "sans"."""

    terms: frozenset[str]
    denies: bool
    without: frozenset[str]


def clauses(sentences: Iterable[str], analyse: Analyse) -> tuple[Clause, ...]:
    """The clauses of sentences. One that asks, or whose meaning turns inside it, proves nothing and gives none."""
    return tuple(
        clause
        for sentence in sentences
        if not AMBIGUOUS.search(_plain(sentence))
        for part in _CUT.split(_ASIDE.sub(" ", sentence))
        if (clause := _clause(part, analyse)).terms
    )


def contradicted(sentence: str, held: Sequence[Clause], analyse: Analyse) -> bool:
    """Whether a clause of the sentence has the other sign than every clause held that speaks of the same thing."""
    return any(_opposed(clause, held) or _with_and_without(clause, held) for clause in clauses([sentence], analyse))


def turning_words(sentence: str) -> tuple[str, ...]:
    """The words of a sentence that deny; none in one that affirms what its source denies."""
    return tuple(word for word in re.findall(r"\w+", sentence) if _TURNING.fullmatch(fold(word)))


def denies(text: str) -> bool:
    """Whether a clause denies what it speaks of; two negations cancel each other."""
    words = NEUTRAL.sub(" ", _plain(text)).split()
    ne = any(word in ("ne", "n") for word in words)
    count = any(
        word in ("pas", "jamais", "aucun", "aucune", "guere", "ni")
        or (ne and word in ("plus", "rien", "personne", "point", "nul"))
        for word in words
    )
    return (count + sum(word.startswith(DENYING) for word in words) + words.count("sans")) % 2 == 1


def _opposed(clause: Clause, held: Sequence[Clause]) -> bool:
    if len(clause.terms) < MIN_TERMS:
        return False
    common = [len(clause.terms & other.terms) for other in held]
    shares = [count / len(clause.terms) if count >= MIN_TERMS else 0.0 for count in common]
    best = max(shares, default=0.0)
    if best < SAME_SUBJECT:
        return False
    near = [other for other, share in zip(held, shares, strict=True) if share >= max(SAME_SUBJECT, best - NEARLY)]
    return all(other.denies != clause.denies for other in near)


def _with_and_without(clause: Clause, held: Sequence[Clause]) -> bool:
    """Whether one side does with something what the other does without it."""
    without = frozenset(term for other in held for term in other.without)
    having = frozenset(term for other in held if not other.denies for term in other.terms)
    denied = frozenset(term for other in held if other.denies for term in other.terms)
    if clause.without:
        return bool(clause.without & having) and not clause.without & (without | denied)
    return not clause.denies and bool(clause.terms & without - having)


def _clause(part: str, analyse: Analyse) -> Clause:
    terms = [term for term in analyse(part) if not POLAR.match(term)]
    return Clause(frozenset(terms), denies(part), frozenset(terms[:1] if _SANS.match(part) else ()))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+|\?", fold(text)))


_CUT = re.compile(
    r"[,;:.!…()]|\s-\s|(?=\bsans\s)"
    r"|\b(?:mais|car|donc|puis|alors que|tandis que|parce que|puisque|sinon|lorsque|même si|si|et|ou)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r",\s(?:et|voire|ou)\b[^,]{0,30},", re.IGNORECASE)  # "inutile, et même dangereux, de …"
_SANS = re.compile(r"\s*sans\s", re.IGNORECASE)
_TURNING = re.compile(rf"pas|jamais|aucune?|rien|personne|sans|plus|ni|(?:{'|'.join(DENYING)})\w*")
