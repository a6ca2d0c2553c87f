"""Sentences that say the contrary of their source."""

from __future__ import annotations

import pytest

from engine.answer.negation import clauses, contradicted, denies, turning_words
from engine.index.french import analyser

WORDS = analyser("fr").words


@pytest.mark.parametrize(
    ("clause", "denied"),
    [
        ("il ne faut pas poncer", True),
        ("pas de DOT dedans", True),
        ("jamais de savon", True),
        ("il ne reste plus de place", True),
        ("il reste plus de place", False),
        ("personne n’a réussi", True),
        ("une personne a réussi", False),
        ("le feu est interdit", True),
        ("le feu n’est pas interdit", False),
        ("n’hésitez pas à poncer", False),
        ("c’est pas mal", False),
        ("sans doute", False),
        ("sans réserver", True),
        ("évitez la Javel", True),
    ],
)
def test_what_denies(clause: str, denied: bool) -> None:
    assert denies(clause) is denied


@pytest.mark.parametrize(
    ("sentence", "source", "contrary"),
    [
        ("La cire convient aux plis.", "La cire ne convient pas aux plis, elle y craquelle.", True),
        ("Le bivouac est autorisé dans le parc.", "Dans le parc le bivouac est interdit.", True),
        ("Le logiciel fonctionne sans connexion.", "Le logiciel ne fonctionne pas sans connexion.", True),
        ("On remplace le joint avec une vidange.", "On remplace le joint sans vidange.", True),
        ("Il n’est pas nécessaire de démonter la roue.", "Inutile de démonter la roue.", False),
        ("On peut dormir sur place sans réserver.", "Pas besoin de réserver, on peut dormir sur place.", False),
        ("La méthode par le froid n’a rien donné.", "J’ai essayé la méthode par le froid : sans succès.", False),
        ("La cire convient aux plis.", "La cire ne convient-elle pas aux plis ?", False),
        ("Le parking n’est pas payant.", "Le parking du col est gratuit.", False),
        ("Le chat dort.", "Il ne pleut pas sur la côte.", False),
    ],
)
def test_contraries(sentence: str, source: str, contrary: bool) -> None:
    assert contradicted(sentence, clauses([source], WORDS), WORDS) is contrary


def test_one_clause_that_agrees_is_enough() -> None:
    sources = ["La cire ne convient pas aux plis.", "Je dis que la cire convient aux plis."]
    assert not contradicted("La cire convient aux plis.", clauses(sources, WORDS), WORDS)


def test_the_words_that_turn_a_sentence_round() -> None:
    assert turning_words("Il ne faut jamais déconseiller la cire, ni rien.") == ("jamais", "déconseiller", "ni", "rien")
