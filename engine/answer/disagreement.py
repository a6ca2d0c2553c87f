"""Whether two posts behind an answer say different things: other figures for one subject, a denial, a change of mind.

Precise rather than complete: what it does not see stays to be read in the sources.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import combinations

from ..index.french import Analyse, fold
from ..values import Evidence
from . import figures, negation
from .sentences import split

NEAR = 3  # an evidence of the first so many counts although it is not cited
SAME_TERMS, SAME_SHARE = 3, 0.6  # of two sentences about the same thing: terms in common, and their part of the shorter
# How a post says that another, or itself earlier, was wrong.
CORRECTS = re.compile(
    r"\b(?:pas d accord|je ne suis pas d accord|c est faux|c est inexact|au contraire|contrairement a ce (?:que|qui)"
    r"|la regle a change|ca a change|j ai change d avis|mise a jour|ce n est plus (?:vrai|le cas)|j avais tort"
    r"|je me suis tromp\w+|rectificatif|je rectifie|erratum)\b"
)


def between(evidence: Sequence[Evidence], cited: Collection[int], analyse: Analyse) -> tuple[int, int] | None:
    """The numbers of two posts that contradict each other, one of them cited and the other too or nearly first."""
    looked_at = [item for place, item in enumerate(evidence) if item.n in cited or place < NEAR]
    for one, other in combinations(looked_at, 2):
        if (one.n in cited or other.n in cited) and (_corrects(one, other) or _differ(one, other, analyse)):
            return one.n, other.n
    return None


def _corrects(one: Evidence, other: Evidence) -> bool:
    if one.topic_id != other.topic_id:
        return False
    later = max(one, other, key=lambda item: (item.created_at, item.post_number))
    return bool(CORRECTS.search(" ".join(re.findall(r"\w+", fold(later.text)))))


def _differ(one: Evidence, other: Evidence, analyse: Analyse) -> bool:
    return any(
        _same_subject(mine, theirs, analyse)
        and (_other_figures(mine, theirs) or negation.contradicted(mine, negation.clauses([theirs], analyse), analyse))
        for mine in (sentence.text for sentence in split(one.text))
        for theirs in (sentence.text for sentence in split(other.text))
    )


def _same_subject(mine: str, theirs: str, analyse: Analyse) -> bool:
    here, there = (frozenset(t for t in analyse(text) if not t[0].isdigit()) for text in (mine, theirs))
    common = len(here & there)
    return common >= SAME_TERMS and common >= SAME_SHARE * min(len(here), len(there))


def _other_figures(mine: str, theirs: str) -> bool:
    """Whether both tell one quantity with a unit, of the same kind, and it is not the same."""
    here, there = ([f for f in figures.find(text) if f.kind and not f.weak] for text in (mine, theirs))
    if len(here) != 1 or len(there) != 1 or here[0].kind != there[0].kind:
        return False
    return not figures.tells(here[0], there) and not figures.tells(there[0], here)
