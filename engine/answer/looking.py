"""A question looked up: the search, the evidence that it gives, and how well that can answer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ..index.generations import Generation
from ..retrieve import evidence as evidence_room
from ..retrieve import search
from ..seams import Models
from ..settings import Settings
from ..store.archive import ArchiveStore
from ..values import Evidence, Mode, PostId, Query
from . import signals, zones
from .signals import Signals
from .zones import Judged


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found for a question; no signals where nothing was found."""

    text: str  # the question as its words were read
    corrected: bool
    evidence: tuple[Evidence, ...]
    signals: Signals | None
    vectors: str | None  # the name of the index's vectors
    timings_ms: dict[str, float] = field(default_factory=dict)


NOTHING = Looked("", False, (), None, None)  # of no question


def look(
    question: str,
    *,
    store: ArchiveStore,
    generation: Generation,
    models: Models,
    settings: Settings,
    hidden: frozenset[PostId] = frozenset(),
) -> Looked:
    """The evidence for a question; `hidden` posts are as if they were not there."""
    # A question is words: what looks like an operator in a sentence is not one.
    found = search.rank(
        Query(words=(question,)), mode=Mode.HYBRID, limit=settings.candidates, store=store, generation=generation,
        models=models, settings=settings, hidden=hidden,
    )  # fmt: skip
    text = found.query.text if found.corrections else question
    analyser = generation.analyser
    started = time.perf_counter()
    evidence = evidence_room.gather(text, found.ranked, store=store, analyser=analyser, settings=settings)
    timings = {**found.timings_ms, "evidence": (time.perf_counter() - started) * 1000}
    known = signals.of(text, evidence, found, generation, analyser.words) if evidence else None
    return Looked(text, bool(found.corrections), evidence, known, generation.manifest.dense_model, timings)


def judge(looked: Looked, models: Models, settings: Settings) -> Judged | None:
    """How well the evidence can answer, None where there is none. Raises SettingsError for a zones.json of its own."""
    if looked.signals is None:
        return None
    scores = zones.load(settings.data)
    return zones.judge(looked.signals, scores, vectors=looked.vectors, reranker=models.rerank_name)
