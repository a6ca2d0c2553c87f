"""What a question may have meant: accents left out, letters mixed up, abbreviations of messages typed in a hurry.

Judged by the words of the archive itself, so that its jargon and its names are right by definition, and by those of the
language. A word that neither holds is read as its nearest neighbour, since nothing else could be found by it; one
without the accents that the archive gives it is looked for both ways; a rare one that resembles a frequent one is only
suggested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from ..index.french import WHOLE, fold, normalise
from ..index.vocabulary import Vocabulary

MIN_CHARS = 4  # shorter words have too many neighbours
FAR = 8  # from this length on, two letters may differ
NEIGHBOURS = 50  # looked at, closest first
FREQUENT = 3  # posts that must hold a word before another is read as it
MORE_FREQUENT = 20  # times; how much more frequent a word must be to be suggested for one that posts hold
# Abbreviations that stand for a word worth looking for; those of function words ("qd", "ds") would find nothing.
ABBREVIATIONS = {
    "pb": "problème", "pbs": "problèmes", "pblm": "problème", "rdv": "rendez-vous", "msg": "message",
    "msgs": "messages", "tps": "temps", "lgtps": "longtemps", "nb": "nombre", "num": "numéro",
    "appart": "appartement", "ordi": "ordinateur", "rep": "réponse", "renseignt": "renseignement", "qté": "quantité",
    "prob": "problème", "comm": "commentaire", "gvt": "gouvernement", "bcp": "beaucoup",
    "pk": "pourquoi", "pq": "pourquoi", "tjs": "toujours", "tjrs": "toujours", "jms": "jamais", "mdp": "mot de passe",
    "admin": "administrateur", "modo": "modérateur", "pj": "pièce jointe", "cb": "carte bancaire",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_APOSTROPHE = re.compile(r"(['’])")
Terms = Callable[[str], list[str]]  # the analysis of the archive's language
Frequency = Callable[[str], int]  # how many posts hold a term


@dataclass(frozen=True, slots=True)
class Reading:
    """How a text is read. `corrections` are (typed, read) pairs; `suggestion` is a whole text, None for none."""

    text: str
    corrections: tuple[tuple[str, str], ...] = ()
    suggestion: str | None = None


def read_as(
    text: str,
    vocabulary: Vocabulary,
    terms: Terms,
    frequency: Frequency,
    *,
    known: Callable[[], Container[str]] = frozenset,
    abbreviations: Mapping[str, str] = ABBREVIATIONS,
) -> Reading:
    """The text with unknown words corrected and abbreviations spelt out, and what else could have been meant.

    `known` gives the words of the language, which are right even where no post holds them; asked for when needed.
    """
    read: dict[str, str] = {}
    corrected: dict[str, str] = {}
    suggested: dict[str, str] = {}
    for word in dict.fromkeys(normalise(part) for part in _parts(text)):
        if word in abbreviations:
            read[word] = f"{word} {abbreviations[word]}"
        elif len(word) >= MIN_CHARS and terms(word):  # a function word is searched in no spelling
            # Another form of a word that posts hold finds them: it is known, however it is written in them.
            posts = max(vocabulary.posts(word), *(frequency(term) for term in terms(word)), 0)
            accented = _accented(word, posts, vocabulary)
            if accented is not None and terms(accented) == terms(word):
                continue
            if accented is not None:
                read[word] = f"{word} {accented}" if posts else accented
            elif (near := _neighbour(word, posts, vocabulary)) is not None and word not in known():
                (suggested if posts else corrected)[word] = near
    chosen = _replaced(text, read | corrected)
    return Reading(chosen, tuple(corrected.items()), _replaced(chosen, suggested) if suggested else None)


def _accented(word: str, posts: int, vocabulary: Vocabulary) -> str | None:
    """The word with the accents that the archive gives it."""
    other = vocabulary.same_but_accents(word)
    if other is None or other == word or vocabulary.posts(other) < max(FREQUENT, posts * MORE_FREQUENT):
        return None
    return other


def _neighbour(word: str, posts: int, vocabulary: Vocabulary) -> str | None:
    """The closest word that enough posts hold: one letter away, two for a long word; the most frequent of several."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    within = 2 if len(word) >= FAR else 1
    enough = vocabulary.held_by(max(FREQUENT, posts * MORE_FREQUENT))
    if not enough:
        return None
    found = process.extract(
        fold(word), vocabulary.folded[:enough], scorer=OSA.distance, score_cutoff=within, limit=NEIGHBOURS
    )
    order = [
        (distance, other[0] != word[0], n, other)  # the first letter is seldom the wrong one
        for _, distance, n in found
        if (other := vocabulary.words[n]) != word
    ]
    return min(order)[-1] if order else None


def _parts(text: str) -> Iterator[str]:
    """The words of a text and their parts beside apostrophes, without those whose apostrophe is their own."""
    for match in _WORD.finditer(text):
        if normalise(match.group()) not in WHOLE:
            yield from (part for part in _APOSTROPHE.split(match.group()) if part not in "'’")


def _replaced(text: str, words: Mapping[str, str]) -> str:
    def new(match: re.Match[str]) -> str:
        if normalise(match.group()) in WHOLE:
            return match.group()
        return "".join(words.get(normalise(part), part) for part in _APOSTROPHE.split(match.group()))

    return _WORD.sub(new, text) if words else text
