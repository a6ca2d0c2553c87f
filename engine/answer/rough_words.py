"""A text as rough words: spellings that are read aloud alike become one, for rules that nobody should slip past.

Accents, case, apostrophes, doubled and plural letters, digits and look-alike letters in place of letters, letters set
apart and the usual SMS spellings count for nothing. Far too rough for searching: `index/french.py` does that.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence

from ..index.french import fold

Names = Callable[[Sequence[str]], Collection[str]]  # of these words in lower case, those that are members' names

NAME = "@"  # ends each word of a member's name
_MARK = "\ue000"  # the same while a text's own @ are still there
PAUSE = ","
STOP = "."
STOP_WORDS = 3  # how far apart the end of a sentence sets two words, in words

# Letters of the Cyrillic and Greek alphabets that look like ours.
_LOOK_ALIKE = str.maketrans("аеорсухіѕјкмтвнοαεικνρτυχ", "aeopcyxisjkmtbhoaeikvptyx")
_DIGITS = str.maketrans({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "$": "s"})
_CHUNK = re.compile(r"((?<![\w.])@)?(?P<word>[^\W_](?:[\w.-]*[^\W_])?)")
_SPACED = re.compile(r"(?<!\w)\w(?:([ .*_-])\w)(?:\1\w){2,}(?!\w)")
_STOPPED = re.compile(r"[.!?;]+(?=\s|$)|\n\s*\n")
_PAUSED = re.compile(r"[,:()\[\]{}\"“”„«»\n]+|\s[-–—*]+\s")
_TOKEN = re.compile(rf"[a-z0-9$]+{_MARK}?|[{PAUSE}{STOP}]")
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1+|([aeiou])\2{2,}")  # "ée" is not "é": "armée", "arme"
_SOUNDS = (
    (re.compile("ph"), "f"),
    (re.compile("qu|q"), "k"),
    (re.compile("c(?=[eiy])"), "s"),
    (re.compile("c(?!h)"), "k"),
    (re.compile("y"), "i"),
    (re.compile("w"), "v"),
)
_LEET_CHARS = 3  # letters that a word has beside its digits: "h4ck", but not "28c" nor "mp3"
_NAME_CHARS = 3  # a member called "la" would make a name of every "la"
_PLURAL_CHARS = 4  # shorter words keep their last letter: "tes", "six"


def words(text: str, *, sms: Mapping[str, str] | None = None, names: Names = lambda words: ()) -> list[str]:
    """The rough words in order, with PAUSE at a comma or a bracket and STOP, thrice, between sentences.

    NAME ends the words of a name: what is written @so, holds an underscore, or is found by `names`. `sms` gives the
    usual spelling of a word without accents.
    """
    plain = _plain(text)
    known = frozenset(names([match["word"] for match in _CHUNK.finditer(plain)]))

    def marked(match: re.Match[str]) -> str:
        word = match["word"]
        if not match[1] and "_" not in word and (word not in known or len(word) < _NAME_CHARS):
            return word
        return " ".join(part + _MARK for part in re.split(r"[\W_]+", word))

    plain = fold(_CHUNK.sub(marked, plain)).translate(_LOOK_ALIKE)
    plain = _SPACED.sub(lambda letters: letters[0].replace(letters[1], ""), plain)
    plain = _STOPPED.sub(f" {' '.join(STOP * STOP_WORDS)} ", re.sub(r"\.(?=\S)", " ", plain))
    found: list[str] = []
    for token in _TOKEN.findall(_PAUSED.sub(f" {PAUSE} ", plain)):
        word = token.removesuffix(_MARK)
        usual = fold((sms or {}).get(word, word)).split()
        found += [rough(part) + NAME * (word != token) for part in usual]
    return found


def rough(word: str, *, whole: bool = True) -> str:
    """How a word without accents sounds, roughly; the beginning of a word when it is not whole."""
    if sum(c.isalpha() for c in word) >= _LEET_CHARS:
        word = word.translate(_DIGITS)
    for sound, letters in _SOUNDS:
        word = sound.sub(letters, word)
    word = _DOUBLED.sub(r"\1\2", word)
    return word.rstrip("sx") if whole and len(word) >= _PLURAL_CHARS else word


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFKC", html.unescape(text)).lower()
    return "".join(c for c in composed if unicodedata.category(c) not in ("Cf", "Co"))
