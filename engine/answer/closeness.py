"""Whether two sentences say nearly the same, by meaning, on a scale that doesn't depend on the encoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..index.french import Analyse
from ..seams import Embed, Vectors

COMPARED = 8  # sentences of the sources, those nearest in words first
TEXT_CHARS = 600  # of a post compared as a whole
# How much nearer than strangers, as part of what is left to identity. Measured with multilingual-e5-small on the pairs
# of claims_fr.yml that are not held out (`make claims-report`).
MIN_CLOSENESS = 0.27

# Sentences about nothing in particular: how near this encoder puts what has nothing to do.
STRANGERS = """
    Le train de nuit arrive à la gare avant l’aube.
    La recette demande du beurre, de la farine et du sel.
    Le juge a rendu sa décision hier matin.
    Mon ordinateur ne s’allume plus depuis la mise à jour.
    Les élèves visitent le musée avec leur professeur.
    Il pleuvra demain sur toute la côte.
    La banque a refusé son prêt.
    Ce film raconte la vie d’un marin.
    Elle court dix kilomètres chaque dimanche.
    Le jardin est plein de mauvaises herbes.
    Notre équipe a perdu le match aux tirs au but.
    Le médecin reçoit sur rendez-vous.
"""


def says_the_same(
    sentence: str,
    sentences: Sequence[str],
    texts: Sequence[str],
    *,
    analyse: Analyse,
    embed: Embed,
) -> bool:
    """Whether one of the sentences, or one of the texts as a whole, is close in meaning."""
    terms = set(analyse(sentence))
    nearest = sorted(sentences, key=lambda other: -len(terms.intersection(analyse(other))))[:COMPARED]
    return closeness(sentence, [*nearest, *(text[:TEXT_CHARS] for text in texts)], embed) >= MIN_CLOSENESS


def closeness(sentence: str, others: Sequence[str], embed: Embed) -> float:
    """From 0 (no nearer than strangers are) to 1 (the same), for the nearest of the others; below 0 is farther."""
    if not others:
        return 0.0
    # An encoder reads the two apostrophes as two different things: those of STRANGERS for all.
    first, *rows = embed([text.replace("'", "’") for text in (sentence, *others)], "passage")
    best = max(float(row @ first) for row in rows)
    far = float(np.mean(_strangers(embed) @ first))
    return (best - far) / (1 - far)


@lru_cache(maxsize=2)
def _strangers(embed: Embed) -> Vectors:
    return embed([line.strip() for line in STRANGERS.strip().splitlines()], "passage")
