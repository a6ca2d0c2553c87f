"""Every choice of the engine in one frozen value, and what of it invalidates an index.

Formulas and thresholds that are not choices live beside the code that uses them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import SettingsError
from .setting_limits import BOUNDS as BOUNDS
from .setting_limits import CHANGES_INDEX as CHANGES_INDEX
from .setting_limits import CHOICES as CHOICES
from .setting_limits import KEEPS_INDEX as KEEPS_INDEX

LEAST_CONTEXT_TOKENS = 512  # less holds no message and its answer
INDEX_FILE = ".db"  # how an `index_url` ends that is a file
INDEX_FORMAT = 4  # raise when analysis, passages or index layout change in code


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Of a score of the evidence: below the first it is empty, below the second weak, normal from there on."""

    empty_below: float
    weak_below: float


# The zones of the evidence by the best logit of a reranker, which has another scale each: see `models/reranker.name`.
# Measured upstream on a forum of 425,000 posts (796 questions with an answer, 16 off-topic); not by us.
RERANKER_ZONES: Mapping[str, Thresholds] = {
    "mmarco-minilm": Thresholds(-4.0, 0.0),
    "mmarco-mminilmv2-l12-h384-v1": Thresholds(-4.0, 0.0),
}
# The same by the probability of a model of zones.json: "lexical" without an encoder, "encoder" with any.
# Measured on CNIL, PIAF and a generated forum of 20,000 posts: docs/decisions/0020-zones.md.
SCORE_ZONES: Mapping[str, Thresholds] = {
    "lexical": Thresholds(0.08, 0.6),
    "encoder": Thresholds(0.1, 0.5),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The engine's choices. Paths are absolute; None means "not there", an ordinary state."""

    data: Path
    """Data folder of the archive."""

    language: str = "fr"
    """Language of the archive for stemming and stop words: "fr" or "en"."""

    window_chars: int = 1200
    """Longest passage embedded as one vector, in characters of the post."""

    window_overlap_chars: int = 200
    """Characters that two neighbouring passages of a long post share."""

    min_dense_chars: int = 30
    """Posts with fewer useful characters ("+1", "merci") get no vector; they stay readable and searchable by word."""

    bge_model: Path | None = None
    """Folder of bge-m3; the small embedded encoder is used when it is not given."""

    forum_vectors: str = "auto"
    """Vectors of bge-m3 that a backup brings: "auto" (used when bge-m3 is on this computer), "use" or "ignore"."""

    bge_precision: str = "auto"
    """Arithmetic of bge-m3: "fp32", "bf16", "int8", or "auto" (bf16 where the processor has it, else fp32)."""

    embed_batch: int = 32
    """Passages encoded at a time."""

    llm_model: Path | None = None
    """GGUF file of the answering model; when it is not given, the last one that was added to the data folder."""

    llm_context_tokens: int = 0
    """Context of the answering model, prompt and answer together; 0 takes what the evidence and the memory call for."""

    llm_answer_tokens: int = 400
    """Longest answer, in tokens."""

    llm_threads: int = 0
    """Threads of the answering model; 0 takes the machine's physical cores."""

    llm_batch_tokens: int = 0
    """Tokens of the prompt that the answering model reads at a time; 0 lets the number of cores decide."""

    llm_idle_s: float = 600.0
    """Seconds without a question after which the answering model gives its memory back; 0 keeps it."""

    llm_url: str | None = None
    """Address of a server that writes the answers (llama-server, Ollama, vLLM…), as http://192.168.1.20:8000/v1."""

    llm_remote_model: str | None = None
    """Name that this server gives to the model."""

    llm_key_variable: str | None = None
    """Name of the environment variable that holds the key of this server."""

    unsupported_claims: str = "mark"
    """What becomes of a model's sentences that the posts they cite don't support: "mark" or "drop"."""

    index_url: str | None = None
    """Milvus server that holds the indexes, as http://192.168.1.20:19530, or a .db file; without it the data folder."""

    index_key_variable: str | None = None
    """Name of the environment variable that holds the key of this server."""

    index_kept_s: int = 0
    """Seconds for which rows that an update replaced stay there, for replicas that have not gone over to it yet."""

    encoder_url: str | None = None
    """Address of a server that encodes the texts (TEI, vLLM, llama-server…), as http://192.168.1.20:8080/v1."""

    encoder_remote_model: str | None = None
    """Name that this server gives to the model; another name is another model, for which all is encoded again."""

    encoder_key_variable: str | None = None
    """Name of the environment variable that holds the key of this server."""

    encoder_query_prefix: str | None = None
    """What that model wants before a question, as "query:" for the e5 family; a space follows it."""

    encoder_passage_prefix: str | None = None
    """What that model wants before a passage, as "passage:"; a space follows it."""

    rrf_k: int = 20
    """k of reciprocal rank fusion; measured, see docs/decisions/0006-fusion-by-measurement.md (60 in the paper)."""

    lexical_weight: float = 1.0
    """Weight of the keyword ranking in the fusion."""

    dense_weight: float = 1.0
    """Weight of the vector ranking in the fusion."""

    reranker_model: Path | None = None
    """Folder of a cross-encoder that reads the best results again; the fused order stands when it is not given."""

    reranker_url: str | None = None
    """Address of a server that reads the best results again (TEI, vLLM, llama-server…), as http://192.168.1.20:8081."""

    reranker_remote_model: str | None = None
    """Name that this server gives to the model."""

    reranker_key_variable: str | None = None
    """Name of the environment variable that holds the key of this server."""

    rerank_deadline_s: float = 2.0
    """Seconds that a search waits for the cross-encoder before it keeps the fused order."""

    gate: str = "on"
    """Whether the rules of the gate turn questions away (their list: gate.toml in the data folder): "on" or "off"."""

    combine: str = "on"
    """Whether the best fused posts are looked at again with what both legs know: "on" or "off"."""

    spelling: str = "on"
    """Whether words that no message holds are read as their nearest neighbour: "on" or "off"."""

    candidates: int = 100
    """Posts asked of each leg before fusion (at most 200)."""

    evidence_max: int = 6
    """Numbered posts given to an answer."""

    evidence_neighbours: int = 3
    """Posts read before and after each of them."""

    evidence_tokens: int = 3000
    """Budget of all the evidence, in tokens of the answering model (or characters / 4)."""

    long_topic_posts: int = 10
    """From this many posts on, a topic may give two numbered posts."""

    sync_interval_s: float = 1.0
    """Seconds between two requests to a live forum, from start to start."""

    sync_contact: str | None = None
    """Mail address or page told to the forum with each request, for its administrator to write to you."""

    sync_recheck_requests: int = 1000
    """Requests that a sync spends at most on reading again what is held, oldest look first; 0 reads nothing again."""

    import_uploads_mb: int = 20000
    """Room for the images and files of public posts that a backup holds, in megabytes; 0 keeps none."""

    sync_uploads_mb: int = 0
    """Room for images and files fetched from the forum, in megabytes; 0 fetches none."""


def build(data: Path, *layers: Mapping[str, Any]) -> Settings:
    """Settings from the defaults overlaid by each layer in turn (file, environment, command line).

    Values may be strings (environment). Raises SettingsError naming the key for an unknown name,
    a value of the wrong kind or out of bounds.
    """
    known = {f.name: f for f in fields(Settings)}
    values: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            if key not in known or key == "data":
                raise SettingsError(key=key, value=str(value), reason="unknown")
            values[key] = _coerce(key, value, str(known[key].type))
    settings = Settings(data=data.expanduser().absolute(), **values)
    if settings.window_overlap_chars * 2 > settings.window_chars:
        raise SettingsError(key="window_overlap_chars", value=settings.window_overlap_chars, reason="overlap")
    if 0 < settings.llm_context_tokens < LEAST_CONTEXT_TOKENS:
        low, high = LEAST_CONTEXT_TOKENS, BOUNDS["llm_context_tokens"][1]
        value = settings.llm_context_tokens
        raise SettingsError(key="llm_context_tokens", value=value, reason="bounds", low=low, high=high)
    for key in ("llm_url", "encoder_url", "reranker_url"):
        _check_url(key, getattr(settings, key))
    if settings.index_url is None or not settings.index_url.endswith(INDEX_FILE):
        _check_url("index_url", settings.index_url, "engine_url")
    return settings


def index_fingerprint(settings: Settings) -> str:
    """Sixteen hex digits that change whenever an index built with these settings is no longer valid."""
    chosen = {name: getattr(settings, name) for name in sorted(CHANGES_INDEX)}
    document = json.dumps({"format": INDEX_FORMAT, **chosen}, sort_keys=True)
    return hashlib.sha256(document.encode()).hexdigest()[:16]


def _check_url(key: str, url: str | None, reason: str = "url") -> None:
    if url is None:
        return
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port that is no number, a bracket that doesn't close
        good = False
    if not good or "@" in url:  # a key in an address would end in a log: it has its own variable
        raise SettingsError(key=key, value=url.rpartition("@")[2], reason=reason)


def _coerce(key: str, value: Any, kind: str) -> Any:
    try:
        if kind == "str | None":
            return str(value).strip() or None if value is not None else None
        if kind.startswith("Path"):
            return None if value in (None, "") else Path(str(value)).expanduser().absolute()
        if kind == "str":
            if value not in CHOICES[key]:
                raise ValueError(value)
            return str(value)
        if isinstance(value, bool):
            raise ValueError(value)
        number = int(value) if kind == "int" else float(value)
    except (TypeError, ValueError) as error:
        raise SettingsError(key=key, value=str(value), reason="kind") from error
    low, high = BOUNDS[key]
    if not low <= number <= high:
        raise SettingsError(key=key, value=number, reason="bounds", low=low, high=high)
    return number
