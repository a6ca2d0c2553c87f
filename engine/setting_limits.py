"""What the values of the settings may be, and which of them an index depends on."""

from __future__ import annotations

from collections.abc import Mapping

# What a change of the setting obliges to rebuild. A test fails on a field that is in neither set.
CHANGES_INDEX = frozenset({"language", "window_chars", "window_overlap_chars", "min_dense_chars"})
# Models, their precision and the place of the index change it too: the manifest names them.
KEEPS_INDEX = frozenset(
    """
    data bge_model forum_vectors bge_precision embed_batch llm_model llm_context_tokens llm_answer_tokens
    llm_threads llm_batch_tokens llm_idle_s llm_url llm_remote_model llm_key_variable unsupported_claims index_url
    index_key_variable index_kept_s encoder_url encoder_remote_model encoder_key_variable encoder_query_prefix
    encoder_passage_prefix rrf_k lexical_weight dense_weight reranker_model reranker_url reranker_remote_model
    reranker_key_variable rerank_deadline_s combine gate spelling candidates evidence_max evidence_neighbours
    evidence_tokens long_topic_posts sync_interval_s sync_contact sync_recheck_requests import_uploads_mb
    sync_uploads_mb
    """.split()
)

BOUNDS: Mapping[str, tuple[float, float]] = {
    "window_chars": (200, 8000),
    "window_overlap_chars": (0, 1000),
    "min_dense_chars": (0, 200),
    "embed_batch": (1, 256),
    "llm_context_tokens": (0, 131072),
    "llm_answer_tokens": (32, 4096),
    "llm_threads": (0, 256),
    "llm_batch_tokens": (0, 2048),
    "llm_idle_s": (0, 86400),
    "rrf_k": (1, 1000),
    "lexical_weight": (0, 10),
    "dense_weight": (0, 10),
    "rerank_deadline_s": (0.05, 600),
    "candidates": (10, 200),
    "evidence_max": (1, 20),
    "evidence_neighbours": (0, 10),
    "evidence_tokens": (200, 100000),
    "long_topic_posts": (2, 100000),
    "index_kept_s": (0, 86400),
    "sync_interval_s": (0.3, 3600),  # Discourse allows 200 requests a minute to an address
    "sync_recheck_requests": (0, 1000000),
    "import_uploads_mb": (0, 10000000),
    "sync_uploads_mb": (0, 10000000),
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "language": ("fr", "en"),
    "combine": ("on", "off"),
    "unsupported_claims": ("mark", "drop"),
    "gate": ("on", "off"),
    "spelling": ("on", "off"),
    "forum_vectors": ("auto", "use", "ignore"),
    "bge_precision": ("auto", "fp32", "bf16", "int8"),
}
