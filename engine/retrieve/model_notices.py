"""What the screen is told where a model had no part in a search: codes of notices."""

from __future__ import annotations

from ..errors import ModelUnavailable
from ..index.generations import Generation
from ..seams import Models


def of_vectors(generation: Generation, models: Models) -> str | None:
    """Why meaning is not searched, None when it is."""
    if generation.dense is None:
        return next(iter(generation.notices), "dense_missing")
    if models.encoder(generation.manifest.dense_model) is not None:
        return None
    return "encoder_missing" if models.embed is None else "encoder_differs"  # vectors of two models can't be compared


def of_encoder(failed: ModelUnavailable) -> str:
    """Why the question could not be encoded."""
    reason = str(failed.details.get("reason", ""))
    if reason in ("server_other", "server_dimension"):
        return "encoder_other"
    return "encoder_away" if reason.startswith("server_") else "encoder_unavailable"


def of_reranker(failed: ModelUnavailable) -> str:
    """Why the results were not read again."""
    reason = str(failed.details.get("reason", ""))
    if reason == "server_slow":
        return "rerank_late"
    return "reranker_away" if reason.startswith("server_") else "rerank_unavailable"
