"""The French words by which a message shows that it leans on what was said before, without accents."""

from __future__ import annotations

import re

from ..index.french import fold


def _set(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


INFINITIVE = re.compile(r"..(er|ir|dre|[ae]ttre|aitre|[uav]ire|i?vre)$")
YEAR = re.compile(r"(19|20)\d\d")
LINKED = re.compile(
    r"^(?:et|mais|alors|donc|du coup|ok(?:ay)?|d['’]accord|oui|non|sinon|puis)\b[\s,:…]*(?=\S)", re.IGNORECASE
)

# With one of these first, a message goes on from the one before.
LINKS = _set("et mais alors donc puis pareil idem ou aussi plutôt même surtout par sauf sans avec pour")
# They name something only by pointing at it.
ALWAYS_BACK = _set(
    """
    celui celle ceux celles celui-ci celui-là celle-ci celle-là ceux-ci ceux-là celles-ci celles-là lequel
    laquelle lesquels lesquelles lui-même elle-même ceci
    """
)
# After these, "lequel" is a relative pronoun: its noun stands in the message.
RELATIVE_AFTER = _set("sur dans avec pour sous par chez à de vers contre selon sans")
# After an article, at the start: "le second", not "l'an dernier".
ORDINALS = _set("premier première second seconde dernier dernière")
SUBJECTS = _set("il elle ils elles ça cela c")
OBJECTS = _set("le la les l en y")
DEMONSTRATIVES = _set("ce cet cette ces")
POSSESSIVES = _set("son sa ses leur leurs")
PERSONS = _set("je j tu on nous vous")
# What follows one of these is a thing that the message names.
DETERMINERS = _set(
    """
    le la les l un une des du de d au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos
    leur leurs
    """
)
# Between one of these and an infinitive, "le" is a pronoun: "comment le nettoyer".
VERB_OPENERS = _set(
    """
    comment pour à de sans faut faut-il il peut peut-on puis-je dois doit-on vais va on où quand pourquoi
    """
)
# Their "il" stands for nothing.
IMPERSONAL = _set(
    """
    faut faudrait fallait vaut suffit existe s'agit agit pleut neige gèle semble paraît reste convient
    """
)
IS = re.compile(r"(est|etait|sera|serait)\b(?! (ce|qui|que|quoi|quand|comment|ou)\b)")
IMPERSONAL_REST = re.compile(
    r"(y a|y avait|est (possible|necessaire|utile|interdit|conseille|preferable|normal|temps|vrai|dangereux)"
    r"|est obligatoire|fait (beau|froid|chaud|nuit|humide)|vous plait|te plait|m en|s agit)\b"
)
# "ce forum", "cet été" need no earlier message; "ce sont", "ce qui" point at nothing.
MOMENTS = _set(
    """
    forum site soir matin midi été hiver printemps automne année an mois semaine week-end jour moment genre type
    sont est qui que
    """
)
# Nouns that end as an infinitive does.
NOUNS_LIKE_VERBS = _set(
    """
    cuir soulier atelier cordonnier papier acier panier hiver fer derrière cahier métier premier dernier mer
    plaisir avenir souvenir soir noir miroir tiroir espoir cidre poudre cadre titre mètre litre centre lettre
    novembre décembre septembre octobre filtre ventre être lustre verre cire livre cuivre pire velours
    """
)
ASKING = _set("quel quelle quels quelles combien quand pourquoi où comment qui quoi est-ce")
PLACE_PREPOSITIONS = _set("à au aux en chez de vers sur")
# "a été" is not the summer.
AUXILIARIES = _set("a ai as ont avons avez avait avaient avoir ayant aura aurait")
UNITS = _set("mm cm m kg g km bar bars euros pouces ans taille pointure")
# Words that say nothing of a subject, in a question or a thank-you; an analyser keeps many of them.
EMPTY = _set(
    """
    faire fait fais font ferait peut peux peuvent pouvez pourrait veux veut voulez voudrais dois doit devez
    falloir faut pense penser pensez penses avis conseil conseils conseiller conseillez conseilles recommandez
    recommander savoir sais savez connaître connaissez cherche cherchez chercher trouve trouver vaut valent
    valoir mieux meilleur meilleure meilleurs bon bonne bien vraiment aussi encore toujours déjà plutôt
    seulement juste surtout sinon alors donc puis autre autres même mêmes prendre prend mettre met premier
    première exemple question chose choses gens quelqu'un merci bonjour bonsoir salut svp stp ok okay d'accord
    accord oui non sûr sûre beaucoup très plus moins trop assez tout toute tous toutes rien être sont est était
    va vont vais aller son ton dire dit voir choisir utiliser existe exister comment combien pourquoi quand où
    qui quoi quel quelle quels quelles est-ce lequel laquelle lesquels lesquelles celui celle ceux celles second
    seconde dernier dernière pareil idem par ils elles il elle on je tu nous vous les des une temps fois parler
    parle marque marques modèle modèles
    """
)
# Over the folded words of a message, a space at either end.
CHANGES = re.compile(
    r" (autre question|autre sujet|autre chose|rien a voir|changeons de sujet|changement de sujet|hors sujet"
    r"|sans rapport|nouvelle question|question differente|je change de sujet) "
)
DEFINES = re.compile(
    r" (c est quoi (un|une|le|la|les|l|des|du) |qu est-ce qu (un|une|on) |qu est ce qu (un|une|on) |que veut dire "
    r"|que signifie |definition (de|du|d) )"
)
POLITE = re.compile(r" (merci|bonjour|bonsoir|salut|d accord|ok|okay|super|parfait|au revoir|bonne journee) ")
# Of one set, what the message names takes the place of what was named before.
CONTRASTS = tuple(
    _set(text)
    for text in (
        "homme femme enfant dame fille garçon",
        "hiver été printemps automne",
        "avant arrière",
        "noir marron brun bordeaux beige blanc bleu vert rouge gris fauve cognac",
        "acier aluminium alu carbone titane bois",
        "cuir daim nubuck velour veau cordovan toile caoutchouc gomme crêpe",
        "sec pluie humide neige mouillé",
        "neuf neuve occasion",
        "gauche droite droit",
        "jour nuit",
    )
)
