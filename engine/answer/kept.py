"""The last answers that a model wrote, so that the same question on the same messages is not written twice.

In memory only: they end with the program. A model without a name (a server's) is never remembered: nothing would tell
that it has changed.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from ..values import Evidence, Zone
from .prompt import prompt_fingerprint

KEPT = 100  # answers; with their evidence, some tens of kB each


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote to its end, with the evidence that its prompt held; `finish` is "stop" or "length"."""

    text: str
    finish: str
    evidence: tuple[Evidence, ...]


class Answers:
    """The answers kept, the oldest unused one leaving first. Safe to use from several threads."""

    def __init__(self, room: int = KEPT) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Written] = OrderedDict()

    def get(self, key: str) -> Written | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, written: Written) -> None:
        with self._lock:
            self._kept[key] = written
            self._kept.move_to_end(key)
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)


def key(
    question: str,
    evidence: Sequence[Evidence],
    *,
    model: str,
    budget_tokens: int,
    answer_tokens: int,
    zone: Zone = Zone.NORMAL,
) -> str:
    """What an answer depends on: the question, every text of the evidence, the model, the prompts and their room."""
    # The repr of frozen values is every field of them, texts around the evidence included.
    parts = (question, tuple(evidence), zone, model, prompt_fingerprint(), budget_tokens, answer_tokens)
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
