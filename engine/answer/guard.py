"""Sentences that no reader should see, whatever a post made a model say: the prompts' words, requests for secrets.

A post may order a model to show its instructions or to ask for a password. Obeying leaves traces: more words in a row
than an honest answer shares with the prompts, or a demand that a guide has no reason to make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from ..index.french import fold
from ..values import Evidence
from . import prompt
from .citations import CitedSentence, cited_sentences, without

RUN = 6  # words in a row that an honest answer doesn't share with the prompts
SHORT = 3  # a whole sentence of so many words, standing in the prompts as it is, comes from them too
# What a guide has no reason to ask: of anybody, or for itself.
SECRET = (
    r"\b(?:mots? de passe|identifiants?|code (?:secret|confidentiel|pin|de verification)|numero de carte|carte bancaire"
    r"|coordonnees bancaires)\b"
)
PERSONAL = r"\b(?:adresse (?:e ?mail|mail|electronique|postale)|e ?mail|numero de telephone)\b"
_YOUR = r"(?:votre|vos|ton|ta|tes)"
_GIVE = r"(?:donne|indique|communique|envoie|envoye|confirme|partage|fourni|transmet\w*|dites|dis)[zr]?"
FOR_ITSELF = re.compile(
    rf"\b{_GIVE} (?:moi|nous)\b|\bquel(?:le)?s? (?:est|sont) {_YOUR}\b|\bbesoin de {_YOUR}\b|\bdemande\w* {_YOUR}\b"
)
OF_ANYBODY = re.compile(rf"\b{_GIVE} {_YOUR} .{{0,40}}?{SECRET}")
ANY_SECRET = re.compile(f"{SECRET}|{PERSONAL}")


def kept(text: str, question: str, evidence: Sequence[Evidence]) -> tuple[str, int]:
    """The text without the sentences that no reader should see, and how many there were.

    Words of the question and of the evidence are nobody's secret.
    """
    allowed = _Allowed(question, evidence)
    bad = [sentence for sentence in cited_sentences(text) if _is_bad(sentence, allowed)]
    return (without(text, bad), len(bad)) if bad else (text, 0)


def heard(pieces: Iterable[str], question: str, evidence: Sequence[Evidence]) -> Iterator[str]:
    """The pieces while they are fit to be shown; from the first that is not, nothing more.

    The last words wait for those after them: nothing that turns out to be the prompts' own was shown before.
    """
    allowed = _Allowed(question, evidence)
    waiting, silent = "", False
    for piece in pieces:
        if silent:
            continue  # the source is read to its end: the whole is judged by `kept`
        waiting += piece
        ends = [match.end() for match in re.finditer(r"\w+", waiting)]
        if _says_prompt(waiting, allowed) or _asks_secret(waiting):
            silent = True
        elif len(ends) >= RUN:
            cut = ends[-RUN]
            yield waiting[:cut]
            waiting = waiting[cut:]
    if waiting and not silent and not _is_prompt_sentence(waiting, allowed):
        yield waiting


class _Allowed:
    """What may be said although the prompts say it too."""

    def __init__(self, question: str, evidence: Sequence[Evidence]) -> None:
        texts = [question]
        texts += [text for item in evidence for text in (item.title, item.text, *(post.text for post in item.context))]
        self.lines = [_words(text) for text in texts]
        self.runs = frozenset(run for line in self.lines for run in _runs(line))

    def holds(self, words: tuple[str, ...]) -> bool:
        said = f" {' '.join(words)} "
        return any(said in f" {' '.join(line)} " for line in self.lines)


def _is_bad(sentence: CitedSentence, allowed: _Allowed) -> bool:
    said = sentence.text
    return _says_prompt(said, allowed) or _is_prompt_sentence(said, allowed) or _asks_secret(said)


def _says_prompt(text: str, allowed: _Allowed) -> bool:
    return any(run in _prompt_runs() and run not in allowed.runs for run in _runs(_words(text)))


def _is_prompt_sentence(text: str, allowed: _Allowed) -> bool:
    words = _words(text)
    if words in _prompt_lines():
        return not allowed.holds(words)
    if not SHORT <= len(words) < RUN or allowed.holds(words):
        return False
    said = f" {' '.join(words)} "
    return any(said in f" {' '.join(line)} " for line in _prompt_lines())


def _asks_secret(text: str) -> bool:
    parts = (" ".join(_words(part)) for part in re.split(r"[.!\n]", text))
    return any(OF_ANYBODY.search(part) or (FOR_ITSELF.search(part) and ANY_SECRET.search(part)) for part in parts)


@cache
def _prompt_lines() -> tuple[tuple[str, ...], ...]:
    return tuple(words for text in prompt.texts() for line in text.splitlines() if (words := _words(line)))


@cache
def _prompt_runs() -> frozenset[tuple[str, ...]]:
    return frozenset(run for line in _prompt_lines() for run in _runs(line))


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", fold(text)))
