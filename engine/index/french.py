"""Text to index terms, the same for posts and for queries: elision, ligatures, stemming, folding, exact tokens.

Two kinds of terms come out. *Words* are stemmed and folded, for meaning; *exact tokens* keep what stemming
destroys: codes, sizes, decimals, one-letter words. Knows nothing about Whoosh.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

# Elided forms are function words; what follows the apostrophe is the word.
ELISIONS = frozenset(
    """
    l d j m t s n c qu jusqu lorsqu puisqu quoiqu quelqu presqu entr
    """.split()
)

# Words whose apostrophe is part of them, under every spelling people use.
WHOLE = {
    "aujourd'hui": "aujourdhui",
    "quelqu'un": "quelquun",
    "quelqu'une": "quelquun",
    "prud'homme": "prudhomme",
    "prud'hommes": "prudhommes",
    "prud'homal": "prudhomal",
    "presqu'île": "presquîle",
    "presqu'ile": "presquîle",
    "grand'mère": "grandmère",
    "entr'acte": "entracte",
}

# Function words only. Absent on purpose: été, est, or, son, ton, car, pas, plus, si, avions, as, fut, sens,
# sous, mine, tes… are also nouns or carry meaning here ("été", "l'est", "l'or", "le son", "le car").
FRENCH_STOP = frozenset(
    """
    à a ai aie au aux avec avez avons c ce ceci cela celle celles celui ces cet cette ceux chez ci comme
    d dans de des donc du elle elles en entre es et êtes eu euh eux hein il ils j je l la là le les leur
    leurs lui m ma mais me mes moi n ne nos notre nous on ont ou où par parce pendant peu pour puis qu
    quand que quel quelle quelles quels qui quoi s sa sans se ses soit sommes sont suis sur t ta te toi
    tu un une vos votre vous y ça étaient étais était étant
    """.split()
)
ENGLISH_STOP = frozenset(
    """
    a an and are as at be been but by for from had has have he her his i if in into is it its me my no
    not of on or our she so such that the their them then there these they this to was we were which
    will with you your
    """.split()
)

# Forms that the stemmer leaves apart from the word they belong to, under that word.
_SAME_WORD = {
    form: word
    for word, forms in {
        "blanc": "blanche", "sec": "sèche", "frais": "fraîche", "franc": "franche", "long": "longue",
        "doux": "douce", "faux": "fausse", "roux": "rousse", "vieux": "vieille vieil", "beau": "belle bel",
        "nouveau": "nouvelle nouvel", "fou": "folle", "mou": "molle", "public": "publique", "grec": "grecque",
        "turc": "turque", "bref": "brève", "neuf": "neuve", "veuf": "veuve", "favori": "favorite",
        "gentil": "gentille", "gros": "grosse", "gras": "grasse", "épais": "épaisse", "bas": "basse",
        "travail": "travaux", "bail": "baux", "vitrail": "vitraux", "émail": "émaux", "oeil": "yeux",
        "pneu": "pneus", "bleu": "bleus",
    }.items()
    for singular in forms.split()
    for form in (singular, singular + "s")
}  # fmt: skip
# Regular pairs that the stemmer leaves apart: actif, active; conducteur, conductrice. "vif" and "if" are too short.
_MASCULINE = ((re.compile(r"(?<=\w\w)ifs?$"), "ive"), (re.compile(r"(?<=\w\w)trices?$"), "teur"))

# After a verb these are pronouns ("peut-on", "dis-moi"), not parts of a code.
_CLITICS = frozenset(
    """
    je tu il elle on nous vous ils elles ce moi toi le la les lui leur y en là ci t même mêmes
    """.split()
)
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ß": "ss", "’": "'", "ʼ": "'", "‘": "'", "´": "'", "′": "'"})
# A decimal is one word: its parts would find every 3 and every 5.
_WORD = re.compile(r"(?<![\w.,])\d+[.,]\d+(?![.,]?\w)|\w+(?:'\w+)*")
_CHUNK = re.compile(r"[^\s«»“”\"()\[\]{}<>…;!?|]+")
_SYMBOL = re.compile(r"[+#&@*°%./:_,-]")
_DECIMAL = re.compile(r"^\d+[.,]\d+$")
_MAX_TERM_CHARS = 64  # longer "words" are URLs, base64 and keyboard mashing


Analyse = Callable[[str], Sequence[str]]  # the terms of a text in order


@dataclass(frozen=True, slots=True)
class Analyser:
    """The two analyses of one language. `terms` of the `tokens` of a text are its `words`."""

    words: Callable[[str], list[str]]
    exact: Callable[[str], list[str]]
    terms: Callable[[Iterable[str]], list[str]]


@lru_cache(maxsize=4)
def analyser(language: str) -> Analyser:
    """The analyser of "fr" or "en"; the same object each time, so that its word cache is shared."""
    french = language == "fr"
    terms = _term_function("french" if french else "english", FRENCH_STOP if french else ENGLISH_STOP, elide=french)
    return Analyser(words=lambda text: terms(tokens(text)), exact=exact_tokens, terms=terms)


def tokens(text: str) -> list[str]:
    """The words of a text as they are written, normalised, with their elisions; decimals whole."""
    return _WORD.findall(normalise(text))


def normalise(text: str) -> str:
    """NFC, lower case, ligatures opened, one kind of apostrophe. Idempotent, equal for NFC and NFD input."""
    lowered = unicodedata.normalize("NFC", text).lower().translate(_LIGATURES)
    # Lower-casing can leave a combining mark behind ("İ"): composing again makes this a fixed point.
    return unicodedata.normalize("NFC", lowered)


def fold(text: str) -> str:
    """Lower case without accents or ligatures: for comparing names, tags and titles."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", normalise(text))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def exact_tokens(text: str) -> list[str]:
    """Codes, sizes, decimals and one-letter words, folded, their inner punctuation kept ("f-gabc", "c++", "3,5")."""
    found: list[str] = []
    for match in _CHUNK.finditer(normalise(text)):
        chunk = match.group().strip(".,:'`*_~/-=")
        if "'" in chunk:
            head, _, rest = chunk.partition("'")
            chunk = rest if head in ELISIONS else chunk
        if len(chunk) > 1 and chunk.isalpha():
            continue  # nearly all of them: a word and nothing else
        if not chunk or len(chunk) > _MAX_TERM_CHARS or not any(c.isalnum() for c in chunk):
            continue
        if len(chunk) == 1:
            found.append(fold(chunk))
        elif _DECIMAL.match(chunk):
            found.append(chunk.replace(".", ","))
        elif _SYMBOL.search(chunk) and "//" not in chunk and not _is_inversion(chunk):
            found.append(fold(chunk))
    return found


def _is_inversion(chunk: str) -> bool:
    return "-" in chunk and chunk.rpartition("-")[2] in _CLITICS and not any(c.isdigit() for c in chunk)


def _term_function(algorithm: str, stop: frozenset[str], *, elide: bool) -> Callable[[Iterable[str]], list[str]]:
    stemmer = Stemmer.Stemmer(algorithm, 0)  # its own cache off: ours also holds the folding
    known: dict[str, tuple[str, ...]] = {}

    def terms_of(token: str) -> tuple[str, ...]:
        if len(token) > _MAX_TERM_CHARS:
            return ()
        if _DECIMAL.match(token):
            return (token.replace(".", ","),)
        out = []
        for word in split_apostrophes(token) if elide else (token.removesuffix("'s").replace("'", ""),):
            if not word or word in stop or (len(word) == 1 and not word.isdigit()):
                continue
            # Stem with accents, then fold: "cassée" and "cassé" agree, which folding first would undo.
            out.append(fold(stemmer.stemWord(_one_form(word) if elide else word)))
        return tuple(out)

    def terms(written: Iterable[str]) -> list[str]:
        found: list[str] = []
        for token in written:
            of_token = known.get(token)
            if of_token is None:
                if len(known) > 400_000:
                    known.clear()
                of_token = known[token] = terms_of(token)
            found.extend(of_token)
        return found

    return terms


def _one_form(word: str) -> str:
    word = _SAME_WORD.get(word, word)
    for ending, other in _MASCULINE:
        word = ending.sub(other, word)
    return word


def split_apostrophes(token: str) -> Iterable[str]:
    """The words of a token, its elided forms gone: "l'été" is "été", "aujourd'hui" one word."""
    if "'" not in token:
        return (token,)
    if token in WHOLE:
        return (WHOLE[token],)
    head, _, rest = token.partition("'")
    if head in ELISIONS:
        return split_apostrophes(rest)
    return (head, *split_apostrophes(rest))
