"""A message of a conversation by rule: does it lean on what was said before, and which words does it leave out?

French only, without grammar: the small words that point back are few, and what they point to is taken whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from ..index.french import ELISIONS, fold
from . import followup_words as lists

Analyse = Callable[[str], Sequence[str]]

_CHUNK = re.compile(r"[^\s/…]+")
_INVERTED = re.compile(r"(.+?)-(?:t-)?(ils?|elles?|on|je|tu|nous|vous|ce|les?|la|lui|leur|en|y|moi|toi)", re.IGNORECASE)

CARRIED_WORDS = 12
LONG_WORDS = 3  # this many words of its own make a message that begins with "et" a question of its own
SHORT_WORDS = 2  # up to so many, a question without a verb and its object asks about something said before


class Leaning(Enum):
    """How a message stands to what was said before."""

    ALONE = "alone"  # clearly: a new subject, a definition, a thank-you
    PERHAPS = "perhaps"  # nothing points back, nothing says that the subject changed
    LEANS = "leans"


@dataclass(frozen=True, slots=True)
class _Word:
    text: str  # as written, without its elided article
    folded: str
    terms: tuple[str, ...]  # as analysed; none for a small word or one that says nothing of the subject
    capital: bool


def leaning(message: str, earlier: str, *, analyse: Analyse) -> Leaning:
    """Whether the message can be understood without `earlier`, the last thing asked, itself understandable alone."""
    words = _words(message, analyse)
    plain = _folded(words)
    if not words or not earlier.strip():
        return Leaning.ALONE
    own = [word for word in words if word.terms]
    if lists.CHANGES.search(f" {plain} ") or lists.DEFINES.search(f" {plain} "):
        return Leaning.ALONE
    if not own:
        return Leaning.ALONE if lists.POLITE.search(f" {plain} ") else Leaning.LEANS
    if _points_back(words):
        return Leaning.LEANS
    complete = _has_verb_and_object(words)
    if words[0].folded in lists.LINKS:
        return Leaning.ALONE if complete and len(own) >= LONG_WORDS else Leaning.LEANS
    asks = any(word.folded in lists.ASKING for word in words[:2])
    proper = any(word.capital for word in own if word is not words[0])
    if len(own) <= 1 or (len(own) <= SHORT_WORDS and asks and not complete and not proper):
        return Leaning.LEANS
    shared = {term for word in own for term in word.terms} & set(analyse(earlier))
    if shared:
        return Leaning.LEANS if len(own) <= LONG_WORDS else Leaning.PERHAPS
    return Leaning.ALONE if complete or len(own) > LONG_WORDS else Leaning.PERHAPS


def left_out(message: str, earlier: str, *, analyse: Analyse) -> tuple[str, ...]:
    """The words of `earlier` that the message takes for granted, as they were written, in their order.

    What the message replaces is not among them: another year, size, colour, material, season or place.
    """
    words, before = _words(message, analyse), _words(earlier, analyse)
    said = {term for word in words for term in word.terms}
    replaced = _replaced(words, before)
    found: dict[tuple[str, ...], str] = {}
    for word in before:
        if word.terms and not said.issuperset(word.terms) and word.folded not in replaced:
            found.setdefault(word.terms, word.text)
    return tuple(found.values())[:CARRIED_WORDS]


def own_terms(message: str, *, analyse: Analyse) -> frozenset[str]:
    """The terms of the message that say something of its subject."""
    return frozenset(term for word in _words(message, analyse) for term in word.terms)


def without_link(message: str) -> str:
    """The message without the words that tie it to the one before ("et", "du coup")."""
    return lists.LINKED.sub("", message.strip(), count=1) or message.strip()


def _points_back(words: Sequence[_Word]) -> bool:
    """Whether a small word stands for something that the message does not name before it."""
    named = False
    short = sum(bool(word.terms) for word in words) <= LONG_WORDS
    for n, word in enumerate(words):
        before = words[n - 1].folded if n else ""
        after = words[n + 1] if n + 1 < len(words) else _NOTHING
        if word.folded in lists.ALWAYS_BACK and not (word.folded.startswith("l") and before in lists.RELATIVE_AFTER):
            return True
        if word.folded in lists.ORDINALS and n == 1 and before in lists.OBJECTS:
            return True
        if word.folded in lists.SUBJECTS and not named and not _impersonal(n, words):
            return True
        unnamed = not named or (short and word.folded == "en")
        if word.folded in lists.OBJECTS and unnamed and _is_clitic(word.folded, before, after.folded):
            return True
        if word.folded in lists.DEMONSTRATIVES and after.terms and after.folded not in lists.MOMENTS:
            return True
        if word.folded in lists.POSSESSIVES and not named and not _verb_before(words[:n]):
            return True
        if word.terms and (before in lists.DETERMINERS or (word.capital and n)):
            named = True
    return False


def _impersonal(n: int, words: Sequence[_Word]) -> bool:
    """Whether the subject at `n` stands for nothing: "il faut", "y a-t-il", "c'est possible"."""
    pronoun = words[n].folded
    if pronoun == "c":
        return not lists.IS.match(_folded(words[n + 1 :])) or bool(lists.IMPERSONAL_REST.match(_folded(words[n + 1 :])))
    if pronoun not in ("il", "ca", "cela"):
        return False
    near = _folded(words[max(0, n - 2) : n])
    after = words[n + 1].folded if n + 1 < len(words) else ""
    return (
        (n > 0 and words[n - 1].folded in lists.IMPERSONAL) or near == "y a" or after in lists.IMPERSONAL
        or bool(lists.IMPERSONAL_REST.match(_folded(words[n + 1 :])))
    )  # fmt: skip


def _is_clitic(pronoun: str, before: str, after: str) -> bool:
    """Whether "le", "la", "les", "l", "en", "y" stand for a thing rather than before a noun or a place."""
    if pronoun == "y":
        return after not in ("a", "avait", "aura", "ait", "avoir") and before != "il"
    if before in lists.PERSONS:
        return pronoun != "en" or after not in lists.NOUNS_LIKE_VERBS
    if not lists.INFINITIVE.search(after) or after in lists.NOUNS_LIKE_VERBS:
        return False
    return pronoun in ("en", "les") or before in lists.VERB_OPENERS


def _folded(words: Sequence[_Word]) -> str:
    return " ".join(word.folded for word in words)


def _verb_before(words: Sequence[_Word]) -> bool:
    return any(word.terms or lists.INFINITIVE.search(word.folded) for word in words)


def _has_verb_and_object(words: Sequence[_Word]) -> bool:
    """Whether an infinitive is followed by a thing: "régler un dérailleur"."""
    for n, word in enumerate(words):
        if lists.INFINITIVE.search(word.folded) and word.folded not in lists.NOUNS_LIKE_VERBS:
            later = words[n + 1 : n + 6]
            if any(thing.terms and small.folded in lists.DETERMINERS for small, thing in pairwise(later)):
                return True
    return False


def _replaced(words: Sequence[_Word], before: Sequence[_Word]) -> frozenset[str]:
    gone: set[str] = set()
    # "ce cuir" names what was said before rather than something else.
    pointed = {word.folded for small, word in pairwise(words) if small.folded in lists.DEMONSTRATIVES}
    mine = {word.folded for word in words} - pointed
    for contrast in lists.CONTRASTS:
        if any(_singular(word) in contrast for word in mine):
            gone |= {word.folded for word in before if _singular(word.folded) in contrast}
    if any(lists.YEAR.fullmatch(word) for word in mine):
        gone |= {word.folded for word in before if lists.YEAR.fullmatch(word.folded)}
    own = [word for word in words if word.terms]
    if own and all(word.folded[0].isdigit() or word.folded in lists.UNITS for word in own):
        gone |= {word.folded for word in before if word.folded[0].isdigit() or word.folded in lists.UNITS}
    places = {small.folded for small, place in pairwise(words) if place.capital}
    for small, place in pairwise(before):
        if place.capital and small.folded in places & lists.PLACE_PREPOSITIONS:
            gone.add(place.folded)
    return frozenset(gone - mine)


def _singular(word: str) -> str:
    return word.rstrip("sx") if len(word) > 3 else word


def _words(text: str, analyse: Analyse) -> list[_Word]:
    found: list[_Word] = []
    for chunk in _CHUNK.findall(text.replace("’", "'")):
        for part in _parts(chunk):
            folded = fold(part)
            participle = folded == "ete" and bool(found) and found[-1].folded in lists.AUXILIARIES
            terms = (
                () if participle or folded in lists.EMPTY or not any(map(str.isalnum, part)) else tuple(analyse(part))
            )
            found.append(_Word(part, folded, terms, part[:1].isupper()))
    return found


def _parts(chunk: str) -> Iterable[str]:
    """A written word → the words that it joins: "l'huile", "sont-elles"."""
    chunk = chunk.strip(".,;:!?…«»“”\"()[]*_-'")
    head, apostrophe, rest = chunk.partition("'")
    if apostrophe and fold(head) in ELISIONS:
        yield head
        yield from _parts(rest)
        return
    if inverted := _INVERTED.fullmatch(chunk):
        yield inverted[1]
        yield inverted[2]
    elif chunk:
        yield chunk


_NOTHING = _Word("", "", (), False)
