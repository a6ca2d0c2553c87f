"""The probes, the legitimate questions and the conversations that the gate and the follow-ups are judged on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
# Members of the demo forum that the probes name without a sigil.
MEMBERS = frozenset({"tontonrayon", "grimpette", "octave_pignon", "mamie_derailleur", "kilometre_zero"})


@dataclass(frozen=True, slots=True)
class Probe:
    """A question that must not be answered, and what has to happen to it."""

    id: str
    category: str
    expected: str
    question: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """Earlier questions, the last message, and the words that its search must and must not hold."""

    id: str
    part: str
    history: tuple[str, ...]
    message: str
    must: tuple[str, ...]
    must_not: tuple[str, ...]


def probes() -> list[Probe]:
    return [Probe(**record) for record in _records("safety_fr.yml")]


def legitimate() -> dict[str, str]:
    """Legitimate questions by id."""
    return {record["id"]: record["question"] for record in _records("legitimate_fr.yml")}


def exchanges() -> list[Exchange]:
    lists = ("history", "must", "must_not")
    return [Exchange(**{k: tuple(v) if k in lists else v for k, v in r.items()}) for r in _records("follow_ups_fr.yml")]


def _records(name: str) -> list[dict[str, Any]]:
    found = yaml.safe_load((HERE / name).read_text("utf-8"))
    assert len({record["id"] for record in found}) == len(found)
    return list(found)
