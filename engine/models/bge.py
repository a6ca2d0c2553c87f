"""bge-m3 from a local folder, loaded by FlagEmbedding, in the arithmetic that the processor is good at.

The network is never touched: hub look-ups are turned off before the first import. FlagEmbedding's own `encode` is not
called: it runs the first batch twice, and where torch fails it tries ever smaller batches without a word.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from ..errors import ModelUnavailable
from ..seams import Embed, TextRole, Vectors

Precision = Literal["fp32", "bf16", "int8"]

MAX_TOKENS = 1024  # a passage of 1,200 characters is about 400; bge-m3 accepts 8,192 at a quadratic price
BATCH = 12
M3 = {"model_type": "xlm-roberta", "hidden_size": 1024, "num_hidden_layers": 24, "vocab_size": 250002}
CPU_FACTS = Path("/proc/cpuinfo")
BF16_FLAGS = frozenset({"amx_bf16", "avx512_bf16"})
LEAST_COSINE = 0.99  # of each probe's vector to its fp32 vector; below, a lower precision is refused
PROBES = (
    "Comment régler un frein qui grince sous la pluie ?",
    "Merci !",
    "Sortie d’été › Le bistrot › Nous partirons à huit heures devant la mairie, prévoyez de quoi manger à midi.",
    "Le moyeu F-GABC accepte un axe de 3,5 mm ; au-delà il faut le percer, ce que je déconseille.",
    "L’employeur peut-il lire les courriels personnels d’un salarié ? La réponse dépend de l’usage qui en est fait.",
    "J’ai écrit un script en C++ pour calculer les braquets, il est sur mon site avec un tableau et quelques photos. "
    "Dites-moi ce que vous en pensez, et surtout si vous trouvez une erreur dans les rapports les plus courts.",
)


def resolve(precision: str) -> Precision:
    """The arithmetic that a setting means here: "auto" is bf16 where the processor multiplies bf16 itself, else fp32.

    Only Linux says what its processor can do; elsewhere "auto" is fp32. int8 is never chosen by itself: how much it
    helps depends on the processor (two shared cores with AVX-512 VNNI: fp32 1.5 texts of 79 tokens a second, bf16 3.2,
    int8 5.0, random weights of bge-m3's architecture).
    """
    if precision != "auto":
        return cast(Precision, precision)
    try:
        facts = CPU_FACTS.read_text("utf-8", "replace")
    except OSError:
        return "fp32"
    flags = next((line.split() for line in facts.splitlines() if line.startswith("flags")), [])
    return "bf16" if BF16_FLAGS & set(flags) else "fp32"


def name(folder: Path, precision: str = "fp32") -> str:
    """What names this model's vectors: its folder's name, a hash of its weights and configuration, its precision.

    Full precision has no suffix: those are the model's own vectors.
    """
    digest = hashlib.blake2b(digest_size=6)
    try:
        digest.update((folder / "config.json").read_bytes())
        for weights in sorted(folder.glob("*.safetensors")) + sorted(folder.glob("pytorch_model*.bin")):
            digest.update(f"{weights.name}:{weights.stat().st_size}".encode())
            with weights.open("rb") as file:
                digest.update(file.read(1 << 20))
    except OSError as error:
        raise ModelUnavailable(role="embed", path=str(folder), reason=error.strerror) from error
    chosen = resolve(precision)
    return f"{folder.name}-{digest.hexdigest()}" + ("" if chosen == "fp32" else f"-{chosen}")


def is_m3(folder: Path) -> bool:
    """Whether the folder has the shape of bge-m3 itself, so that its queries compare with vectors made elsewhere."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(config, dict) or not (folder / "colbert_linear.pt").is_file():
        return False
    return all(config.get(key) == value for key, value in M3.items())


def load(folder: Path, precision: str = "fp32") -> Embed:
    """The encoder of that folder on the CPU.

    Raises ModelUnavailable when it can't be loaded, with the reason "precision" when the vectors of a lower precision
    fall under a cosine of LEAST_COSINE to those of fp32 on the probes.
    """
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
    model.model.float().eval()
    chosen = resolve(precision)
    embed = _encoder(folder, model, nullcontext())
    if chosen == "fp32":
        return embed
    exact = embed(PROBES, "passage")
    embed = _encoder(folder, model, _lowered(model, chosen))
    cosine = float(np.min((exact * embed(PROBES, "passage")).sum(axis=1)))
    if not cosine >= LEAST_COSINE:
        raise ModelUnavailable(role="embed", path=str(folder), reason="precision", precision=chosen, cosine=cosine)
    return embed


def _lowered(model: Any, precision: Precision) -> AbstractContextManager[Any]:
    """Put the model in a lower precision; returns the context in which it must run."""
    import torch

    if precision == "bf16":
        running: AbstractContextManager[Any] = torch.autocast("cpu", dtype=torch.bfloat16)
        return running
    with warnings.catch_warnings():  # torch 2.13 announces that this will leave it (pytorch #184982); it is pinned
        warnings.simplefilter("ignore")
        torch.ao.quantization.quantize_dynamic(model.model.model, {torch.nn.Linear}, dtype=torch.qint8, inplace=True)
    return nullcontext()


def _encoder(folder: Path, model: Any, running: AbstractContextManager[Any]) -> Embed:
    import torch

    lock = threading.Lock()
    config = model.model.model.config
    longest = min(MAX_TOKENS, int(config.max_position_embeddings) - 2)  # the first two positions are padding's

    def forward(texts: Sequence[str]) -> Vectors:
        inputs = model.tokenizer(list(texts), truncation=True, max_length=longest, padding=True, return_tensors="pt")
        found = model.model(inputs, return_dense=True, return_sparse=False, return_colbert_vecs=False)["dense_vecs"]
        rows: Vectors = found.float().numpy()
        return rows

    def embed(texts: Sequence[str], _role: TextRole) -> Vectors:
        rows = np.zeros((len(texts), int(config.hidden_size)), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # near lengths waste little padding
        with lock, torch.no_grad(), running:
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                try:
                    rows[batch] = forward([texts[i] for i in batch])
                except RuntimeError as error:
                    raise ModelUnavailable(role="embed", path=str(folder), reason=str(error)) from error
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
        return unit

    return embed
