"""A language model that judges answers as RAGAS does: their claims against the sources, the questions that they fit.

The prompts are ours, in French, and do what RAGAS's do. A small model judges badly: its name goes with its figures.
Nothing but the question, the answer and the public posts that it rests on is sent to it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from ..answer.citations import quotable, without_markers
from ..answer.stream import without_thoughts
from ..seams import Embed, Generate, Message
from ..values import Answer, Evidence
from .answers import Claim, Judged, answer_relevancy

QUESTIONS = 3  # RAGAS's strictness; asked for at once: at temperature 0 the same request gets the same words
CONTEXT_CHARS = 12_000  # of all posts together, those that are cited first
FILES = ("claims.md", "verdicts.md", "questions.md")

_ITEM = re.compile(r"^\s*(?:[-*•–]|\d{1,3}[.):])\s*(\S.*?)\s*$", re.MULTILINE)
_VERDICT = re.compile(r"^\W*(\d{1,3})\W+(oui|non)\b", re.MULTILINE | re.IGNORECASE)
_EVASIVE = re.compile(r"évasi\w*\W+(oui|non)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judge:
    """A model that judges, and the encoder that compares questions. `model` names it in reports."""

    generate: Generate
    embed: Embed | None
    model: str

    @property
    def name(self) -> str:
        """The model and the prompts that it is given."""
        return f"{self.model} ({_fingerprint()})"

    def judge(self, answer: Answer) -> Judged:
        """The verdicts on an answer; what can't be read of a reply is None and named in `failed`.

        Raises ModelUnavailable and GenerationFailed when the model can't be had.
        """
        said = without_markers(answer.text)
        claims = self._claims(answer, said)
        questions, evasive = self._questions(said)
        relevancy = self._relevancy(answer.question, questions, evasive)
        failed = [name for name, value in (("claims", claims), ("relevancy", relevancy)) if value is None]
        return Judged(claims, questions, evasive, relevancy, tuple(failed))

    def _claims(self, answer: Answer, said: str) -> tuple[Claim, ...] | None:
        """The answer's claims, and which of them the posts hold; None when either reply can't be read."""
        listed = self._ask("claims.md", question=answer.question, answer=said)
        texts = tuple(_ITEM.findall(listed or ""))
        if not texts:
            return None
        numbered = "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1))
        told = self._ask("verdicts.md", context=_context(answer), claims=numbered)
        verdicts = {int(n): word.lower() == "oui" for n, word in _VERDICT.findall(told or "")}
        if any(n not in verdicts for n in range(1, len(texts) + 1)):
            return None
        return tuple(Claim(text, verdicts[n]) for n, text in enumerate(texts, 1))

    def _questions(self, said: str) -> tuple[tuple[str, ...], bool]:
        told = self._ask("questions.md", answer=said, count=str(QUESTIONS)) or ""
        evasive = _EVASIVE.search(told)
        found = [text for text in _ITEM.findall(told) if not _EVASIVE.match(text)]
        return tuple(found[:QUESTIONS]), evasive is not None and evasive[1].lower() == "oui"

    def _relevancy(self, question: str, generated: tuple[str, ...], evasive: bool) -> float | None:
        if evasive:
            return 0.0
        if not generated or self.embed is None:
            return None
        (asked,) = self.embed([question], "query")
        return answer_relevancy(asked, self.embed(list(generated), "query"))

    def _ask(self, name: str, **values: str) -> str | None:
        """The model's reply, None when it was cut: half a list would pass for a whole one."""
        pieces = self.generate([Message("user", Template(_read(name)).substitute(values))])
        said: list[str] = []
        finish = "stop"
        if isinstance(pieces, Generator):
            while True:
                try:
                    said.append(next(pieces))
                except StopIteration as end:
                    finish = end.value or finish
                    break
        else:
            said.extend(pieces)
        return None if finish == "length" else without_thoughts("".join(said))


def _context(answer: Answer) -> str:
    """The posts of the answer with those around them, the cited ones first, as far as there is room."""
    cited = {citation.n for citation in answer.citations}
    room, parts = CONTEXT_CHARS, list[str]()
    for item in sorted(answer.evidence, key=lambda item: (item.n not in cited, item.n)):
        part = _post(item)[:room]
        parts.append(part)
        room -= len(part)
        if room <= 0:
            break
    return "\n\n".join(parts)


def _post(item: Evidence) -> str:
    around = [f"{post.author} : {quotable(post.text)}" for post in item.context]
    return "\n".join([f"{quotable(item.title)} — {item.author} : {quotable(item.text)}", *around])


@cache
def _fingerprint() -> str:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update(b"\0" + _read(name).encode())
    return digest.hexdigest()[:16]


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath("prompts", "fr", name).read_text(encoding="utf-8")
