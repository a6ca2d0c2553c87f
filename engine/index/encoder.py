"""The encoder whose vectors go into a vectors.db: one that another program serves is held to those already there."""

from __future__ import annotations

from collections.abc import Callable

from ..seams import Embed, Models
from ..settings import Settings
from ..store.vectors import VectorStore
from . import generations


def encoder_of(settings: Settings, models: Models, vectors: VectorStore, check: Callable[[], None]) -> Embed:
    """What encodes passages for these vectors. `models` has an encoder. Raises ModelUnavailable.

    Before its first vector a server is asked for its probes, which are kept; where vectors.db was lost, those of the
    published index count, whose vectors would be mixed with the new ones.
    """
    assert models.embed is not None and models.embed_name is not None
    if models.elsewhere is None:
        return models.embed
    kept = vectors.probes(models.embed_name)
    if not kept:
        card = generations.read_manifest(settings)
        served = card.dense_probes if card is not None and card.dense_model == models.embed_name else ""
        kept = served or models.elsewhere.probe(check)
        vectors.keep_probes(models.embed_name, kept)
    return models.elsewhere.held_to(kept, check)
