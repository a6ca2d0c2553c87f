"""bge-m3 from a local folder: the only module that knows FlagEmbedding.

Never touches the network: hub look-ups are turned off before the first import.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..errors import ModelUnavailable
from ..seams import Embed, TextRole, Vectors

MAX_TOKENS = 1024  # a passage of 1,200 characters is about 400; bge-m3 accepts 8,192 at a quadratic price
BATCH = 12


def name(folder: Path) -> str:
    """What names this model's vectors: its folder's name and a hash of its weights' size and configuration."""
    digest = hashlib.blake2b(digest_size=6)
    try:
        digest.update((folder / "config.json").read_bytes())
        for weights in sorted(folder.glob("*.safetensors")) + sorted(folder.glob("pytorch_model*.bin")):
            digest.update(f"{weights.name}:{weights.stat().st_size}".encode())
            with weights.open("rb") as file:
                digest.update(file.read(1 << 20))
    except OSError as error:
        raise ModelUnavailable(role="embed", path=str(folder), reason=error.strerror) from error
    return f"{folder.name}-{digest.hexdigest()}"


def load(folder: Path) -> Embed:
    """The encoder of that folder, on the CPU in full precision. Raises ModelUnavailable when it can't be loaded."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        from FlagEmbedding import BGEM3FlagModel
    except ImportError as error:
        raise ModelUnavailable(role="embed", path=str(folder), reason="not installed") from error
    try:
        model = BGEM3FlagModel(str(folder), use_fp16=False, devices="cpu", return_sparse=False)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise ModelUnavailable(role="embed", path=str(folder), reason=str(error)) from error
    lock = threading.Lock()
    config = model.model.model.config
    # Beyond its positions the model fails, and the library swallows that and retries for ever smaller batches.
    longest = min(MAX_TOKENS, int(config.max_position_embeddings) - 2)

    def embed(texts: Sequence[str], _role: TextRole) -> Vectors:
        if not texts:
            return np.zeros((0, int(config.hidden_size)), np.float32)
        with lock:
            found = model.encode(list(texts), batch_size=BATCH, max_length=longest)["dense_vecs"]
        rows = np.asarray(found, np.float32).reshape(len(texts), -1)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
        return unit

    return embed
