"""A cross-encoder from a local folder, loaded by FlagEmbedding (bge-reranker-v2-m3, mmarco-mMiniLM and kin).

Scores are logits: unbounded, comparable for one question only; `retrieve/blend.probability` brings them to 0–1.
FlagEmbedding's own `compute_score` is not called: it runs the first batch twice, writes tokens back to text to read
them again (1.4.2 with transformers 5), and where torch fails it tries ever smaller batches without a word.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from ..errors import ModelUnavailable
from ..seams import Rerank
from .catalogue import plain_name

MAX_TOKENS = 256  # question and passage together: a title and 300 characters are about 120
BATCH = 9  # 25 pairs in three batches of near lengths


def check(folder: Path) -> None:
    """Return when the folder may hold a cross-encoder, else raise ModelUnavailable; loads no weights.

    The reason is "head" for a model without the head that scores a pair (an encoder, or an export of features): the
    library would give it a random one and rank at random.
    """
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        kinds = [str(kind) for kind in config["architectures"]]
        labels = len(config["id2label"]) if "id2label" in config else int(config.get("num_labels", 2))
    except OSError as error:
        raise ModelUnavailable(role="rerank", path=str(folder), reason=error.strerror) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(role="rerank", path=str(folder), reason="configuration") from error
    if not any(kind.endswith("ForSequenceClassification") for kind in kinds) or labels != 1:
        raise ModelUnavailable(role="rerank", path=str(folder), reason="head")


def name(folder: Path) -> str:
    """What names a cross-encoder's scale: its folder's name, in the catalogue's spelling."""
    return plain_name(folder.name)


def load(folder: Path) -> Rerank:
    """The cross-encoder of that folder, on the CPU in full precision: one logit a text, in the order of the texts.

    Raises ModelUnavailable when it can't be loaded.
    """
    check(folder)
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import torch
        from FlagEmbedding import FlagReranker
    except ImportError as error:
        raise ModelUnavailable(role="rerank", path=str(folder), reason="not installed") from error
    try:
        model = FlagReranker(str(folder), use_fp16=False, devices="cpu")
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise ModelUnavailable(role="rerank", path=str(folder), reason=str(error)) from error
    scorer = model.model.float().eval()
    lock = threading.Lock()
    longest = min(MAX_TOKENS, int(scorer.config.max_position_embeddings) - 2)  # the first two positions are padding's

    def rerank(question: str, texts: Sequence[str]) -> Sequence[float]:
        scores = [0.0] * len(texts)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        with lock, torch.no_grad():
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                pairs = [(question, texts[i]) for i in batch]
                inputs = model.tokenizer(pairs, truncation=True, max_length=longest, padding=True, return_tensors="pt")
                try:
                    found = scorer(**inputs).logits.view(-1).tolist()
                except RuntimeError as error:
                    raise ModelUnavailable(role="rerank", path=str(folder), reason=str(error)) from error
                for i, score in zip(batch, found, strict=True):
                    scores[i] = score
        return scores

    return rerank
