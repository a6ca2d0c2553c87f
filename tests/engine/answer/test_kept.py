"""Which answers are kept, and what makes two questions the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import kept
from engine.answer.kept import Answers, Written
from engine.values import Evidence, Role

from .samples import around, evidence

SOURCES = (evidence(1, context=(around(Role.BEFORE, "Avant."),)), evidence(2))


def key(question: str = "Comment ?", sources: tuple[Evidence, ...] = SOURCES, **values: object) -> str:
    fields = {"model": "m-1", "budget_tokens": 3000, "answer_tokens": 400, **values}
    return kept.key(question, sources, **fields)  # type: ignore[arg-type]


def test_the_oldest_unused_answer_leaves_first() -> None:
    answers = Answers(room=2)
    for name in ("a", "b"):
        answers.put(name, Written(name, "stop", ()))
    assert answers.get("a")  # used: "b" is the oldest now
    answers.put("c", Written("c", "stop", ()))
    assert [name for name in "abc" if answers.get(name)] == ["a", "c"]


def test_the_same_values_give_the_same_key() -> None:
    assert key() == key(sources=(evidence(1, context=(around(Role.BEFORE, "Avant."),)), evidence(2)))


@pytest.mark.parametrize(
    "changed",
    [
        key("Pourquoi ?"),
        key(sources=SOURCES[:1]),
        key(sources=SOURCES[::-1]),
        key(sources=(replace(SOURCES[0], text="Autre chose."), SOURCES[1])),
        key(sources=(evidence(1, context=(around(Role.BEFORE, "Avant !"),)), SOURCES[1])),
        key(model="m-2"),
        key(budget_tokens=2000),
        key(answer_tokens=200),
    ],
)
def test_anything_that_the_prompt_holds_changes_the_key(changed: str) -> None:
    assert changed != key()


def test_another_version_of_the_prompts_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(kept, "prompt_fingerprint", lambda: "autre")
    assert key() != before
