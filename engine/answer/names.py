"""Proper names, model codes and quoted words of French sentences, and whether a text holds them.

Accents, case, elision, hyphens and spaces don't count: PC-7, pc7 and « PC 7 » are one code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..index.french import Analyse, fold
from . import units

JOINED = 4  # words of a text that may be one code of another: "6902 - 2 RS" and "6902-2RS"
# Capital letters that are no names.
NO_NAMES = frozenset(
    """
    m mm mme mlle dr me st ste lundi mardi mercredi jeudi vendredi samedi dimanche janvier fevrier mars avril mai
    juin juillet aout septembre octobre novembre decembre
    """.split()
)
# Words that begin a sentence bare, without an article, and are no names. Verbs are told by their endings.
BARE_STARTS = frozenset(
    """
    ainsi alors apres assez attention aucun aucune auparavant aussi autant autour autre autres avant avec
    beaucoup bien bon bonjour bonne bonsoir bref car ceci cela celle celles celui cependant certain certaines
    certains ceux chacun chacune chaque chez combien comme contre dans davantage depuis derriere des desormais
    dessous dessus deux devant difficile donc dont durant elle elles encore enfin ensuite environ facile faute
    grace hors ici idem il ils impossible inutile jamais jusque juste la le les leur leurs loin lors lorsque
    mais malgre meme mes mieux moins mon ne neanmoins ni non nos notre on or ou oui outre par parce parfois
    parmi partout pas pendant personne peu peut plupart plus plusieurs plutot possible pour pourquoi pourtant
    pres presque puis puisque quand quant quel quelle quelles quelque quelques quels qui quiconque quoi quoique
    rien sans sauf selon ses seul seule seules seuls si sinon sitot soit son sous souvent sur surtout tandis
    tant tantot tard tel telle tels tot toujours tous tout toute toutefois toutes tres trois trop un une utile
    vers voici voila vos votre
    """.split()
)
VERB_OR_ADVERB = re.compile(r"(?:ment|ez|ons|er|ir|oir|re|ant|ee?s?)$")
# What follows a common noun at the beginning of a sentence, and rarely a name.
AFTER_A_NOUN = frozenset("de d du des a au aux en pour sur par sans".split())


@dataclass(frozen=True, slots=True)
class Held:
    """What some texts hold: folded words, their neighbours joined, their terms, and everything in one line."""

    words: frozenset[str]
    joined: frozenset[str]
    terms: frozenset[str]
    flat: str

    @classmethod
    def of(cls, texts: Iterable[str], analyse: Analyse) -> Held:
        """Of these texts, each on its own: no code is joined over two of them."""
        words: set[str] = set()
        joined: set[str] = set()
        terms: set[str] = set()
        lines: list[str] = []
        for text in texts:
            tokens = _tokens(text)
            words.update(tokens)
            for size in range(2, JOINED + 1):
                joined.update("".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1))
            terms.update(analyse(text))
            lines.append(" ".join(tokens))
        return cls(frozenset(words), frozenset(words | joined), frozenset(terms), f" {' | '.join(lines)} ")


def codes(text: str) -> tuple[tuple[int, int], ...]:
    """Where the codes of a text stand: letters with figures, capitals, C++, names in one word with a _ or a Capital."""
    return tuple(match.span() for match in _CHUNK.finditer(text) if _is_code(match[0]))


def unknown_codes(text: str, held: Held) -> tuple[str, ...]:
    """The codes of a sentence that the texts don't hold."""
    return tuple(text[a:b] for a, b in codes(text) if not _holds_code(_tokens(text[a:b]), held))


def unknown_names(text: str, held: Held, analyse: Analyse) -> tuple[str, ...]:
    """The proper names of a sentence that the texts don't hold. Codes are not looked at."""
    coded = {place for span in codes(text) for place in range(*span)}
    found = []
    for match in _CAPITALISED.finditer(text):
        name = fold(match[0])
        if match.start() in coded or name in NO_NAMES or _holds(name, match[0], held, analyse):
            continue
        if not _LEADS.search(text[: match.start()]) or _is_leading_name(match, analyse):
            found.append(match[0])
    return tuple(found)


def unknown_quotes(text: str, held: Held) -> tuple[str, ...]:
    """The words between quotation marks that the texts don't hold in that order."""
    found = []
    for match in _QUOTED.finditer(text):
        said = next(group for group in match.groups() if group)
        parts = [" ".join(_tokens(part)) for part in _ELLIPSIS.split(said)]
        if not all(f" {part} " in held.flat for part in parts if part):
            found.append(said.strip())
    return tuple(found)


def _is_code(chunk: str) -> bool:
    if not any(map(str.isalpha, chunk)):
        return False
    if "_" in chunk or (chunk[-1] in "+#"):
        return True
    if any(map(str.isdigit, chunk)):
        return not all(_QUANTITY.fullmatch(part) for part in re.split(r"[-/]", chunk))
    letters = chunk.replace("-", "").replace(".", "")
    return (len(letters) > 1 and letters.isupper()) or bool(_CAMEL.search(chunk))


def _holds_code(parts: list[str], held: Held) -> bool:
    return "".join(parts) in held.joined or f" {' '.join(parts)} " in held.flat


def _holds(name: str, written: str, held: Held, analyse: Analyse) -> bool:
    singular = name.rstrip("sx")
    terms = analyse(written)
    return (
        name in held.joined
        or (len(singular) > 2 and not held.words.isdisjoint((singular, f"{singular}s", f"{singular}x")))
        or (bool(terms) and held.terms.issuperset(terms))
    )


def _is_leading_name(match: re.Match[str], analyse: Analyse) -> bool:
    """Whether the first word of a sentence, whose capital proves nothing, is a name all the same."""
    word = fold(match[0])
    if word in BARE_STARTS or VERB_OR_ADVERB.search(word) or not analyse(match[0]):
        return False
    following = _tokens(match.string[match.end() : match.end() + 30])
    inside = match.string[match.end() : match.end() + 1] in ("'", "’")  # "Aujourd’hui", "Quelqu’un"
    return not inside and bool(following) and following[0] not in AFTER_A_NOUN


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(text))


_TOKEN = re.compile(r"[^\W_]+[+#]*")
_CHUNK = re.compile(r"[^\W_]+(?:[-_./·][^\W_]+)*[+#]{0,2}")
_CAMEL = re.compile(r"[a-z][A-Z]")
_QUANTITY = re.compile(
    rf"\d+(?:[.,]\d+)?(?:{units.PATTERN}|h\d{{0,2}}|er|re|e|[eè]me|nde?|'?s)?|\d+(?:[xX×]\d+)+(?:{units.PATTERN})?",
    re.IGNORECASE,
)
_CAPITALISED = re.compile(r"(?<![^\W\d_])(?=[^\W\d_])(?![a-zà-öø-ÿœ])[^\W\d_]{2,}")
# What may stand before the first word of a sentence, a list item or a quotation.
_LEADS = re.compile(r"(?:^|[.!?…:;«“\"(\n]|(?:^|\s)[-–—•*]|^\s*\d+[.)])[\s\u00a0\u202f]*$")
_QUOTED = re.compile(r"«([^«»]{1,400})»|“([^“”]{1,400})”|\"([^\"]{1,400})\"")
_ELLIPSIS = re.compile(r"[\[(]?(?:…|\.{3})[\])]?")
