"""The optional stage after fusion: a cross-encoder reads the best posts again, within a time limit.

The reranker and the hybrid order are combined by rank (`blend.rrf_of_both`). Knows nothing about the model itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from ..errors import ModelUnavailable
from ..index.french import Analyser
from ..seams import Rerank
from ..store.archive import ArchiveStore, PostRow
from ..values import FusedPost
from .blend import rrf_of_both
from .excerpt import best_window
from .model_notices import of_reranker

CANDIDATES = 25  # upstream's cap; a pair costs about 50 ms on one core for a base model
PASSAGE_CHARS = 300

# One thread for the process: a model call can't be interrupted, so a late one goes on here while the search answers,
# and the next search finds the thread busy, waits for its own time and keeps the fused order too.
_WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rerank")


def reranked(
    question: str,
    fused: Sequence[FusedPost],
    *,
    rerank: Rerank,
    store: ArchiveStore,
    analyser: Analyser,
    k: float,
    deadline_s: float,
) -> tuple[tuple[FusedPost, ...], str | None, float | None]:
    """The fused posts with the best CANDIDATES of them reordered, a notice when the fused order stands, the best score.

    The notice is "rerank_late" after `deadline_s` seconds, which the first call of a process may well need to load the
    model, else one of `model_notices.of_reranker`. The score is None when nothing was read.
    """
    rows = store.posts(post.post_id for post in fused[:CANDIDATES])
    terms = set(analyser.words(question))
    read = [rows[post.post_id] for post in fused[:CANDIDATES] if post.post_id in rows]
    if len(read) < 2:
        return tuple(fused), None, None
    texts = [passage(row, terms, analyser) for row in read]
    call: Future[Sequence[float]] = _WORKER.submit(rerank, question, texts)
    if call not in wait([call], timeout=deadline_s).done:
        call.cancel()  # does nothing to a running call, and keeps a waiting one from ever starting
        return tuple(fused), "rerank_late", None
    try:
        scores = call.result()
    except ModelUnavailable as failed:
        return tuple(fused), of_reranker(failed), None
    found = {row.id: float(score) for row, score in zip(read, scores, strict=True) if math.isfinite(score)}
    if not found:
        return tuple(fused), None, None
    return rrf_of_both(fused, found, k=k), None, max(found.values())


def passage(row: PostRow, terms: set[str], analyser: Analyser) -> str:
    """What the cross-encoder reads of a post: its title and the 300 characters that hold most of the terms."""
    body = row.text or row.code
    start, end = best_window(body, terms, analyser.words, chars=PASSAGE_CHARS)
    return f"{row.title}. {' '.join(body[start:end].split())}"
