"""Why a result was found, in sentences: its rank in each list, its words, the sum that put it in its place. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from engine import Hit, Query

from . import i18n
from .i18n import N_
from .i18n import gettext as _
from .printed import RANKINGS

_WORD: Final = re.compile(r"[\w'’+#-]+")
_RANKS: Final[Mapping[str, str]] = {
    "lexical": N_("By its exact words, this message is no. {rank} of its list."),
    "dense": N_("By its meaning, this message is no. {rank} of its list."),
    "recent": N_("The search has no words: messages go from the newest to the oldest, this one is no. {rank}."),
    "combination": N_("Once both lists are cross-checked (words, title, closeness of meaning), it is no. {rank}."),
    "rerank": N_("At the second reading of the best messages, it is no. {rank}."),
}
_ABSENT: Final[Mapping[str, str]] = {
    "lexical": N_("The list by exact words does not hold it: it was found by its meaning."),
    "dense": N_("The list by meaning does not hold it: it was found by its words."),
}


def reasons(hit: Hit, query: Query, analyse: Callable[[str], Sequence[str]], *, mixed: bool) -> Iterator[str]:
    """The sentences, most telling first. `mixed` says that both words and meaning were searched."""
    parts = {part.ranking: part for part in hit.contributions}
    for name, sentence in _RANKS.items():
        if name in parts:
            yield _(sentence).format(rank=i18n.number(parts[name].rank))
        elif mixed and parts and name in _ABSENT and {"lexical", "dense"} & set(parts):
            yield _(_ABSENT[name])
    if not parts:
        yield _("It meets the search, and the list is not sorted by relevance: it has no rank.")
    found, missing = _words(hit, query, analyse)
    if found:
        yield _("Words found: {terms}").format(terms=", ".join(found))
    if missing:
        yield _("Words not found: {terms}").format(terms=", ".join(missing))
    if len(parts) > 1:
        terms = " + ".join(
            _("{share} ({ranking})").format(share=i18n.decimal(part.share, 4), ranking=_name(part.ranking))
            for part in hit.contributions
        )
        yield _("Combined score: {score} = {terms}. A list adds more the better the rank in it.").format(
            score=i18n.decimal(hit.score, 4), terms=terms
        )


def _name(ranking: str) -> str:
    return _(RANKINGS[ranking]) if ranking in RANKINGS else ranking


def _words(hit: Hit, query: Query, analyse: Callable[[str], Sequence[str]]) -> tuple[list[str], list[str]]:
    """The words of the search as they were typed: those that the message or its title holds, and the others."""
    found: dict[str, None] = {}
    missing: dict[str, None] = {}
    for word in _WORD.findall(query.text):
        terms = analyse(word)
        if terms:
            held = set(terms) <= set(hit.matched)
            (found if held else missing)[word] = None
    return list(found), list(missing)
