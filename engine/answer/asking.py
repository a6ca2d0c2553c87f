"""A message before anything is searched: the gate, and the search that it stands for in a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..seams import Generate, Models
from ..values import Abstention, Answer, AnswerEvent, Declined, EvidenceFound
from . import condense
from .answering import Answerer
from .followup import Analyse
from .gate import Gate
from .rough_words import Names


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched and answered (`text`) for a question."""

    question: str
    text: str

    @property
    def search(self) -> str:
        """The text when it differs from the question, nothing otherwise."""
        return self.text if self.text != self.question else ""

    def event(self, event: AnswerEvent) -> AnswerEvent:
        """An event about the text, told as one about the question."""
        match event:
            case EvidenceFound():
                return replace(event, search=self.search)
            case Answer() | Abstention():
                return replace(event, question=self.question, search=self.search)
        return event


def understand(
    question: str,
    history: Sequence[str],
    *,
    gate: Gate | None,
    names: Names,
    generate: Generate | None,
    analyse: Analyse,
    check: Callable[[], None],
) -> Asked | Declined:
    """The search of a question, or the rule that turns it away.

    The gate sees the question before a model rewrites it, and what it stands for afterwards: a follow-up may carry its
    object in an earlier message.
    """

    def turned_away(text: str, search: str = "") -> Declined | None:
        return _turned_away(question, text, search, gate, names)

    if declined := turned_away(question):
        return declined
    if history:
        # By rule first: what it completes costs nothing and is turned away before a model is asked.
        ruled = condense.condense(question, history, analyse=analyse).text
        if ruled != question and (declined := turned_away(ruled, ruled)):
            return declined
        found = condense.condense(question, history, generate, analyse=analyse, check=check).text if generate else ruled
        if found not in (question, ruled) and (declined := turned_away(found, found)):
            return declined
        return Asked(question, found)
    return Asked(question, question)


def respelt(asked: Asked, text: str, *, gate: Gate | None, names: Names) -> Asked | Declined:
    """The same question with its misspelt words as they were read: told like any search, and seen by the gate too."""
    return _turned_away(asked.question, text, text, gate, names) or replace(asked, text=text)


def _turned_away(question: str, text: str, search: str, gate: Gate | None, names: Names) -> Declined | None:
    rule = gate.check(text, names=names) if gate else None
    return Declined(question, rule.id, rule.reason, search) if rule else None


def generator(models: Models, answerer: Answerer) -> Generate | None:
    """The model that may rewrite a message for this answerer, if any."""
    match answerer:
        case "extractive":
            return None
        case "llm":
            return models.generate
        case "remote":
            return models.remote
    return models.remote or models.generate
