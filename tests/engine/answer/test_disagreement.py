"""Posts that contradict each other, and those that only look like it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.answer.disagreement import between
from engine.index.french import analyser
from engine.values import Evidence

from .samples import evidence

WORDS = analyser("fr").words


def pair(one: str, other: str, *, same_topic: bool = True) -> tuple[Evidence, Evidence]:
    later = evidence(2, other, topic=12 if same_topic else 13)
    return evidence(1, one), replace(later, created_at=later.created_at + timedelta(days=400))


@pytest.mark.parametrize(
    ("one", "other", "same_topic"),
    [
        (
            "Les petites annonces sont retirées au bout de 60 jours.",
            "Les petites annonces sont retirées après 30 jours.",
            False,
        ),
        ("La cire convient bien aux plis du cuir.", "La cire ne convient pas aux plis du cuir.", False),
        ("Les annonces ferment après 60 jours.", "Non, la règle a changé : on est passés à 30.", True),
        ("La cire rouille tout.", "Pas d’accord, la mienne brille.", True),
        ("Jamais de tubeless.", "J’ai changé d’avis depuis deux ans.", True),
    ],
)
def test_contradictions(one: str, other: str, same_topic: bool) -> None:
    assert between(pair(one, other, same_topic=same_topic), {1, 2}, WORDS) == (1, 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("La housse coûte 25 €.", "Le billet de train coûte 40 €."),
        (
            "Les petites annonces sont retirées au bout de 60 jours.",
            "Les petites annonces sont retirées au bout de deux mois.",
        ),
        ("La cire tient 300 km.", "Il faut 20 g de paraffine."),
        ("La cire convient aux plis.", "Je cherche une cire, convient-elle aux plis ?"),
        ("Les annonces ferment après 60 jours.", "J’ai changé d’avis depuis deux ans."),
    ],
)
def test_what_is_no_contradiction(one: str, other: str) -> None:
    assert between(pair(one, other, same_topic=False), {1, 2}, WORDS) is None


def test_a_post_nearly_first_counts_though_it_is_not_cited() -> None:
    posts = pair("Les annonces ferment après 60 jours.", "La règle a changé : 30 jours.")
    assert between(posts, {1}, WORDS) == (1, 2)
    assert between(posts, (), WORDS) is None
    far = (posts[0], evidence(3, "x"), evidence(4, "y"), posts[1])
    assert between(far, {1}, WORDS) is None
