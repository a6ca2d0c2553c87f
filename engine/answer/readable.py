"""Sentences of a post that can be read alone: with the one before if they lean on it, the next if they stop short."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..index.french import fold
from .sentences import Sentence, shorten
from .wanted import asks

MIN_CHARS, MAX_CHARS = 40, 400  # what reads well as an extract
# First words that lean on what was said before.
LEANING = frozenset(
    """
    oui non si idem pareil exact exactement voila donc et mais ou car sinon puis ensuite pourtant cependant cela ca
    c il elle ils elles celui celle ceux celles mieux
    """.split()
)
LEANING_PAIRS = frozenset(
    """
    moi_aussi d_ailleurs du_coup apres_ca par_contre en_revanche ce_n en_plus le_mien la_mienne les_miens avec_ca
    pour_ca dans_ce l_autre
    """.split()
)
# "Il faut" leans on nothing.
IMPERSONAL = frozenset("il_faut il_y il_suffit il_est il_existe il_vaut il_reste".split())
# Agreement, thanks and greetings: a sentence of such words alone says nothing.
EMPTY = frozenset(
    """
    oui non ok merci bonjour salut slt hello coucou bonsoir bienvenue moi aussi idem pareil d accord bravo super genial
    exact exactement tout a fait bonne bon route journee soiree chance courage bientot et tous toutes le monde beaucoup
    pour ta ton tes vos la les ces cette votre votre reponse reponses aide conseils 1 lol mdr haha
    """.split()
)

THANKS_WORDS = 7  # "merci pour ton conseil" and no more


def says_nothing(sentence: str) -> bool:
    """Whether a sentence is only agreement, thanks or greetings."""
    words = _words(sentence)
    return EMPTY.issuperset(words) or (words[0] == "merci" and len(words) <= THANKS_WORDS)


def span(sentences: Sequence[Sentence], position: int) -> range:
    """The positions of the sentences to read together so that the one at `position` is understood."""
    start, end = position, position + 1
    if _leans(sentences[start].text) and _joins(sentences, start - 1, start, end):
        start -= 1
    while _stops_short(sentences, start, end) and _joins(sentences, end, start, end):
        end += 1
    if _length(sentences, start, end) < MIN_CHARS and _joins(sentences, start - 1, start, end):
        start -= 1
    return range(start, end)


def joined(sentences: Sequence[Sentence], span: range) -> str:
    """Sentences on one line, cut at a word when they are too long."""
    line = " ".join(" ".join(sentences[position].text.split()) for position in span)
    return line if len(line) <= MAX_CHARS else shorten(line, MAX_CHARS - 1) + "…"


def _joins(sentences: Sequence[Sentence], added: int, start: int, end: int) -> bool:
    """Whether the sentence at `added` exists, helps, and leaves the whole short enough."""
    if not 0 <= added < len(sentences):
        return False
    text = sentences[added].text
    fits = _length(sentences, start, end) + len(text) <= MAX_CHARS
    return fits and not says_nothing(text) and not asks(text)


def _leans(sentence: str) -> bool:
    words = _words(sentence)
    pair = "_".join(words[:2])
    return pair in LEANING_PAIRS or (bool(words) and words[0] in LEANING and pair not in IMPERSONAL)


def _stops_short(sentences: Sequence[Sentence], start: int, end: int) -> bool:
    return sentences[end - 1].text.rstrip().endswith(":") or _length(sentences, start, end) < MIN_CHARS


def _length(sentences: Sequence[Sentence], start: int, end: int) -> int:
    return sum(len(sentence.text) + 1 for sentence in sentences[start:end])


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))
