"""Finds erased names in a text and puts something neutral in their place, knowing only their hashes.

Every run of words is a candidate: « @Jean », « /u/jean », « jean, post:3 » and « merci jean ! » all hold the word jean.
A word is hashed once, however often it is read.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from .decoding import view
from .erased import Erased, Scope, Term, folded

WORD = re.compile(r"\w+")
REMEMBERED = 300_000  # words known not to begin an erased name
_JOINED = ".-"  # what stands inside the names of members, besides letters, digits and _
_BEFORE_QUOTED = ('data-username="', "data-username='", '[quote="', "[quote=", "username:")
_BEFORE_LINKED = ("/u/", "/users/", "/user_avatar/")
_BEFORE_TOLD = ("alt=\"", "title=\"", "\"username\": \"", "\"username\":\"")  # fmt: skip
_AROUND = 24  # characters

Tally = Counter[str]  # "quotes", "mentions", "links", "words"


class Redactor:
    """Reads texts for what was erased. `known` holds the other members' names, folded: « jean-luc » is not « jean »."""

    def __init__(self, erased: Erased, known: frozenset[str] = frozenset()) -> None:
        self._erased, self._known = erased, known
        self._by_first: dict[str, list[Term]] = {}
        for term in sorted(erased.terms, key=lambda term: -term.words):  # the longest that fits
            self._by_first.setdefault(term.first, []).append(term)
        self._whole = {term.hash: term for term in erased.terms if term.is_name}
        self._hot: dict[str, list[Term]] = {}
        self._cold: set[str] = set()

    def name(self, name: str, user_id: int | None = None) -> str | None:
        """What stands in the place of a member's name or number, None for a member who was not erased."""
        if user_id is not None and self._erased.members:
            alias = self._erased.members.get(self._erased.hash_of_member(user_id))
            if alias is not None:
                return alias
        if not self._whole or not name:
            return None
        term = self._whole.get(self._erased.hash(folded(name)))
        return None if term is None else term.alias

    def text(self, text: str, tally: Tally | None = None) -> str:
        """The text without what was erased; the very same text where nothing was."""
        if not self._by_first or not text:
            return text
        source = text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)
        seen = view(source)
        if self._hot.keys().isdisjoint(self._sorted_out(set(WORD.findall(seen.text.casefold())))):
            return text
        pieces: list[str] = []
        done = 0
        for start, end, term in self._found(seen.text):
            first, last = seen.span(start, end)
            pieces += (source[done:first], term.alias)
            done = last
            if tally is not None:
                tally[_kind(seen.text, start, end)] += 1
        return "".join((*pieces, source[done:])) if pieces else text

    def _found(self, text: str) -> list[tuple[int, int, Term]]:
        words = [found.span() for found in WORD.finditer(text)]
        found: list[tuple[int, int, Term]] = []
        n = 0
        while n < len(words):
            start = words[n][0]
            taken = 1
            for term in self._hot.get(text[start : words[n][1]].casefold(), ()):
                if n + term.words > len(words):
                    continue
                end = words[n + term.words - 1][1]
                if self._erased.hash(folded(text[start:end])) == term.hash and self._counts(text, start, end, term):
                    found.append((start, end, term))
                    taken = term.words
                    break
            n += taken
        return found

    def _counts(self, text: str, start: int, end: int, term: Term) -> bool:
        if term.scope == "attributed" and _kind(text, start, end) == "words":
            return False
        run = _run(text, start, end)
        return run == (start, end) or text[run[0] : run[1]].casefold() not in self._known

    def _sorted_out(self, words: set[str]) -> set[str]:
        """Have every word hashed that was not yet."""
        if len(self._cold) > REMEMBERED:
            self._cold.clear()
        for word in words - self._cold - self._hot.keys():
            terms = self._by_first.get(self._erased.hash(word))
            if terms is None:
                self._cold.add(word)
            else:
                self._hot[word] = terms
        return words


def terms_of(
    literal: str, erased: Erased, alias: str, *, attributed: bool = False, is_name: bool = True
) -> tuple[Term, ...]:
    """The entry of the list for a name or a text; none where it holds no word."""
    whole = folded(literal)
    words = [found.span() for found in WORD.finditer(whole)]
    if not words:
        return ()
    text = whole[words[0][0] : words[-1][1]]
    first = whole[words[0][0] : words[0][1]]
    scope: Scope = "attributed" if attributed else "words"
    return (Term(erased.hash(text), erased.hash(first), len(words), alias, scope, is_name),)


def each_string(document: object, change: Callable[[str], str]) -> object:
    """The same JSON value with every text of it changed, keys too."""
    match document:
        case str():
            return change(document)
        case list():
            return [each_string(part, change) for part in document]
        case dict():
            return {change(str(key)): each_string(part, change) for key, part in document.items()}
    return document


def _kind(text: str, start: int, end: int) -> str:
    """How a name stands in a text: quoted, mentioned, linked, or as a word like another."""
    before = text[max(0, start - _AROUND) : start]
    if before.endswith("@"):
        return "mentions"
    if before.endswith(_BEFORE_QUOTED) or before.rstrip().endswith("username:"):
        return "quotes"
    if before.endswith(_BEFORE_LINKED):
        return "links"
    if before.endswith(_BEFORE_TOLD) or (text[end : end + 2] == ":<" and before.rstrip().endswith(">")):
        return "quotes"
    return "words"


def _run(text: str, start: int, end: int) -> tuple[int, int]:
    """The longest name of a member that these words may be a part of."""
    while start > 1 and text[start - 1] in _JOINED and WORD.match(text[start - 2]):
        start -= 2
        while start > 0 and WORD.match(text[start - 1]):
            start -= 1
    while end + 1 < len(text) and text[end] in _JOINED and WORD.match(text[end + 1]):
        end += 2
        while end < len(text) and WORD.match(text[end]):
            end += 1
    return start, end
