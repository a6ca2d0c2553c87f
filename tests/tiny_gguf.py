"""Writes a language model of one layer and random weights as llama.cpp reads it: it loads at once, its vectors are real.

Its tokens are bytes. Texts get one vector each, the mean of those of their tokens.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5
MEAN = 1
ALIGNMENT = 32
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6


def write(path: Path, *, dimensions: int = 64, seed: int = 1) -> Path:
    """A GGUF file; another seed is another model."""
    random = np.random.default_rng(seed)
    words = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(256))]
    kinds = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256]
    facts: list[tuple[str, int, Any]] = [
        ("general.architecture", STRING, "qwen2"),
        ("qwen2.context_length", UINT32, 512),
        ("qwen2.embedding_length", UINT32, dimensions),
        ("qwen2.block_count", UINT32, 1),
        ("qwen2.feed_forward_length", UINT32, dimensions),
        ("qwen2.attention.head_count", UINT32, 2),
        ("qwen2.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        ("qwen2.pooling_type", UINT32, MEAN),
        ("tokenizer.ggml.model", STRING, "llama"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, words)),
        ("tokenizer.ggml.scores", ARRAY, (FLOAT32, [0.0] * len(words))),
        ("tokenizer.ggml.token_type", ARRAY, (INT32, kinds)),
        ("tokenizer.ggml.bos_token_id", UINT32, 1),
        ("tokenizer.ggml.eos_token_id", UINT32, 2),
        ("tokenizer.ggml.unknown_token_id", UINT32, 0),
    ]
    square, line = (dimensions, dimensions), (dimensions,)
    shapes = {"token_embd.weight": (len(words), dimensions), "output_norm.weight": line}
    for name in ("attn_norm.weight", "ffn_norm.weight", "attn_q.bias", "attn_k.bias", "attn_v.bias"):
        shapes[f"blk.0.{name}"] = line
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        shapes[f"blk.0.{name}.weight"] = square
    header, data = bytearray(), bytearray()
    for name, shape in shapes.items():
        weights = np.ones(shape) if name.endswith("norm.weight") else random.normal(scale=0.2, size=shape)
        header += _string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
        header += struct.pack("<IQ", 0, len(data))  # 0: 32-bit numbers
        data += weights.astype("<f4").tobytes()
        data += bytes(-len(data) % ALIGNMENT)
    start = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(facts))
    start += b"".join(_string(key) + struct.pack("<I", kind) + _value(kind, value) for key, kind, value in facts)
    start += header
    path.write_bytes(start + bytes(-len(start) % ALIGNMENT) + data)
    return path


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(kind: int, value: Any) -> bytes:
    match kind:
        case 8:
            return _string(value)
        case 9:
            inner, items = value
            return struct.pack("<IQ", inner, len(items)) + b"".join(_value(inner, item) for item in items)
        case _:
            return struct.pack({UINT32: "<I", FLOAT32: "<f", INT32: "<i"}[kind], value)
