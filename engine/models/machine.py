"""What this machine can give a language model: cores, memory, and the sizes that follow from them.

The sizes depend on the machine and the settings only, never on what is free at the moment: other sizes round
otherwise, and the same question would get another text.
"""

from __future__ import annotations

from pathlib import Path

import psutil

from ..settings import Settings

PROMPT_TOKENS = 600  # of a prompt besides its evidence: instructions, question, template
STEP = 1024
# What the system, the index and the encoder need besides the model; below what remains, a small context.
RESERVED_BYTES = 3 << 30
CONTEXT_BYTES = 1 << 30  # about 4,096 tokens of a model of 4 to 30 billion parameters (100 to 170 kB a token), and room
SMALL_CONTEXT = 2048
# A batch can't be interrupted, so it stays short where few cores read it.
BATCH, LARGE_BATCH, MANY_CORES = 256, 512, 8


def physical_cores() -> int:
    """The machine's cores that this process may use; hyper-threads only slow a language model."""
    process = psutil.Process()
    allowed = len(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else psutil.cpu_count() or 1
    return max(1, min(allowed, psutil.cpu_count(logical=False) or allowed // 2))


def memory_bytes() -> int:
    """The memory of this machine."""
    return int(psutil.virtual_memory().total)


def batch_tokens(settings: Settings) -> int:
    """Tokens of the prompt read at a time."""
    if settings.llm_batch_tokens:
        return settings.llm_batch_tokens
    return LARGE_BATCH if physical_cores() >= MANY_CORES else BATCH


def context_tokens(settings: Settings, model: Path, *, memory: int | None = None) -> int:
    """The context chosen, else one that holds the evidence and the answer, or a small one where memory is short."""
    if settings.llm_context_tokens:
        return settings.llm_context_tokens
    wanted = settings.evidence_tokens + settings.llm_answer_tokens + PROMPT_TOKENS
    wanted = -(-wanted // STEP) * STEP
    try:
        weights = model.stat().st_size
    except OSError:  # a file that is not there is reported when it is loaded
        weights = 0
    left = (memory_bytes() if memory is None else memory) - weights - RESERVED_BYTES
    return wanted if left >= CONTEXT_BYTES * wanted / 4096 else min(wanted, SMALL_CONTEXT)
