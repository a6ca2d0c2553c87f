"""What a question asks for: its telling words, the kind of quantity of its answer, the members and years it names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..index.french import Analyse, fold
from . import dates, figures, names

# Words that ask, and say nothing of what is asked; analysers keep some of them.
ASKING_WORDS = """
    comment combien pourquoi quand quel quelle quels quelles quoi où qui que est-ce avis conseil
    conseils question besoin peut peut-on peux puis-je faut faut-il dois doit-on faire fait sait savez
    connaissez pensez avez-vous êtes-vous vous nous quelqu'un bonjour merci svp vaut-il mieux vaut
    mon son depuis chaque fois mettre mis met mets tout tous toute toutes bien très plus aussi
    """.split()
# How a question asks for a quantity → what the units of its answer measure; or "any", "date", "code".
QUANTITIES = tuple(
    (re.compile(pattern), frozenset(kinds.split()))
    for pattern, kinds in (
        (r"a quelle heure|vers quelle heure", "time"),
        (r"combien de temps|combien (?:d annees|de (?:jours?|semaines?|mois|heures|minutes))|quelle duree", "time"),
        (
            r"combien (?:d euros|coute|ca coute|valent?)|quel (?:prix|tarif|cout|budget)|a combien d euros",
            "euro dollar",
        ),
        (r"combien (?:pese|pesait|de kilos?|de kg)|quel poids", "mass"),
        (r"quelles? (?:dimensions?|longueurs?|largeurs?|hauteurs?|distances?|tailles?|profondeurs?)", "length"),
        (r"combien de (?:km|kilometres|metres|centimetres|millimetres)", "length"),
        (r"quelles? (?:pressions?|presions?)", "pressure"),
        (r"quelles? temperatures?|a combien de degres", "degree"),
        (r"quel pourcentage|quel ?%|combien de ?%", "ratio"),
        (r"quand |en quelle annee|quel jour|quelle date|depuis quand", "date"),
        (r"(?:quelles?|quels?|la|les) (?:references?|modeles?|numeros?|codes?)", "code"),
        (r"combien", "any"),
    )
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for. `kinds` are those of the quantity that answers, empty when it asks for none."""

    terms: frozenset[str]
    kinds: frozenset[str]
    years: frozenset[int]
    words: frozenset[str]  # folded, names of members among them

    @classmethod
    def by(cls, question: str, analyse: Analyse) -> Wanted:
        """By the words of the question."""
        folded = _folded(question)
        kinds = next((kinds for pattern, kinds in QUANTITIES if pattern.search(folded)), frozenset[str]())
        years = frozenset(date.year for date in dates.find(question) if date.year is not None)
        return cls(informative_terms(question, analyse), kinds, years, frozenset(_WORD.findall(fold(question))))

    def names(self, author: str) -> bool:
        """Whether the question names this member."""
        return fold(author) in self.words

    def answered_by(self, text: str) -> bool:
        """Whether a text tells a quantity of the kind asked for; false when none is asked for."""
        if not self.kinds:
            return False
        if "date" in self.kinds:
            return bool(dates.find(text))
        if "code" in self.kinds:
            return bool(names.codes(text))
        told = [figure for figure in figures.find(text) if not figure.weak]
        return any("any" in self.kinds or figure.kind in self.kinds for figure in told)


def informative_terms(question: str, analyse: Analyse) -> frozenset[str]:
    """The question's terms without those of the words that ask; all of them if nothing else is left."""
    asking = {term for word in ASKING_WORDS for term in analyse(word)}
    terms = frozenset(analyse(question))
    return terms - asking or terms


def asks(sentence: str) -> bool:
    """Whether a sentence of a post asks instead of answering."""
    return sentence.rstrip(' »”")\u00a0\u202f').endswith("?") or bool(_ASKING.search(_folded(sentence)))


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+|%", fold(text)))


# Questions of those who spare question marks.
_ASKING = re.compile(
    r"^(?:est ce que|qu est ce|qqn|quelqu un (?:sait|a|connait|peut)|je (?:cherche|me demande|voudrais savoir)"
    r"|j aimerais savoir)\b|\bquoi$|\bla question est\b"
)
_WORD = re.compile(r"\w+")
