"""Labelled questions → examples for the fit: the product's own legs and features, before any combination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..archive import Archive
from ..index import dense, lexical
from ..retrieve import search as search_room
from ..retrieve.combine import CANDIDATES, Combination
from ..retrieve.fusion import Fusion, fuse
from ..values import Query
from .fit import Example
from .questions import Question


def collect(
    archive: Archive, questions: Sequence[Question], *, weight: float = 1.0, against: Combination | None = None
) -> list[Example]:
    """One example a question that has expected posts; none when a leg or the encoder lacks. Raises IndexUnavailable.

    What an example scored before is the fused order, or the order that the combination `against` makes of it.
    """
    found = []
    settings = replace(archive.settings, combine="off")
    with archive.reading() as generation:
        encode = archive.models.encoder(generation.manifest.dense_model, generation.manifest.dense_probes)
        if generation.dense is None or encode is None:
            return []
        for question in questions:
            if not question.post_ids:
                continue
            reading = search_room.reading_of(Query(words=(question.text,)), generation, settings)
            text = question.text if reading is None else reading.text
            vector = encode([text], "query")[0]
            rankings = [
                generation.lexical.rank([text], limit=settings.candidates),
                generation.dense.rank(vector, limit=settings.candidates),
            ]
            weights = {lexical.NAME: settings.lexical_weight, dense.NAME: settings.dense_weight}
            fused = fuse(rankings, Fusion(settings.rrf_k, weights))[:CANDIDATES]
            held = archive.store.posts(post.post_id for post in fused)
            kept = [post for post in fused if post.post_id in held]
            if len(kept) < 2:
                continue
            rows = [held[post.post_id] for post in kept]
            features = search_room.combination_features(text, vector, rows, rankings, generation)
            found.append(
                Example(
                    features=features,
                    answers=np.array([row.id in question.post_ids for row in rows]),
                    before=np.array([post.score for post in kept]) if against is None else against.scores(features),
                    group=min(question.post_ids),
                    weight=weight,
                )
            )
    return found
