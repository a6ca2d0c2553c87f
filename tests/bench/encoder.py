"""Speed of encoding the posts of a forum, in posts a second. Run with `make bench-encoder`.

    python -m tests.bench.encoder DATA [--posts 200] [--bge]

Without --bge: the embedded encoder at one thread and at two, each in a process of its own. With --bge, in the environment of
`make test-bge`: FlagEmbedding on random weights of bge-m3's architecture and of its depth and width, in each precision. Random
weights cost what trained ones cost; the words are cut by a tokenizer trained on the posts themselves, with fewer pieces
than bge-m3's, which makes texts a little longer.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from engine import build_settings
from engine.index import encoding
from engine.models import bge, e5
from engine.seams import Embed
from engine.store import ArchiveStore

PRECISIONS = ("fp32", "bf16", "int8")
THREADS = (1, 2)
VOCABULARY = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--posts", type=int, default=200)
    parser.add_argument("--bge", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(_measured(_texts(given.data, given.posts), given.child)))
        return
    texts = _texts(given.data, given.posts)
    longest, mean = max(map(len, texts)), sum(map(len, texts)) / len(texts)
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
    )
    print(f"{len(texts)} passages, {mean:.0f} characters on average, {longest} at most")
    if not given.bge:
        for threads in THREADS:
            print(f"{e5.name()}, {threads} threads: {_in_child(given, 'e5', threads):.1f} passages a second")
        return
    with tempfile.TemporaryDirectory() as folder:
        _random_m3(Path(folder), texts)
        for threads in THREADS:
            for precision in PRECISIONS:
                rate = _in_child(given, f"{precision}:{folder}", threads)
                print(
                    f"bge-m3's architecture, {precision}, {threads} threads: {rate:.2f} passages a second", flush=True
                )


def _texts(data: Path, count: int) -> list[str]:
    """Passages spread over the archive, as they are encoded."""
    store = ArchiveStore(data)
    try:
        every = [passage.text for passage in encoding.passages(build_settings(data), store.indexable())]
    finally:
        store.close()
    return every[:: max(1, len(every) // count)][:count]


def _in_child(given: argparse.Namespace, what: str, threads: int) -> float:
    """Threads are set before a library is loaded, and never again."""
    command = [
        sys.executable,
        "-m",
        "tests.bench.encoder",
        str(given.data),
        "--posts",
        str(given.posts),
        "--child",
        what,
    ]
    environ = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    found = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return float(json.loads(found.stdout.splitlines()[-1]))


def _measured(texts: list[str], what: str) -> float:
    precision, _, folder = what.partition(":")
    embed = e5.load() if precision == "e5" else _loaded(Path(folder), precision)
    embed(texts[:4], "passage")
    ordered = sorted(texts, key=len)
    started = time.perf_counter()
    for start in range(0, len(ordered), bge.BATCH):
        embed(ordered[start : start + bge.BATCH], "passage")
    return len(ordered) / (time.perf_counter() - started)


def _loaded(folder: Path, precision: str) -> Embed:
    # Random weights may fall under the cosine that trained ones must keep: here only time counts.
    bge.LEAST_COSINE = -1.0
    return bge.load(folder, precision)


def _random_m3(folder: Path, texts: list[str]) -> None:
    """A local folder of bge-m3's kind: 24 layers of 1,024, its two heads, a tokenizer trained on these texts."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    made: Any = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(vocab_size=VOCABULARY, special_tokens=special, unk_token="<unk>")
    made.train_from_iterator(texts, trainer)
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>", unk_token="<unk>",
        pad_token="<pad>", mask_token="<mask>", model_max_length=8192,
    ).save_pretrained(folder)  # fmt: skip
    config = XLMRobertaConfig(
        vocab_size=made.get_vocab_size(), hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
        intermediate_size=4096, max_position_embeddings=8194, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    torch.manual_seed(1)
    XLMRobertaModel(config).save_pretrained(folder)
    torch.save(torch.nn.Linear(1024, 1024).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(1024, 1).state_dict(), folder / "sparse_linear.pt")


if __name__ == "__main__":
    main()
